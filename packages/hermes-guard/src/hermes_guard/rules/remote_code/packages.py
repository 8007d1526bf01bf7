"""Judges packages that are installed from a URL instead of an index."""

from collections.abc import Iterable, Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.packages.sources import is_known
from hermes_guard.rules.remote_code.rules import ADDRESS, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_URL = re.compile(
    r"(?:[\w.+-]+\s*@\s*)?(?:https?|ftp|git|git\+\w+|ssh|git\+ssh|hg\+\w+|svn\+\w+)://|git@|github:|gitlab:|"
    r"bitbucket:|gist:|git\+"
)
_LOCAL = re.compile(r"https?://(?:localhost|127\.|\[::1\])")


def address(words: Iterable[Word]) -> str:
    """Return the first of these words that is a remote URL, or an empty string."""
    return next((word.raw[:80] for word in words if _URL.match(word.raw) and not _LOCAL.match(word.raw)), "")


def _found(command: Command, words: Iterable[Word], also: re.Pattern[str] | None = None) -> Iterator[Finding]:
    words = list(words)
    where = address(words)
    if not where and also is not None:
        where = next((word.raw for word in words if also.match(word.raw)), "")
    if where:
        yield ADDRESS.found(command, path=where)


_PIP = Spec(
    "r= requirement= c= constraint= e= editable= t= target= i= index-url= extra-index-url= f= find-links= "
    "trusted-host= proxy= prefix= root= src= "
    "python-version= platform= no-binary= only-binary= progress-bar= cache-dir= upgrade-strategy= U upgrade user q v "
    "pre no-deps python= p= index= "
    "default-index= with= with-requirements= with-editable= from= spec= group= extra= n= name= git= url= "
    "break-system-packages"
)
#: The same for programs whose arguments follow.
_RUN = Spec(
    " ".join(f"{name}{kind}" for name, kind in _PIP.kinds.items()) + " m= module= project= directory=", posix=True
)
_PIP_INSTALLS = names("install add inject upgrade sync with")


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
    "mamba",
    "easy_install",
    "pipenv",
    "rye",
    "hatch",
    "pixi",
)
def python_packages(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about Python packages from a URL."""
    program, words = command.program or "", command.args
    if program in {"python", "python3", "py"}:
        texts = [word.raw for word in words[:2]]
        if texts not in (["-m", "pip"], ["-m", "pipx"], ["-m", "uv"]):
            return
        program, words = texts[1], words[2:]
    if program == "uvx" or _runs(program, words):
        options = parse_words(words, _RUN)
        while program != "uvx" and options.operands and options.operands[0].raw in {"tool", "run"}:
            last = options.operands[0].raw == "run"
            options = parse_words(options.operands[1:], _RUN)
            if last:
                break
        named = options.operands[:1]
        if program not in {"uv", "uvx", "pipx"}:
            return
    else:
        options = parse_words(words, _PIP)
        if program != "easy_install" and _PIP_INSTALLS.isdisjoint(word.raw for word in options.operands[:3]):
            return
        named = options.operands
    if not options.helps and not options.has("dry-run"):
        wanted = (
            "e", "editable", "from", "spec", "with", "with-editable", "with-requirements", "r", "requirement", "git",
        )  # fmt: skip
        yield from _found(command, [*named, *options.values(*wanted)])
        if program not in {"pip", "pip3", "easy_install"}:
            # Those of pip are judged by the rules for packages.
            yield from _strange(command, options.values(*_INDEXES))


_INDEXES = ("i", "index-url", "extra-index-url", "index", "default-index", "f", "find-links")


def _strange(command: Command, indexes: Iterable[Word]) -> Iterator[Finding]:
    """Ask about an unknown index."""
    for word in indexes:
        if _URL.match(word.raw) and not is_known(word.raw):
            yield ADDRESS.found(command, path=word.text[:80])
            return


def _runs(program: str, words: Sequence[Word]) -> bool:
    """Return True when these words name a program to run, and its own arguments follow."""
    orders = [word.raw for word in words if not word.raw.startswith("-")][:2]
    return orders[:1] == ["run"] or (program == "uv" and orders == ["tool", "run"])


_NPM = Spec(
    "p= package= c= call= registry= prefix= C= dir= cwd= F= filter= w= workspace= cache= userconfig= loglevel= tag= "
    "omit= include= config= y yes g global D save-dev"
)
_NPX = Spec(" ".join(f"{name}{kind}" for name, kind in _NPM.kinds.items()), posix=True)
_NPM_RUNS = names("exec dlx x create init")
_NPM_INSTALLS = names("install i add in isntall global link")
#: A GitHub repository in npm's short form. Directories start with a dot, or with a name that is not a user.
_SHORTHAND = re.compile(
    r"(?!(?:apps?|packages?|libs?|src|dist|build|tools?|services?|modules?|vendor|node_modules)/)"
    r"[A-Za-z0-9][\w-]{0,38}/[A-Za-z0-9][\w.-]{0,100}(?:#\S{1,100})?\Z"
)


@FAMILY.judges("npx", "npm", "pnpm", "yarn", "bun", "bunx", "pnpx")
def javascript_packages(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about JavaScript packages from a URL."""
    options = parse(command, _NPX)
    if command.program not in {"npx", "bunx", "pnpx"}:
        orders = [word.raw for word in command.args if not word.raw.startswith("-")][:2]
        verb = next((order for order in orders if order in _NPM_INSTALLS or order in _NPM_RUNS), "")
        if not verb or orders[0] in {"run", "run-script", "test", "start"}:
            return
        if verb in _NPM_INSTALLS:
            yield from _installed_by_npm(command)
            return
        # A package that is run receives `--help` itself.
        rest = command.args[next(at for at, word in enumerate(command.args) if word.raw == verb) + 1 :]
        options = parse_words([word for word in rest if word.raw != "--"][:8], _NPX)
    named = [*options.operands[:1], *options.values("p", "package")]
    yield from _found(command, named, _SHORTHAND)


def _installed_by_npm(command: Command) -> Iterator[Finding]:
    options = parse(command, _NPM)
    if not options.helps and not options.has("dry-run", "h"):
        yield from _found(command, [*options.operands, *options.values("p", "package")], _SHORTHAND)


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
    """Ask about system packages and scripts from a URL."""
    if _ASKS.isdisjoint(word.raw for word in command.args):
        yield from _found(command, [word for word in command.args if not word.raw.startswith("-")])
