"""The oracle of the label switching router."""
