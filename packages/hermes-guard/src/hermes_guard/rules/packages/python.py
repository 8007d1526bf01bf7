"""Judges Python package managers."""

from collections.abc import Iterator

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.packages.rules import FAMILY, PUBLISH, REMOVE, SOURCE
from hermes_guard.rules.packages.sources import is_address, is_known, strange
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_PIP = Spec(
    "r= requirement= c= constraint= e= editable= t= target= i= index-url= extra-index-url= pypi-url= f= "
    "find-links= trusted-host= python= p= prefix= root= U upgrade y yes q v user pre no-deps no-cache-dir "
    "no-index break-system-packages proxy= cert= timeout= report= dry-run force-reinstall no-binary= "
    "only-binary= no-build-isolation config-settings= global-option= log= isolated require-virtualenv "
    "default-index= index= index-strategy= system d= dest= help version"
)
_INDEX_OPTIONS = ("i", "index-url", "extra-index-url", "pypi-url", "default-index", "index")


@FAMILY.judges("pip", "pip3", "pip2", "easy_install", *(f"pip3.{minor}" for minor in range(6, 16)))
def pip(command: Command, _: Context) -> Iterator[Finding]:
    """Allow installs from the usual index."""
    options = parse(command, _PIP)
    if options.helps or options.has("dry-run", "h"):
        return
    verb = options.subcommand()
    if verb == "uninstall":
        yield REMOVE.found(command, path=_names(options) or "what a file names")
    elif verb == "config":
        yield from _config(command, options)
    elif verb in {"install", "download", "wheel", "sync", "add"} or command.program == "easy_install":
        yield from _install(command, options)


def _config(command: Command, options: Options) -> Iterator[Finding]:
    """Ask about a persistent change of the index."""
    words = options.operands[3:]
    if options.subcommand(1) == "set" and "index-url" in options.subcommand(2) and words and not is_known(words[0].raw):
        yield SOURCE.found(command, path=words[0].text)


def _install(command: Command, options: Options) -> Iterator[Finding]:
    if options.has("break-system-packages"):
        yield SOURCE.found(command, path="--break-system-packages")
    named = [*options.operands[1:], *options.values("f", "find-links", "r", "requirement")]
    yield from strange(command, [*options.values(*_INDEX_OPTIONS), *filter(is_address, named)])
    for word in options.values("trusted-host"):
        if not is_known(f"http://{word.raw}"):
            yield SOURCE.found(command, path=word.text)


@FAMILY.judges("pipenv")
def pipenv(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about removing a project's environment, or everything in it."""
    options = parse(command, _PIP)
    if options.helps or options.has("dry-run", "h"):
        return
    texts = {word.raw for word in command.args}
    if "--rm" in texts or (options.subcommand() == "uninstall" and texts & {"--all", "--all-dev"}):
        yield REMOVE.found(command, path=_names(options) or "the environment")


def _names(options: Options) -> str:
    return " ".join(word.text for word in options.operands[1:6])[:100]


_CONDA = Spec("n= name= p= prefix= y yes all dry-run d c= channel= q quiet help version json")


@FAMILY.judges("conda", "mamba", "micromamba")
def conda(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about removing environments or packages in them."""
    options = parse(command, _CONDA)
    if options.helps or options.has("dry-run", "d"):
        return
    verb = options.subcommand()
    if verb in {"remove", "uninstall"} or (verb == "env" and options.subcommand(1) == "remove"):
        environment = options.value("n", "name", "p", "prefix")
        yield REMOVE.found(command, path=_names(options) or str(environment or ""))


@FAMILY.judges("python", "python3", "python2", "py", "pypy3", "pypy", *(f"python3.{minor}" for minor in range(6, 16)))
def setup(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about `setup.py upload`, which publishes. What `python -m` runs is judged under its own name."""
    texts = [word.raw for word in command.args]
    while texts and texts[0] in _PYTHON_FLAGS:
        texts.pop(0)
    if not texts or texts[0].rsplit("/", 1)[-1] != "setup.py":
        return
    rest = set(texts[1:])
    if rest & {"upload", "register"} and not rest & {"--help", "-n", "--dry-run"}:
        yield PUBLISH.found(command, path="setup.py upload")


_PYTHON_FLAGS = frozenset({"-u", "-B", "-E", "-I", "-s", "-S", "-O", "-OO", "-v", "-P", "-q"})
