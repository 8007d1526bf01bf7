"""Websites that the user does not want to be fetched, from the settings and from files shared among machines."""

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
from hermes_net.hosts import read_host
from hermes_net.names import endings

_MAX_FILE = 64 * 1024 * 1024
"""The largest lists that people share have a few million lines."""

_PLAIN = re.compile(r"(?:[a-z0-9_-]{1,63}\.)+[a-z]{2,63}")
_Stamp = tuple[int, int, int]
_COMMENTS = ("!", ";", "//")
"""How lines begin that other programs take for comments; `#` begins one anywhere."""
_OWN_NAMES = frozenset({"localhost.localdomain", "0.0.0.0"})  # noqa: S104 - nobody listens there
"""What hosts files say of this machine is no rule; names without a dot are not either."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """Rules by the host that they are about, and where each stands."""

    exact: dict[str, str] = field(default_factory=dict)
    below: dict[str, str] = field(default_factory=dict)

    def add(self, rule: str, source: str) -> None:
        if _PLAIN.fullmatch(rule):  # what almost every line of a long list is
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
        """The rule that a host falls under, and its source."""
        for ending in endings(host) if ":" not in host else [host]:
            if ending in self.exact:
                return ending, self.exact[ending]
            if ending != host and ending in self.below:
                return f"*.{ending}", self.below[ending]
        return None


class WebsiteBlocklist:
    """Websites that are never fetched: a domain means itself and all below it, `*.example.org` only those below.

    A file has one domain a line, or an address and domains as a hosts file has, and comments behind `#`. It is read
    again when it has changed. While a file cannot be read, nothing is fetched: a list that is lost must not open what
    it closed.

    Args:
        domains: Rules.
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
        """Let a host through, in its one spelling, that no rule is about.

        Raises:
            Refusal: there is such a rule, or a file cannot be read.
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
    """The text of a file. One that is none could never have blocked anything, so it is an error.

    Raises:
        ValueError: it is no text, or no file that has an end.
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
    """Whether a line begins as those of a hosts file do, where the same few addresses stand again and again."""
    try:
        return ":" in word or bool(read_host(word)[1])
    except Refusal:
        return False


def _name(host: str) -> str:
    """A host of a rule in its one spelling, without its port; what is no host matches nothing."""
    try:
        return read_host(host)[0]
    except Refusal:
        pass
    try:
        return read_host(host.rpartition(":")[0])[0]
    except Refusal:
        return host
