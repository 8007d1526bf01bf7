"""Judges commands that affect the agent itself: its settings, its process, and its session."""

from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse_words
from hermes_guard.rules.common.agent_names import LIMITS, MARK, VARIABLE
from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.rules import (
    FAMILY,
    SELF_KILL,
    SELF_RULES,
    SELF_STOP,
)
from hermes_guard.rules.process_kills import plain
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_HERMES = Spec(
    "p= profile= home= config= m= model= q= query= yolo v verbose json help version "
    "h c= r= continue? resume= toolsets= t= dev",
    posix=True,
)
_GUARDED = frozenset(
    [
        *("approvals", "config", "plugin", "plugins", "lock", "policy", "mcp", "skills", "skill", "cron", "hooks"),
        *("auth", "tools", "guard", "webhook", "pairing", "secrets", "profile", "memory"),
    ]
)
#: Options that change something without a verb.
_CHANGING = frozenset({"lock", "setup"})
_LOOKING = frozenset({"--list", "--dry-run"})
#: Verbs of these that change nothing.
_READING = frozenset(
    [
        *("list", "ls", "show", "status", "get", "path", "check", "explain", "backtest", "stats", "tail", "pending"),
        *("export", "prove", "diff", "help", "search", "view", "info", "describe", "validate", "logs", "test"),
        *("inspect", "new", "manifest", "deny", "cat", "print", "why", "run", "start", "doctor", "browse"),
    ]
)
_HIDING = ("nohup", "setsid", "tmux", "screen", "systemd-run", "daemonize", "start-stop-daemon")
_ENDING = frozenset({"stop", "restart", "uninstall", "kill", "install", "replace"})
_REPLACING = frozenset({"update", "uninstall", "upgrade", "reset", "restore"})
_RUNNERS = ("python", "python3", *(f"python3.{minor}" for minor in range(11, 17)), "uv", "uvx", "pipx", "poetry")


@FAMILY.judges("hermes", "hermes-agent", "hermes-gateway", "hermes-cli", "cli.py", *_RUNNERS)
def hermes(command: Command, _: Context) -> Iterator[Finding]:
    """Judge commands of the agent about itself."""
    program = command.program or ""
    words = _after_runner(command.args) if program in _RUNNERS else command.args
    if words is None:
        return
    options = parse_words(words, _HERMES)
    texts = {word.raw for word in words}
    if options.has("help", "version", "h") or "--help" in texts:
        return
    for word in ("--yolo", "--yes"):
        if word in texts:
            yield SELF_RULES.found(command, path=word)
    if program.startswith("python") and _IMPORTED.search(" ".join(word.raw for word in command.args[:8])):
        yield SELF_RULES.found(command, path="python -m hermes_core")
    hidden = next((each for each in map(_hiding, command.wrappers) if each), "")
    hidden = hidden or next((each for each in command.assignments if each.startswith("PYTHON")), "")
    if hidden:
        yield SELF_RULES.found(command, path=f"{hidden} {program}")
    name, verb = options.subcommand(), options.subcommand(1)
    line = " ".join(word.text for word in options.operands)[:80]
    if name == "gateway" or program == "hermes-gateway" or "--gateway" in texts:
        if _ends_gateway(verb if name == "gateway" else name, options, command):
            yield SELF_STOP.found(command, path=line or program)
    elif name in _REPLACING:
        if not {"--check", "--dry-run"} & {word.raw for word in options.operands[1:]}:
            yield SELF_STOP.found(command, path=line)
    elif _changes(name, verb, texts):
        yield SELF_RULES.found(command, path=line)


def _changes(name: str, verb: str, texts: set[str]) -> bool:
    """Return True when a command changes what the agent may do."""
    if name == "undo":
        return not texts & _LOOKING
    if not verb or verb.startswith("-"):
        return name in _CHANGING
    return name in _GUARDED and verb not in _READING


#: The same module under another program name.
_IMPORTED = re.compile(r"(?:\A|\s)-[A-Za-z]*m\s?hermes_core\b")


def _hiding(wrapper: Wrapper) -> str:
    """Return an `env` that clears the whole environment."""
    words = wrapper.argv[1:] if wrapper.program == "env" else ()
    return next((f"env {word}" for word in words if _EMPTY.match(word)), "")


_EMPTY = re.compile(r"-\Z|-[A-Za-z0]*i[A-Za-z0]*\Z|--ignore-e")


