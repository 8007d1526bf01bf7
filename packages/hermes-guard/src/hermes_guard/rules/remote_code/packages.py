"""Packages straight from an address, and not from an index."""

import re
from collections.abc import Iterable, Iterator

from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.rules.family import Context
from hermes_guard.rules.remote_code.rules import ADDRESS, FAMILY
from hermes_guard.rules.words import names
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_URL = re.compile(
    r"(?:[\w.+-]+\s*@\s*)?(?:https?|ftp|git|git\+\w+|ssh|git\+ssh|hg\+\w+|svn\+\w+)://|git@|github:|gitlab:|"
    r"bitbucket:|gist:|git\+"
)
_LOCAL = re.compile(r"https?://(?:localhost|127\.|\[::1\])")


def address(words: Iterable[Word]) -> str:
    """The first of these words that is an address elsewhere, or an empty text."""
    return next((word.raw[:80] for word in words if _URL.match(word.raw) and not _LOCAL.match(word.raw)), "")


def _found(command: Command, words: Iterable[Word]) -> Iterator[Finding]:
    where = address(words)
    if where:
        yield ADDRESS.found(command, path=where)


_PIP = Spec(
    "r= requirement= c= constraint= e= editable= t= target= i= index-url= extra-index-url= f= find-links= "
    "trusted-host= proxy= prefix= root= src= "
    "python-version= platform= no-binary= only-binary= progress-bar= cache-dir= upgrade-strategy= U upgrade user q v "
    "pre no-deps python= p= index= "
    "default-index= with= from= spec= group= extra= n= name= break-system-packages"
)
_PIP_INSTALLS = names("install run runpip add inject upgrade tool with")


@FAMILY.judges(
    "pip",
    "pip3",
    "pipx",
    "uv",
    "uvx",
    "python",
    "python3",
    "py",
    "poetry",
    "pdm",
    "conda",
    "easy_install",
    "pipenv",
    "rye",
)
def python_packages(command: Command, _: Context) -> Iterator[Finding]:
    """Packages of Python."""
    program, words = command.program or "", command.args
    if program in {"python", "python3", "py"}:
        texts = [word.raw for word in words[:2]]
        if texts not in (["-m", "pip"], ["-m", "pipx"], ["-m", "uv"]):
            return
        program, words = texts[1], words[2:]
    options = parse_words(words, _PIP)
    if program not in {"uvx", "easy_install"} and _PIP_INSTALLS.isdisjoint(word.raw for word in options.operands[:3]):
        return
    if not options.helps and not options.has("dry-run"):
        named = options.values("e", "editable", "from", "spec", "with", "r", "requirement")
        yield from _found(command, [*options.operands, *named])


_NPM = Spec("p= package= c= call= registry= prefix= C= w= workspace= cache= userconfig= y yes g global D save-dev")
_NPM_RUNS = names("exec dlx x create init")
_NPM_INSTALLS = _NPM_RUNS | names("install i add in isntall")


@FAMILY.judges("npx", "npm", "pnpm", "yarn", "bun", "bunx", "pnpx")
def javascript_packages(command: Command, _: Context) -> Iterator[Finding]:
    """Packages of JavaScript."""
    options = parse(command, _NPM)
    if command.program in {"npx", "bunx", "pnpx"}:
        yield from _found(command, [*options.operands[:1], *options.values("p", "package")])
        return
    verbs = {word.raw for word in options.operands[:2]}
    if not verbs & _NPM_INSTALLS or (command.program == "bun" and "run" in verbs):
        return
    # Whoever runs a package passes `--help` on to it.
    if verbs & _NPM_RUNS or not (options.helps or options.has("dry-run", "h")):
        yield from _found(command, [*options.operands, *options.values("p", "package")])


_ASKS = names("--help --version -q -qp -qip -qpl remote-add info search show")


@FAMILY.judges(
    "rpm",
    "dnf",
    "yum",
    "zypper",
    "pacman",
    "apk",
    "flatpak",
    "snap",
    "apt",
    "apt-get",
    "jbang",
    "ansible-pull",
    "nix-env",
    "dotnet-script",
    "groovy",
    "installer",
    "opkg",
)
def system_packages(command: Command, _: Context) -> Iterator[Finding]:
    """Packages of the system, and scripts."""
    if _ASKS.isdisjoint(word.raw for word in command.args):
        yield from _found(command, [word for word in command.args if not word.raw.startswith("-")])
