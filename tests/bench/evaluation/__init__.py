"""The paper's evaluation reproduced: results, figures, claims, the report."""
