"""The differential test: random Baker programs, run by every engine."""
