"""Hides passwords in commands: in options, in the environment, and in a pipe."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

__all__ = ["redact_commands", "redact_words"]

_MASK = "***"


class _Program(NamedTuple):
    """The options of a program that take passwords."""

    names: tuple[str, ...]
    apart: tuple[str, ...] = ()  # options whose password is the next word, or attached
    joined: tuple[str, ...] = ()  # options whose password is always attached
    pairs: tuple[str, ...] = ()  # options that take `name:password`
    starts: bool = False  # True when it starts another program, which may have options of the same names


_PROGRAMS = (
    _Program(
        names=("curl",),
        apart=("--oauth2-bearer", "--pass", "--proxy-pass", "--tlspassword"),
        pairs=("-u", "-U", "--user", "--proxy-user"),
    ),
    _Program(names=("http", "https", "xh"), pairs=("-a", "--auth")),
    _Program(names=("wget",), apart=("--password", "--http-password", "--ftp-password", "--proxy-password")),
    _Program(
        names=("mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck", "mariadb", "mariadb-dump"),
        joined=("-p", "--password"),
    ),
    _Program(names=("sshpass",), apart=("-p",), starts=True),
    _Program(names=("redis-cli",), apart=("-a", "--pass")),
    _Program(names=("mongo", "mongosh", "mongodump", "mongorestore"), apart=("-p", "--password")),
    _Program(names=("docker login", "podman login", "helm registry login"), apart=("-p", "--password")),
    _Program(names=("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami"), apart=("-w",)),
    _Program(names=("zip", "unzip"), apart=("-P", "--password")),
)
_BY_NAME = {name: program for program in _PROGRAMS for name in program.names}
_FIRST_WORDS = frozenset(name.partition(" ")[0] for name in _BY_NAME)
# A part of every name, such as mysql of mysqldump.
_SEARCHED = (
    *("curl", "docker", "helm", "http", "ldap", "mariadb", "mongo", "mysql", "podman", "redis-cli", "sshpass"),
    *("wget", "xh", "zip"),
)
_ANY_PAIRS = frozenset({"-u", "--user", "--proxy-user"})
_OTHER_PAIRS = frozenset({"docker", "podman", "rsync"})
"""Programs in which these options have another meaning."""

# The rest of a command, including quoted separators. The alternatives exclude each other, so matching is linear.
_QUOTED = r"\"[^\"\\]*+(?:\\[\s\S][^\"\\]*+)*\"|'[^']*+'"
_REST_OF_COMMAND = rf"(?:\\[\s\S]|{_QUOTED}|[^\n|;&\"'\\]++)*"
_VALUE = rf"(?P<value>{_QUOTED}|(?!-)[^\s\"'|;&]++)"
_ATTACHED = rf"(?P<value>{_QUOTED}|[^\s\"'|;&=][^\s\"'|;&]*+)"
_PLACEHOLDER = re.compile(r"[\"']?(?:\$|%[({A-Z]|\{\{|<|\*{3})")

# The variables from which programs take a password of any length.
_VARIABLES = r"(?P<head>\b(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH|SUDO_PASS(?:WORD)?)=)"
_VARIABLE_NAMES = ("PASSWORD=", "PASS=", "MYSQL_PWD=", "REDISCLI_AUTH=")
_LONG_OPTION = r"(?P<head>--(?<![\w-]--)(?:[a-z]{1,20}-)?(?:password|passwd|passphrase)=)"

# sudo with the option to read the password from its input, after other options.
_SUDO = (
    r"\bsudo(?:[ \t]{1,4}(?:-[ghpu][ \t]{1,4}[^\s|;&]{1,40}|-[a-zA-Z]{1,8}|--[a-z-]{1,20}(?:=[^\s|;&]{0,40})?)){0,6}?"
    r"[ \t]{1,4}(?:-[a-zA-Z]{0,8}?S[a-zA-Z]{0,8}|--stdin)\b"
)
# Limited to the length of a password, so that many "echo" cost little time.
_PIPED = (
    r"(?P<head>\b(?:echo|printf)[ \t]{1,4}"
    # A lookahead and its backreference: the options are never read as the beginning of the password.
    r"(?=(?P<options>(?:-[a-zA-Z]{1,3}[ \t]{1,4}){0,3}(?:['\"]?%s(?:\\n)?['\"]?[ \t]{1,4})?))(?P=options))"
    r"(?P<value>[^\n|;&]{1,200}?)"
    rf"(?P<tail>[ \t]{{0,4}}\|[ \t]{{0,4}}(?:{_SUDO}"
    r"|[^\n|;&]{0,120}?--password-stdin\b|(?:sudo[ \t]{1,4})?(?:passwd[ \t]{1,4}--stdin|chpasswd)\b))"
)
_PASSWORD_READERS = ("sudo", "-stdin", "chpasswd")
_HERE_STRING = (
    rf"(?P<head>{_SUDO}[^\n|;&<]{{0,120}}?<<<[ \t]{{0,4}})"
    r"(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"'|;&]{1,200})"
)


def redact_commands(text: str) -> str:
    """Hide the passwords in the commands of a text, but not values such as `-p 8080` and `-u name`."""
    if "=" in text:
        if any(name in text for name in _VARIABLE_NAMES):
            text = _compiled(_VARIABLES + _ATTACHED).sub(_mask, text)
        if "--" in text and "pass" in text:
            text = _compiled(_LONG_OPTION + _ATTACHED).sub(_mask, text)
    if "|" in text and any(word in text for word in _PASSWORD_READERS) and ("echo" in text or "printf" in text):
        text = _compiled(_PIPED).sub(_mask_piped, text)
    if "<" in text and "<<<" in text and "sudo" in text:
        text = _compiled(_HERE_STRING).sub(_mask, text)
    if "-" in text and " -" in text:
        for name in _SEARCHED:
            if name in text and _called(name).search(text):
                return _commands().sub(_mask_command, text)
    return text


@cache
def _called(name: str) -> re.Pattern[str]:
    """Return a pattern for a program with arguments; most texts only mention it."""
    return re.compile(rf"{re.escape(name)}[\w-]{{0,20}}+[ \t]", re.ASCII)


def redact_words(words: Sequence[str]) -> list[str]:
    """Hide the passwords in a command that is a list of words, or in a list of options."""
    program = _program_of(words)
    pairs = _ANY_PAIRS if words and words[0] not in _OTHER_PAIRS else frozenset()
    apart = program.apart if program else ()
    joined = (*apart, *program.joined) if program else ()
    found: list[str] = []
    before = ""
    for word in words:
        shown = word
        if before in apart and not _is_placeholder(word):
            shown = _MASK
        elif program and before in program.pairs:
            shown = _hide_in_pair(word, known=True)
        elif before in pairs:
            shown = _hide_in_pair(word, known=False)
        else:
            shown = _hide_attached(word, joined)
        found.append(shown)
        before = word
        if program and program.starts and shown != word:
            program, apart, joined = None, (), ()
    return found


# -- one command -----------------------------------------------------------------------------------------------------


@cache
def _commands() -> re.Pattern[str]:
    names = "|".join(re.escape(name).replace(r"\ ", r"[ \t]{1,4}") for name in sorted(_BY_NAME, key=len, reverse=True))
    return re.compile(rf"(?<![\w.-])(?P<program>{names})(?P<rest>[ \t]{_REST_OF_COMMAND})", re.ASCII)


def _mask_command(match: re.Match[str]) -> str:
    program = _BY_NAME[" ".join(match["program"].split())]
    rest = match["rest"]
    for pattern in _options(program):
        rest = pattern.sub(_mask, rest, count=1 if program.starts else 0)
    if program.pairs:
        rest = _pairs(program).sub(_mask_pair, rest)
    return match["program"] + rest


@cache
def _options(program: _Program) -> tuple[re.Pattern[str], ...]:
    """Return the patterns for the passwords of a program."""
    found = []
    if program.apart:
        head = rf"(?P<head>(?<=[ \t])(?:{_any_of(program.apart)})(?:[ \t]{{1,4}}|=|(?<=[ \t]-\w)))"
        found.append(re.compile(head + _VALUE, re.ASCII))
    if program.joined:
        head = rf"(?P<head>(?<=[ \t])(?:{_any_of(program.joined)})(?:=|(?<=[ \t]-\w)))"
        found.append(re.compile(head + _ATTACHED, re.ASCII))
    return tuple(found)


@cache
def _pairs(program: _Program) -> re.Pattern[str]:
    # Short options may be combined: -sSu name:password.
    short = "".join(option[1] for option in program.pairs if len(option) == 2)
    long = _any_of([option for option in program.pairs if len(option) > 2])
    head = rf"(?P<head>(?<=[ \t])(?:-[a-zA-Z]{{0,8}}?[{short}][ \t]{{0,4}}|(?:{long})(?:[ \t]{{1,4}}|=)))"
    return re.compile(head + _VALUE, re.ASCII)


def _any_of(options: Sequence[str]) -> str:
    return "|".join(re.escape(option) for option in sorted(options, key=len, reverse=True))


def _mask(match: re.Match[str]) -> str:
    value = match["value"]
    if not value or _is_placeholder(value):
        return match[0]
    quote = value[0] if value[0] in "\"'" else ""
    return f"{match['head']}{quote}{_MASK}{quote}"


def _mask_pair(match: re.Match[str]) -> str:
    value = match["value"]
    quote = value[0] if value[0] in "\"'" else ""
    inner = value[1:-1] if quote else value
    return f"{match['head']}{quote}{_hide_in_pair(inner, known=True)}{quote}"


def _mask_piped(match: re.Match[str]) -> str:
    value = match["value"].strip()
    return match[0] if _is_placeholder(value) else f"{match['head']}{_MASK}{match['tail']}"


def _is_placeholder(value: str) -> bool:
    """Return True for a variable, and for a mask."""
    return _PLACEHOLDER.match(value) is not None


# -- one word --------------------------------------------------------------------------------------------------------


def _program_of(words: Sequence[str]) -> _Program | None:
    for number, word in enumerate(words[:8]):  # after sudo, env and the like
        name = word.rpartition("/")[2]
        if name in _FIRST_WORDS:
            following = words[number + 1] if number + 1 < len(words) else ""
            return _BY_NAME.get(name) or _BY_NAME.get(f"{name} {following}")
    return None


def _hide_in_pair(word: str, *, known: bool) -> str:
    """Hide the password of `name:password`; `known` is True when the program takes such pairs."""
    name, colon, password = word.partition(":")
    if not colon or not password or _is_placeholder(password):
        return word
    if not known and (not name[:1].isalnum() or name.isdigit() or password.startswith("/")):
        return word  # a time, a user and group by number, or a remote path
    return f"{name}:{_MASK}"


def _hide_attached(word: str, options: Sequence[str]) -> str:
    for option in options:
        start = option if len(option) == 2 else f"{option}="
        if word.startswith(start) and len(word) > len(start) and not _is_placeholder(word[len(start) :]):
            return f"{start}{_MASK}"
    return word


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)
