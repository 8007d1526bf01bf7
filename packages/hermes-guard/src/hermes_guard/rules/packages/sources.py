"""Where packages come from: indexes that people know, and all others."""

from collections.abc import Iterable, Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.packages.table import SOURCE
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_KNOWN_HOST = re.compile(
    r"(?:[\w.-]+\.)?(?:pypi\.org|pythonhosted\.org|pytorch\.org|pypi\.nvidia\.com|nvidia\.com"
    r"|github\.com|githubusercontent\.com|gitlab\.com|bitbucket\.org|huggingface\.co|storage\.googleapis\.com"
    r"|npmjs\.org|npmjs\.com|yarnpkg\.com|jsr\.io|npm\.pkg\.github\.com|npmmirror\.com|tsinghua\.edu\.cn|aliyun\.com"
    r"|ustc\.edu\.cn|amazonaws\.com|pkg\.dev|azure\.com|visualstudio\.com|jetbrains\.com|anaconda\.org|anaconda\.com"
    r"|conda\.io|pypi\.python\.org|rubygems\.org|crates\.io|localhost|127\.0\.0\.1|verdaccio|nexus[\w.-]*"
    r"|artifactory[\w.-]*|graphcore\.ai|jax\.dev|openmmlab\.com|data\.pyg\.org|wheels\.[\w.-]+|esm\.sh|deno\.land"
    r"|cloudsmith\.io|jfrog\.io|codeload\.github\.com)(?::\d{1,5})?\Z"
)
_ADDRESS = re.compile(r"https?://([^/#?]*)")
#: No host has a longer name, and so the pattern never works on more.
_LONGEST_HOST = 260


def is_address(word: Word) -> bool:
    """True for an address of the web."""
    return _ADDRESS.match(word.raw) is not None


def is_known(address: str) -> bool:
    """True for the address of an index that people know."""
    match = _ADDRESS.match(address)
    host = match[1].rpartition("@")[2] if match else ""
    return len(host) <= _LONGEST_HOST and _KNOWN_HOST.match(host) is not None


def strange(command: Command, words: Iterable[Word]) -> Iterator[Finding]:
    """The first address among these words that is not of a known index."""
    for word in words:
        if word.certain and is_address(word) and not is_known(word.raw):
            yield SOURCE.found(command, path=word.text[:120])
            return
