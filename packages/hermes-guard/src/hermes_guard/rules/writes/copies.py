"""Judges copies, moves and links on this machine."""

import posixpath
from collections.abc import Iterable, Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.common.critical_paths import FOLDERS
from hermes_guard.rules.common.file_tool_options import COPY, CP
from hermes_guard.rules.common.path_arguments import below, handed, renamed
from hermes_guard.rules.common.path_findings import BY_NAME, READ_IGNORED, SETTLED, judged, path_rules
from hermes_guard.rules.family import Context
from hermes_guard.rules.writes.findings import report_writes
from hermes_guard.rules.writes.rules import AGENT, FAMILY, LINK, OUTSIDE, STARTUP
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_LN = Spec(
    "b d F f i L n P r s S= t= T v h backup? directory force interactive logical no-dereference physical relative "
    "symbolic suffix= target-directory= no-target-directory verbose help version"
)
_SERVED = re.compile(
    r"/var/www\b|/srv/http\b|/usr/share/nginx|public_html\b|/htdocs\b|(?:^|/)(?:public|www|wwwroot)(?:/|\Z)"
)
_SEARCH_PATH = path_rules("search-path")
_DOTENV = path_rules("dotenv")
_EXAMPLE = re.compile(r"\b(?:example|sample|dist|template|default)s?\b")
#: Link targets through which protected files could be written unnoticed.
_LINKED = path_rules(
    "shadow accounts preload cron shell-startup ssh-write raw-disk kernel-memory sysrq hermes-config boot git-hook"
)
#: Programs that are usually called without a path, so that a planted one would run instead.
_TOOLS = (
    "git ls cat cd sudo su ssh scp sftp rsync bash sh zsh fish python python3 pip pip3 node npm npx yarn pnpm "
    "curl wget docker kubectl helm make gcc cc clang go cargo rustc java mvn gradle vim vi nano less more grep "
    "find sed awk tar gzip cp mv rm chmod chown ps kill top systemctl crontab gpg pass op aws gcloud az terraform "
    "ansible psql mysql redis-cli tmux screen man env which whoami id login passwd hermes claude codex code brew "
    "apt apt-get dnf yum open xdg-open date uname"
)
_KNOWN_TOOLS = frozenset(_TOOLS.split())


