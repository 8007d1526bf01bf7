"""Ranks tools for a question in plain words. It does not depend on Hermes."""
