"""Paths as version control is given them: do they name one file, or many?"""

from collections.abc import Sequence

from hermes_guard import lazy_re as re
from hermes_guard.shell.word import Word

#: Files of a project that have no suffix.
_SUFFIXLESS = re.compile(
    r"(?i:make|docker|proc|gem|pod|vagrant|jenkins|rake|cap|brew|pip|just|task|earth|tilt)file\Z|[A-Z]+\Z"
)


def is_tree(word: Word) -> bool:
    """True for a pathspec that names more than one file."""
    text = word.raw
    return (
        word.glob
        or text.rstrip("/") in {".", "..", ":", ":/", "*", ":(top)", "./", ""}
        or text.endswith("/")
        or "*" in text
        or text.startswith((":/", ":(", "../"))
    )


def broad(paths: Sequence[Word]) -> list[Word]:
    """The paths that name more than one file: a folder, a pattern, or several of them at once."""
    if len(paths) > 1:
        return list(paths)
    return [word for word in paths if is_tree(word) or _is_folder(word)]


def _is_folder(word: Word) -> bool:
    """True for a path that reads like a folder: its last part has no suffix."""
    last = word.raw.rsplit("/", 1)[-1]
    return word.certain and "." not in last and not _SUFFIXLESS.match(last)
