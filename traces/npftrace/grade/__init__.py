"""Grades folders that students hand in: points by rubric line, with evidence."""
