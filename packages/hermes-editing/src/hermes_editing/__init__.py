"""Text editing: encodings, diffs, fuzzy replacement and V4A patches. Nothing here accesses files."""

__version__ = "1.0.0"
