"""Read and edit the YAML and `.env` files that people write, and write state files atomically, under locks.

`yaml_document` and `yaml_edit` keep comments, `dotenv` is for `.env`, `text_file` rewrites any of them, and `atomic`
writes and locks files. Problems with a file raise `FileError`, which names the line. `regular_files` reads files that
others may have replaced, `directory_checks` checks directories, `installed_packages` finds packages and entry points,
`extras` checks requirements of distributions, and `access_order` decides which accesses may overlap.
"""

from __future__ import annotations

__version__ = "1.0.0"

__all__ = ["FileError"]


class FileError(Exception):
    """Raised when a file cannot be read, understood or changed.

    Attributes:
        reason: What is wrong, as a sentence without the place.
        file: The file.
        line: The line, counted from 1.
        column: The column, counted from 1.
        key: The entry, as `key_of` writes it.
        example: A valid value.
    """

    def __init__(
        self,
        reason: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        key: str | None = None,
        example: str | None = None,
    ) -> None:
        self.reason = reason
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.example = example
        super().__init__(reason)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return ": ".join(part for part in (place, self.key, self.reason) if part)
