"""Websites that must not be fetched, from the settings and from shared files."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock

from hermes_net.errors import Refusal
from hermes_net.hosts import parent_domains, parse_host

_MAX_FILE = 64 * 1024 * 1024
"""The largest public lists have a few million lines."""

_PLAIN = re.compile(r"(?:[a-z0-9_-]{1,63}\.)+[a-z]{2,63}")
_Stamp = tuple[int, int, int]
_COMMENTS = ("!", ";", "//")
"""Comment markers of other programs; `#` starts a comment anywhere."""
_OWN_NAMES = frozenset({"localhost.localdomain", "0.0.0.0"})  # noqa: S104 - not a bind address
"""Names of the local machine in hosts files are not rules; neither are names without a dot."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """Rules by host, with their source."""

    exact: dict[str, str] = field(default_factory=dict)
    below: dict[str, str] = field(default_factory=dict)

    def add(self, rule: str, source: str) -> None:
        if _PLAIN.fullmatch(rule):  # the common case
            self.exact.setdefault(rule.removeprefix("www."), source)
            return
        host = rule.strip().lower().partition("://")[2] or rule.strip().lower()
        host = host.partition("/")[0].partition("?")[0].rpartition("@")[2].strip("|^").removeprefix(".")
        wild = host.startswith("*.")
        name = _name(host.removeprefix("*.").removeprefix("www."))
        if wild:
            self.below.setdefault(name, source)
        else:
            self.exact.setdefault(name, source)

    def match(self, host: str) -> tuple[str, str] | None:
        """Return the matching rule and its source."""
        for ending in parent_domains(host) if ":" not in host else [host]:
            if ending in self.exact:
                return ending, self.exact[ending]
            if ending != host and ending in self.below:
                return f"*.{ending}", self.below[ending]
        return None


class WebsiteBlocklist:
    """Websites that are never fetched: `example.org` blocks the domain and everything below it, `*.example.org` only
    what is below it.

    A file has one domain per line, or the format of a hosts file, with comments after `#`. It is read again when it has
    changed. While a file cannot be read, nothing is fetched: a missing list must not allow what it blocked.

    Args:
        domains: The rules.
        files: Files with rules.
    """

    def __init__(self, domains: Iterable[str] = (), files: Iterable[Path | str] = ()) -> None:
        self.domains = tuple(domains)
        self.files = tuple(Path(file).expanduser() for file in files)
        self._own = _Rules()
        for domain in self.domains:
            self._own.add(domain, "the settings")
        self._read: dict[Path, tuple[_Stamp, _Rules]] = {}
        self._lock = Lock()

    def require_allowed(self, host: str) -> None:
        """Require that no rule matches a normalized host.

        Raises:
            Refusal: a rule matches, or a file cannot be read.
        """
        for rules in (self._own, *map(self._rules_of, self.files)):
            found = rules.match(host)
            if found:
                raise Refusal("blocked_site", f"{host} is blocked by the rule {found[0]!r} of {found[1]}.")

    def _rules_of(self, file: Path) -> _Rules:
        with self._lock:
            try:
                facts = file.stat()
                stamp = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
                known = self._read.get(file)
                if known is None or known[0] != stamp:
                    known = self._read[file] = (stamp, _rules_in(_text_of(file, facts), str(file)))
            except OSError as error:
                raise Refusal("blocklist", f"The block list {file} cannot be read: {error.strerror}.") from None
            except ValueError as error:
                raise Refusal("blocklist", f"The block list {file} cannot be read: it {error}.") from None
            return known[1]


def _text_of(file: Path, facts: os.stat_result) -> str:
    """Return the text of a file.

    Raises:
        ValueError: it is not a regular text file.
    """
    if not stat.S_ISREG(facts.st_mode):
        raise ValueError("is not a file")
    with file.open("rb") as opened:
        data = opened.read(_MAX_FILE + 1)
    if len(data) > _MAX_FILE:
        raise ValueError("is too large")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data:
        raise ValueError("is not a text")
    return data.decode("utf-8", errors="replace").removeprefix("\ufeff")


def _rules_in(text: str, source: str) -> _Rules:
    rules = _Rules()
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words or words[0].startswith(_COMMENTS):
            continue
        if len(words) > 1 and _is_address(words[0]):
            words = [word for word in words[1:] if "." in word and word not in _OWN_NAMES]
        for word in words:
            rules.add(word, source)
    return rules


@lru_cache(maxsize=8)
def _is_address(word: str) -> bool:
    """Return whether a line starts with an address, as in a hosts file; few distinct ones occur."""
    try:
        return ":" in word or bool(parse_host(word)[1])
    except Refusal:
        return False


def _name(host: str) -> str:
    """Normalize the host of a rule, without its port; an invalid host matches nothing."""
    try:
        return parse_host(host)[0]
    except Refusal:
        pass
    try:
        return parse_host(host.rpartition(":")[0])[0]
    except Refusal:
        return host
