"""Find the secrets on this machine, which a sandbox hides."""

from __future__ import annotations

import fnmatch
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

# Directories where possible: when a file is replaced by its owner, a mask over the old file does not cover the new
# one.
_AT_HOME = tuple(
    """
    .ssh .aws .gnupg .kube .docker .netrc .npmrc .yarnrc.yml .pypirc .git-credentials .config/git/credentials .azure
    .config/gcloud .config/gh .config/hub .config/op .config/containers .password-store .vault-token .terraform.d
    .terraformrc .pgpass .my.cnf .mozilla .thunderbird .config/google-chrome .config/chromium
    .config/BraveSoftware .config/microsoft-edge .config/vivaldi .config/opera .local/share/keyrings
    .local/share/kwalletd snap/firefox .var/app .cargo/credentials .cargo/credentials.toml .gem/credentials
    .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .bash_history .zsh_history .python_history
    .config/rclone .1password .colima .lima .rd .orbstack .local/share/containers .Xauthority .ICEauthority .env .claude
    .codex .gemini
    """.split()  # noqa: SIM905 - words are easier to read
)
_ON_THE_MACHINE = tuple(
    """
    /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private
    /etc/security/opasswd /etc/wireguard /etc/NetworkManager/system-connections /etc/kubernetes /etc/rancher
    /etc/krb5.keytab /var/lib/docker /var/lib/containerd /var/lib/containers /var/lib/kubelet /var/lib/rancher
    /var/lib/lxd /var/snap/lxd /var/lib/libvirt /var/spool/cron /var/backups /var/crash /var/lib/systemd/coredump
    """.split()  # noqa: SIM905 - words are easier to read
)
# The guard's rules about secrets at known paths. Other rules are about devices, or about names that projects use for
# their own files.
_RULES = frozenset(
    f"path.{name}"
    for name in (
        "system-secret", "mail", "ssh-key", "gpg", "cloud-credentials", "registry-credentials", "tool-credentials",
        "keyring", "browser", "wallet", "history", "core-dump", "agent-secret",
    )
)  # fmt: skip

# Directories that are hidden as a whole when they contain a secret: one mask instead of many.
_FOLDED = frozenset({"/etc/ssh", "/etc/docker", "/etc/security", "/var/cache/debconf"})

_NEEDED = ("skills", "bin", "node", "cache")
"""What commands use of `$HERMES_HOME`: scripts of skills, programs, downloaded files."""

_SETTLED_NANOSECONDS = 2_000_000_000
"""A directory changed just before it was listed may change again within one tick of the file system clock."""

_MAX_SEEN = 1_000
"""How many directory listings are cached for each node of the patterns."""

_NOT_HERE = ("/proc", "/sys", "/dev", "/run", "/var/run", "/tmp", "/var/tmp")  # noqa: S108 - not ours, and not used
"""Directories that a sandbox replaces by its own."""


def find_secret_paths(homes: Iterable[str], *, hidden: Iterable[str] = ()) -> frozenset[str]:
    """Return the existing secrets, by their real paths."""
    found: set[str] = set()
    for home in homes:
        found.update(_home_patterns().below(home))
        found.update(_existing(os.path.join(home, name) for name in _AT_HOME))
    found.update(_machine_patterns().below("/"))
    found.update(_existing(_ON_THE_MACHINE))
    found.update(_existing(os.path.expanduser(path) for path in hidden))
    reach = DirectoryAccess()
    own = {
        path
        for path in _without_links(found)
        if path != "/" and _readable(path) and reach.enters(os.path.dirname(path))
    }
    return frozenset(above if (above := os.path.dirname(path)) in _FOLDED else path for path in own)


def needed_paths(home: str) -> list[str]:
    """Return what commands may see of `$HERMES_HOME`."""
    return list(_existing(os.path.join(home, name) for name in _NEEDED))


def other_homes(own: Iterable[str]) -> list[str]:
    """Return the homes of other users."""
    own = list(own)
    homes = ["/root"]
    try:
        homes += [entry.path for entry in os.scandir("/home") if entry.is_dir(follow_symlinks=False)]
    except OSError:
        pass  # no such folder
    return [home for home in homes if not any(is_within(mine, (home,)) for mine in own) and _readable(home)]


def is_within(path: str, folders: Iterable[str]) -> bool:
    """Return whether a path is one of these directories, or is in one."""
    folders = folders if isinstance(folders, set | frozenset | tuple) else tuple(folders)
    while True:
        if path in folders:
            return True
        if path == "/" or not path:
            return False
        path = os.path.dirname(path)


