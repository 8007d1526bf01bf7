"""A name in a script that may be one of its verbs."""

from typing import NamedTuple


class Named(NamedTuple):
    """A name, and the place that its arguments follow."""

    at: int
    name: str
    #: The text of the token before it.
    before: str
