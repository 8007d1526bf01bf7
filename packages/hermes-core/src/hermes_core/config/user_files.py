"""Reads the files that users write, and reports what is wrong with one as a `ConfigError`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hermes_core.errors import ConfigError
from hermes_files import FileError, dotenv, yaml_document
from hermes_files.yaml_document import Document


@contextmanager
def config_errors() -> Iterator[None]:
    """Raise a `ConfigError` in place of each `FileError`. Also works as a decorator."""
    try:
        yield
    except FileError as error:
        raise ConfigError(**vars(error)) from error


@config_errors()
def read_document(file: Path) -> Document:
    """Read a YAML file; the document is empty when the file does not exist.

    Raises:
        ConfigError: the file cannot be read, is not YAML, holds no settings, or has a key twice.
    """
    return yaml_document.read_document(file)


@config_errors()
def read_dotenv(file: Path) -> dict[str, str]:
    """Read the variables in `.env`, and log a warning when other users may read it.

    Raises:
        ConfigError: the file cannot be read, or a line is no assignment.
    """
    variables = dotenv.load_dotenv(file)
    if dotenv.others_may_read(file):
        from hermes_core.logs import log  # `logging` takes time to import

        log.warning("%s: other users may read it; run: chmod 600 %s", file, file)
    return variables
