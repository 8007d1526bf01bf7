"""Remembers which picture of a task's files Modal has, so that the task's next sandbox begins with them."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator

_PREFIX = "direct:"


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
            known = self._read()
            if image is None:
                known.pop(_PREFIX + task, None)
            else:
                known[_PREFIX + task] = image
            handle, beside = tempfile.mkstemp(dir=os.path.dirname(self._path), prefix=".modal_snapshots.")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(known, file, indent=2, sort_keys=True)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(beside, self._path)
            except BaseException:
                os.unlink(beside)
                raise

    def _read(self) -> dict[str, str]:
        """What is known. A file that cannot be read is as good as none: sandboxes begin with their image then."""
        try:
            with open(self._path, encoding="utf-8") as file:
                known = json.load(file)
        except (OSError, ValueError):
            return {}
        if not isinstance(known, dict):
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