class _Names:
    """Patterns as a tree of path components, so that each directory is listed and compared once."""

    __slots__ = ("_any", "_each", "_globs", "_known", "_last", "_seen")

    def __init__(self) -> None:
        self._last = False
        self._known: dict[str, _Names] = {}
        self._globs: dict[str, _Names] = {}
        self._any: re.Pattern[str] | None = None
        self._each: list[tuple[re.Pattern[str], _Names]] = []
        self._seen: dict[str, tuple[_Stamp, _Matches]] = {}

    def add(self, parts: Sequence[str]) -> None:
        """Add a pattern."""
        if not parts:
            self._last = True
            return
        table = self._globs if any(sign in parts[0] for sign in "*?[") else self._known
        table.setdefault(parts[0], _Names()).add(parts[1:])
        self._any = None

    def below(self, folder: str) -> Iterator[str]:
        """Yield the matching paths below a directory."""
        for path, nodes in self._matches(folder):
            if any(node._last for node in nodes):
                yield path
            else:
                for node in nodes:
                    yield from node.below(path)

    def _matches(self, folder: str) -> _Matches:
        """Return the matching names in a directory; cached while the directory does not change."""
        try:
            stamp = _stamp(folder)
            known = self._seen.get(folder)
            if known is not None and known[0] == stamp:
                return known[1]
            before = time.time_ns()
            names = os.listdir(folder)
        except OSError:
            return ()  # not a directory, or not accessible
        matches = tuple(self._matching(folder, names))
        if before - max(stamp[-2:]) > _SETTLED_NANOSECONDS:
            if len(self._seen) >= _MAX_SEEN:
                self._seen.clear()
            self._seen[folder] = stamp, matches
        return matches

    def _matching(self, folder: str, names: Iterable[str]) -> Iterator[tuple[str, tuple[_Names, ...]]]:
        if self._any is None:
            self._each = [(re.compile(fnmatch.translate(glob)), node) for glob, node in self._globs.items()]
            # Set last, because other threads take it as a sign that `_each` is complete.
            self._any = re.compile("|".join(map(fnmatch.translate, self._globs)) or r"(?!)")
        for name in names:
            lowered = name.lower()
            found = [self._known[lowered]] if lowered in self._known else []
            if self._any.match(lowered):
                found += [node for pattern, node in self._each if pattern.match(lowered)]
            if found:  # rarely, and a home contains many names
                yield os.path.join(folder, name), tuple(found)


_Stamp = tuple[int, int, int, int]
_Matches = Sequence[tuple[str, tuple[_Names, ...]]]


def _stamp(folder: str) -> _Stamp:
    """Return what changes when a directory gains or loses a name: its identity and two time stamps."""
    found = os.stat(folder)
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns


@cache
def _home_patterns() -> _Names:
    return _read_patterns("~/", "**/.")


@cache
def _machine_patterns() -> _Names:
    return _read_patterns("/")


def _read_patterns(*beginnings: str) -> _Names:
    from hermes_guard import PathPolicy

    names = _Names()
    for rule in PathPolicy().rules:
        if rule.id in _RULES and "read" in rule.ops:
            for pattern in rule.patterns:
                parts = _parts(pattern) if pattern.startswith(beginnings) else ()
                if parts and not is_within(pattern.removesuffix("/**"), _NOT_HERE):
                    names.add(parts)
    return names


def _parts(pattern: str) -> tuple[str, ...]:
    """Return the components of a pattern; none for one that would scan all directories, or hide all of one."""
    for beginning in ("~/", "**/", "/"):
        pattern = pattern.removeprefix(beginning)
    parts = tuple(pattern.removesuffix("/**").split("/"))
    return () if "**" in parts or parts == ("*",) else parts


def _without_links(paths: Iterable[str]) -> Iterator[str]:
    """Yield the real paths; each directory is resolved once."""
    folders: dict[str, str] = {}
    for path in paths:
        folder, name = os.path.split(path)
        if not name or name in (".", "..") or os.path.islink(path):
            yield os.path.realpath(path)
            continue
        if folder not in folders:
            folders[folder] = os.path.realpath(folder)
        yield os.path.join(folders[folder], name)


def _existing(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if os.path.lexists(path):
            yield path


def _readable(path: str) -> bool:
    """Return whether this user can read the path, or can make it readable as its owner."""
    try:
        found = os.stat(path)
    except OSError:
        return False
    if found.st_uid == os.geteuid():
        return True
    return os.access(path, os.R_OK) or (stat.S_ISDIR(found.st_mode) and os.access(path, os.X_OK))


_ACL = "system.posix_acl_access"


class DirectoryAccess:
    """Caches which directories can be entered, for one scan of the machine."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {"/": True}
        self._groups = {os.getegid(), *os.getgroups()}

    def enters(self, folder: str) -> bool:
        """Return whether this user can enter a directory by its own permissions; True in doubt.

        Only root has to ask: other users see only what they can enter.
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
            return True  # root may change its own directories
        needed = stat.S_IXGRP if found.st_gid in self._groups else stat.S_IXOTH
        return bool(found.st_mode & needed) or _has_list(folder)


def _has_list(folder: str) -> bool:
    """Return whether the directory has an access control list in addition to its mode."""
    try:
        return bool(os.getxattr(folder, _ACL))
    except OSError:
        return False
