"""Sets of names, written as one text."""


def names(text: str, by: str | None = None) -> frozenset[str]:
    """The names in a text, which reads better than a long list of strings."""
    return frozenset(text.split(by))
