"""The tools of this family, one module for each."""
