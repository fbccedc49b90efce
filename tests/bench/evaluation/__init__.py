"""The paper's evaluation made again: results, figures, claims, the report."""