@FAMILY.judges("*")
def unmarked(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a wrapper that removes the marker of the agent's processes."""
    for wrapper in command.wrappers:
        words = wrapper.argv[1:]
        if wrapper.program == "env" and any(MARK in word for word in words):
            yield SELF_RULES.found(command, path=f"env {MARK}")
        elif wrapper.program == "prlimit" and _sets_limit(words):
            yield SELF_RULES.found(command, path="prlimit")


_TAKING = {
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), frozenset({"-n", "+x"})),
    **dict.fromkeys(("unset", "unsetenv", "read", "mapfile", "readarray"), None),
    "printf": frozenset({"-v"}),
}


@FAMILY.judges(*_TAKING)
def unset(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a shell command that removes or replaces the marker."""
    needed = _TAKING[command.program or ""]
    if (needed is None or any(word.raw in needed for word in command.args)) and any(
        VARIABLE.match(word.raw) for word in command.args
    ):
        yield SELF_RULES.found(command, path=" ".join(command.texts)[:80])


@FAMILY.judges("prlimit", "ulimit", "limit", "unlimit")
def limits(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about changing limits that the agent's processes inherit."""
    words = [word.raw for word in command.args]
    if command.program == "prlimit":
        sets = _sets_limit(words)
    else:
        letters = "".join(word[1:] for word in words if word.startswith("-"))
        sets = bool(set(letters) & set("Rmx")) and any(not word.startswith("-") for word in words)
    if sets:
        yield SELF_RULES.found(command, path=" ".join(command.texts)[:80])


def _sets_limit(words: Sequence[str]) -> bool:
    """Return True when `prlimit` sets one of these limits."""
    long = {word[2:].partition("=")[0] for word in words if word.startswith("--") and "=" in word}
    short = {word[1] for word in words if word[:1] == "-" and word[1:2].isalpha() and (len(word) > 2)}
    return bool(LIMITS & long) or bool(short & set("ymx"))


def _ends_gateway(order: str, options: Options, command: Command) -> bool:
    hidden = command.background or command.wrapped_by(*_HIDING)
    return (
        order in _ENDING
        or (order in {"run", "", "start"} and hidden)
        or any(word.raw == "--replace" for word in options.operands[1:])
    )


_MODULE = re.compile(r"(?:hermes_(?:cli|core|agent)(?:\.\w+)*|gateway\.run|hermes)\Z")


def _after_runner(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """Return the words after the agent's name when a runner starts it, otherwise None."""
    before = ""
    for number, word in enumerate(words[:8]):
        raw, name = word.raw, word.raw.rsplit("/", 1)[-1]
        after = words[number + 1 :]
        if raw == "-c":
            return None
        if name in {"hermes", "hermes-agent"} and (number == 0 or before in {"run", "x", "tool"} or "/" in raw):
            return after
        if before[:1] == "-" and before[-1] == "m" and before[:2] != "--" and _MODULE.match(raw):
            return after
        if raw.startswith("-m") and _MODULE.match(raw[2:]):
            return after
        if name == "cli.py" and any(word.raw in {"--gateway", "gateway"} for word in after):
            return after
        before = raw
    return None


_SELF = re.compile(r"hermes|gateway|cli\.py", re.IGNORECASE)
_LISTING = frozenset({"-l", "-L", "-0", "--list", "-V", "--version", "--help"})
_FINDERS = frozenset({"pgrep", "pidof", "cat", "ps", "grep", "head", "awk", "lsof"})


@FAMILY.judges("pkill", "killall", "kill", "skill", "fuser", "killall5")
def kill(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about killing the agent's process, by its name or by a search for it."""
    texts = [word.raw for word in command.args]
    if not _LISTING.isdisjoint(texts):
        return
    if command.program in {"pkill", "killall"}:
        name = next((text for text in texts if _SELF.search(plain(text))), "")
        if name:
            yield SELF_KILL.found(command, path=name)
        return
    sources = [inner for word in command.args for inner in word.commands]
    if command.wrapped_by("xargs", "parallel") and command.stdin is not None:
        sources += command.stdin.commands
    for source in sources:
        if source.program in _FINDERS and any(_SELF.search(plain(word.raw)) for word in source.args):
            yield SELF_KILL.found(command, path=" ".join(source.texts)[:80])
            return


_ENDS = frozenset(
    [
        *("kill-session", "kill-server", "kill-window", "kill-pane", "quit", "kill", "stop", "restart"),
        *("unload", "bootout", "remove", "kickstart"),
    ]
)


@FAMILY.judges("tmux", "screen", "launchctl", "supervisorctl")
def sessions(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about ending the session or job in which the agent runs."""
    texts = [word.raw for word in command.args]
    if not _ENDS.isdisjoint(texts) and any("hermes" in text.lower() for text in texts):
        yield SELF_STOP.found(command, path=" ".join(texts)[:80])