@FAMILY.judges("cp", "gcp", "mv", "gmv", "install", "ginstall", "ditto", "pcp", "ucp")
def copies(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the destination: the last operand, unless an option names it."""
    program = (command.program or "").removeprefix("g")
    options = parse(command, COPY if program == "install" else CP)
    if options.helps:
        return
    if program == "install" and options.has("d", "directory"):
        yield from report_writes(options.operands, command, context, only=SETTLED)
        return
    sources, targets = destination(options, command, context)
    whole = options.has("T", "no-target-directory") or any(word.raw.endswith("/.") for word in sources)
    if whole and targets and not command.elsewhere and options.has("r", "R", "a", "recursive", "archive"):
        yield from filled_home(targets[0], command, context)
    own = _own_tools(sources, targets, command, context)
    if targets and _keeps_secrets(options, sources, targets[0], context):
        own |= _DOTENV
    yield from report_writes(targets[:1], command, context, config=True, ignore=own)
    yield from report_writes(targets[1:], command, context, ignore=BY_NAME | own)
    if program in {"cp", "mv"} and targets:
        yield from _published(sources, targets[0], command, context)
    if program == "mv":
        yield from report_writes(sources, command, context, ignore=BY_NAME | _SEARCH_PATH, raw=False)
        yield from holding_agent(sources, command, context)
    elif options.has("l", "link", "s", "symbolic-link"):
        yield from _linked(sources, command, context)


def holding_agent(words: Iterable[Word], command: Command, context: Context) -> Iterator[Finding]:
    """Ask about moving or mounting a directory that contains the agent's home."""
    for word in words:
        path = command.path(word)
        if path is not None and not command.contained and context.paths.holds_agent(path, home=context.home):
            yield AGENT.found(command, path=path, why="the agent's home is in it")
            return


def _keeps_secrets(options: Options, sources: list[Word], target: Word, context: Context) -> bool:
    """Return True for a copy that overwrites no secrets: to a new file, or beside the original."""
    if options.has("n", "no-clobber") or str(options.value("update") or "").startswith("none"):
        return True
    if len(sources) != 1 or ".env" not in target.raw:
        return False
    return target.raw.startswith((f"{sources[0].raw}.", f"{sources[0].raw}~")) or (
        bool(_EXAMPLE.search(sources[0].raw))
        and any(
            other.program in {"[", "test"} and any(word.raw == target.raw for word in other.args)
            for other in context.commands[:100]
        )
    )


def filled_home(target: Word, command: Command, context: Context) -> Iterator[Finding]:
    """Yield True when another directory's content, including hidden files, is copied to the home."""
    if command.path(target) == context.home:
        yield STARTUP.found(command, path=context.home, why="its hidden files start with every shell")
    else:
        yield from holding_agent([target], command, context)


def _published(sources: list[Word], target: Word, command: Command, context: Context) -> Iterator[Finding]:
    """Ask about secrets that are copied to where a web server serves them."""
    if not _SERVED.search(target.raw):
        return
    for word in sources:
        for path, _ in judged("read", word, command, context, ignore=READ_IGNORED - {"path.dotenv"}):
            yield OUTSIDE.found(command, path=f"{path} to {target.text}", why="everyone can download it there")


def _own_tools(sources: list[Word], targets: list[Word], command: Command, context: Context) -> frozenset[str]:
    """Return the search path for a user's own tool in the home, unless it shadows another; empty otherwise."""
    if not targets or (command.wrappers and handed(targets[0], command)):
        return frozenset()
    path = command.path(targets[0]) or ""
    names = {posixpath.basename(word.raw.rstrip("/")) for word in [*sources, targets[0]]}
    return _SEARCH_PATH if path.startswith(f"{context.home}/") and not names & _KNOWN_TOOLS else frozenset()


def destination(options: Options, command: Command, context: Context) -> tuple[list[Word], list[Word]]:
    """Return the sources and the targets: the destination first, then the names below it when it is a directory."""
    operands = options.operands
    folder = options.value("t", "target-directory")
    if folder is None:
        if len(operands) < 2:
            if operands and command.wrapped_by("xargs", "find", "parallel", "fd"):
                return [], [operands[-1]]
            return operands, []
        sources, folder = operands[:-1], operands[-1]
        if not is_folder(folder, command, context) and len(sources) == 1:
            return sources, [folder]
    else:
        sources = operands
    names = [posixpath.basename(word.raw.rstrip("/")) for word in sources]
    return sources, [folder, *(below(folder, name) for name in names if name not in {"", ".", ".."})]


def is_folder(word: Word, command: Command, context: Context) -> bool:
    """Return True when a word certainly names a directory."""
    raw = word.raw
    if raw.endswith(("/", "/.")) or raw in {".", ".."}:
        return True
    path = command.path(word)
    return path is not None and (path == context.home or path in FOLDERS)


@FAMILY.judges("ln", "gln", "link")
def links(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a link with a protected name, or to a protected location."""
    options = parse(command, _LN)
    if options.helps or not options.operands:
        return
    sources, targets = destination(options, command, context)
    if not targets:
        sources = options.operands
        targets = [renamed(posixpath.basename(word.raw.rstrip("/")), word) for word in sources]
    ignore = BY_NAME | _own_tools(sources, targets, command, context)
    yield from report_writes(targets, command, context, ignore=ignore, raw=False)
    yield from _linked(sources, command, context)


def _linked(sources: Iterable[Word], command: Command, context: Context) -> Iterator[Finding]:
    """Judge protected locations under another name."""
    for word in sources:
        for path, _ in judged("write", word, command, context, only=_LINKED):
            yield LINK.found(command, path=path)
            return
        for path, _ in judged("read", word, command, context, ignore=READ_IGNORED | BY_NAME):
            yield LINK.found(command, path=path)
            return


_CMAKE_WRITES = frozenset(
    {"copy", "copy_if_different", "copy_if_newer", "copy_directory", "copy_directory_if_different", "rename", "touch"}
)


@FAMILY.judges("cmake")
def cmake(command: Command, context: Context) -> Iterator[Finding]:
    """Judge `cmake -E`, which copies, moves and links on every system."""
    texts = [word.raw for word in command.args[:2]]
    if texts[:1] != ["-E"] or len(command.args) < 3:
        return
    if texts[1] in {"create_symlink", "create_hardlink"}:
        yield from report_writes(command.args[-1:], command, context, raw=False)
    elif texts[1] in _CMAKE_WRITES:
        yield from report_writes(command.args[2:] if texts[1] == "touch" else command.args[-1:], command, context)
