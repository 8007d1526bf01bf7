"""A shell that stays."""
