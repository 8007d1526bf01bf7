"""Builds sets of names from one string."""


def names(text: str, by: str | None = None) -> frozenset[str]:
    """Split a string into a set of names, which is easier to read than a long list of strings."""
    return frozenset(text.split(by))
