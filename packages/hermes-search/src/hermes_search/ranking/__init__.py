"""Ranks tools for a question in plain words. It knows nothing of Hermes."""
