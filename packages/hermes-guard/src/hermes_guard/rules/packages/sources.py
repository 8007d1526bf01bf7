"""Judges package sources: known and unknown indexes, and look-alike package names."""

from collections.abc import Iterable, Iterator

from hermes_guard import lazy_re as re
from hermes_guard.deceptive_text import mixed
from hermes_guard.rules.family import Context
from hermes_guard.rules.packages.rules import FAMILY, LOOKALIKE, SOURCE
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
#: No host has a longer name, and the limit keeps the pattern fast.
_LONGEST_HOST = 260


def is_address(word: Word) -> bool:
    """Return True for a URL."""
    return _ADDRESS.match(word.raw) is not None


def is_known(address: str) -> bool:
    """Return True for the URL of a well-known index."""
    match = _ADDRESS.match(address)
    host = match[1].rpartition("@")[2] if match else ""
    return len(host) <= _LONGEST_HOST and _KNOWN_HOST.match(host) is not None


def strange(command: Command, words: Iterable[Word]) -> Iterator[Finding]:
    """Yield the first URL among these words that is not a well-known index."""
    for word in words:
        if word.certain and is_address(word) and not is_known(word.raw):
            yield SOURCE.found(command, path=word.text[:120])
            return


_INSTALLERS = """
npm npx yarn pnpm bun bunx cnpm pip pip3 pipx uv uvx poetry pdm conda mamba micromamba pixi cargo gem bundle go composer
brew apt apt-get dnf yum apk pacman zypper snap flatpak nix-env choco winget scoop cpan cpanm luarocks dotnet nuget
deno jsr helm docker podman ollama code
"""
#: A part of a name between dots, dashes and other punctuation.
_LETTERS = re.compile(r"[^\W\d_]+")
#: The maximum number of words that are checked, and the maximum length of a name.
_LIMIT, _MAX_LENGTH = 64, 200


@FAMILY.judges(*_INSTALLERS.split())
def lookalikes(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a name that mixes letters of two scripts."""
    for word in command.args[:_LIMIT]:
        if word.raw.isascii() or " " in word.raw or len(word.raw) > _MAX_LENGTH:
            continue
        if any(mixed(name) for name in _LETTERS.findall(word.raw)):
            yield LOOKALIKE.found(command, path=word.text)
            return
