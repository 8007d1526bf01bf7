"""Rank tools by a question in plain words: a library of its own that knows nothing of Hermes."""
