"""The tools of the family, one per file."""
