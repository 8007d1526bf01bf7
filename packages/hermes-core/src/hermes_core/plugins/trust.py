"""The project directories that the user trusts, with the digests of their files."""

from __future__ import annotations

import json
import os
from pathlib import Path

from hermes_core.config.tool_session import refuse_inside
from hermes_core.errors import ConfigError
from hermes_files.atomic import MOVED, file_lock, newer_format, rename_aside, write_atomic

FILE = "trusted-plugins.json"
FORMAT = 1  # later formats store their number under the key `version`; this one has none
Folders = dict[str, dict[str, str]]
"""The files of each trusted directory, with their digests."""


class Trust:
    """The user's list of trusted files, by directory, with the digest of each."""

    def __init__(self, home: str | os.PathLike[str]) -> None:
        self.file = Path(home) / FILE

    def folders(self) -> Folders:
        """Return the trusted directories like `read`, but rename a damaged list: then nothing is trusted."""
        try:
            return self.read()
        except ValueError as error:
            try:
                from hermes_core.logs import log  # `logging` takes time to import

                log.warning(MOVED, self.file, error, rename_aside(self.file))
            except OSError as why:
                reason = f"is damaged ({error}) and cannot be moved aside ({why.strerror}). Remove it, and trust again."
                raise ConfigError(reason, file=str(self.file)) from error
            return {}

    def read(self) -> Folders:
        """Return the trusted directories. Raises `ConfigError` or, for a damaged list, `ValueError`."""
        try:
            data = json.loads(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConfigError(f"cannot be read ({error.strerror or error}).", file=str(self.file)) from error
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        if isinstance(data, dict) and (newer := newer_format(data.get("version"), FORMAT)):
            raise ConfigError(f"{newer}. Upgrade hermes-core, or move the file away.", file=str(self.file))
        if not isinstance(data, dict) or not all(
            isinstance(files, dict) and all(isinstance(digest, str) for digest in files.values())
            for files in data.values()
        ):
            raise ValueError("it is not a list of trusted folders")
        return data

    def refuse(self, folder: str, file: str, source: bytes) -> tuple[str, str] | None:
        """Explain why a file of a project must not run, and what to do; None if it may."""
        try:
            trusted = self.folders().get(os.path.realpath(folder))
        except ConfigError as error:
            return str(error), "Until then no project plugin is loaded."
        known = (trusted or {}).get(os.path.basename(file))
        if known == digest_of(source):
            return None
        if trusted is None:
            reason = "the project's directory .hermes/plugins is not trusted."
        else:
            reason = f"it {'came' if known is None else 'changed'} after the project's directory was trusted."
        return reason, "Review it, then run 'hermes plugins trust'."

    def add(self, folder: str, files: dict[str, bytes]) -> None:
        """Trust a directory with the current contents of these files. Raises like `remove`."""
        self._change(folder, {os.path.basename(file): digest_of(source) for file, source in files.items()})

    def remove(self, folder: str) -> bool:
        """Stop trusting a directory; return False if it was not trusted. Raises `ConfigError` or `OSError`."""
        return self._change(folder, None)

    def _change(self, folder: str, digests: dict[str, str] | None) -> bool:
        refuse_inside("Trust in plugins cannot be changed")
        key = os.path.realpath(folder)
        with file_lock(self.file):
            folders = self.folders()
            before = folders.pop(key, None)
            if digests is not None:
                folders[key] = digests
            if folders.get(key) != before:
                text = json.dumps(folders, indent=2, sort_keys=True) + "\n"
                write_atomic(self.file, text.encode())
        return before is not None


def digest_of(source: bytes) -> str:
    """Return the digest of a file's contents."""
    from hashlib import sha256

    return f"sha256:{sha256(source).hexdigest()}"
