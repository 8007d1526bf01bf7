"""Which folders commands in a sandbox get into: root without its capabilities is one user among others."""

from __future__ import annotations

import os
import stat

_ACL = "system.posix_acl_access"


class Reach:
    """Remembers which folders can be entered, for the length of one look at the machine."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {"/": True}
        self._groups = {os.getegid(), *os.getgroups()}

    def enters(self, folder: str) -> bool:
        """Whether this user gets into a folder by its own rights. In doubt it does.

        Anybody but root can only see what it gets to, so there is nothing to find out.
        """
        if os.geteuid() != 0:
            return True
        known = self._known.get(folder)
        if known is None:
            known = self._known[folder] = self.enters(os.path.dirname(folder)) and self._opens(folder)
        return known

    def _opens(self, folder: str) -> bool:
        try:
            found = os.stat(folder)
        except OSError:
            return True
        if found.st_uid == 0:
            return True  # it may open what is its own
        needed = stat.S_IXGRP if found.st_gid in self._groups else stat.S_IXOTH
        return bool(found.st_mode & needed) or _has_list(folder)


def _has_list(folder: str) -> bool:
    """Whether the folder says more about who may enter than its mode does."""
    try:
        return bool(os.getxattr(folder, _ACL))
    except OSError:
        return False
