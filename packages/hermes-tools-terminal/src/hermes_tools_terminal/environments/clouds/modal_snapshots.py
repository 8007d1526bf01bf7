"""Remembers which picture of a task's files Modal has, so that the task's next sandbox begins with them."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import secrets
from collections.abc import Iterator

_PREFIX = "direct:"
_log = logging.getLogger("hermes.terminal")


class Snapshots:
    """The pictures by task, in `modal_snapshots.json`.

    Args:
        home: `$HERMES_HOME`.
    """

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, "modal_snapshots.json")

    def of(self, task: str) -> str | None:
        """The name of a task's picture; None when there is none."""
        return self._read().get(_PREFIX + task)

    def put(self, task: str, image: str | None) -> None:
        """Take note of a task's picture, or forget it. Others may do the same at the same time."""
        with self._alone():
            known = self._read(repair=True)
            if image is None:
                known.pop(_PREFIX + task, None)
            else:
                known[_PREFIX + task] = image
            beside = os.path.join(os.path.dirname(self._path), f".hermes-{os.getpid()}-{secrets.token_hex(8)}.tmp")
            try:
                with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                    json.dump(known, file, indent=2, sort_keys=True)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(beside, self._path)
            except BaseException as error:
                with contextlib.suppress(OSError):
                    os.unlink(beside)
                if isinstance(error, OSError) and error.filename is None:
                    error.filename = self._path
                raise

    def _read(self, *, repair: bool = False) -> dict[str, str]:
        """What is known. A file that cannot be read counts as none: sandboxes start from their image then.

        Args:
            repair: Whether a damaged file is moved aside, because a new one is about to be written.
        """
        try:
            with open(self._path, encoding="utf-8") as file:
                known = json.load(file)
        except OSError:
            return {}
        except (ValueError, RecursionError):
            known = None
        if not isinstance(known, dict):
            if repair:
                os.replace(self._path, f"{self._path}.broken")
                _log.warning("%s is damaged. It was moved to %s.broken.", self._path, self._path)
            return {}
        return {str(task): image for task, image in known.items() if isinstance(image, str)}

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        handle = os.open(f"{self._path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
