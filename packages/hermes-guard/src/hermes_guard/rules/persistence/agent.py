"""The agent itself: orders to it, its process, and the session in which it lives."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse_words
from hermes_guard.rules.family import Context
from hermes_guard.rules.kills import plain
from hermes_guard.rules.persistence.table import (
    FAMILY,
    SELF_KILL,
    SELF_RULES,
    SELF_STOP,
)
from hermes_guard.shell.command import Command
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
#: Verbs that change nothing of these.
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
_RUNNERS = ("python", "python3", "uv", "uvx", "pipx", "poetry")


@FAMILY.judges("hermes", "hermes-agent", "hermes-gateway", "hermes-cli", "cli.py", *_RUNNERS)
def hermes(command: Command, _: Context) -> Iterator[Finding]:
    """Orders to the agent about itself."""
    program = command.program or ""
    words = _after_runner(command.args) if program in _RUNNERS else command.args
    if words is None:
        return
    options = parse_words(words, _HERMES)
    texts = {word.raw for word in words}
    if options.has("help", "version", "h") or "--help" in texts:
        return
    if options.has("yolo") or "--yolo" in texts:
        yield SELF_RULES.found(command, path="--yolo")
    name, verb = options.subcommand(), options.subcommand(1)
    line = " ".join(word.text for word in options.operands)[:80]
    if name == "gateway" or program == "hermes-gateway" or "--gateway" in texts:
        if _ends_gateway(verb if name == "gateway" else name, options, command):
            yield SELF_STOP.found(command, path=line or program)
    elif name in _REPLACING:
        if not {"--check", "--dry-run"} & {word.raw for word in options.operands[1:]}:
            yield SELF_STOP.found(command, path=line)
    elif name in _GUARDED and verb and not verb.startswith("-") and verb not in _READING:
        yield SELF_RULES.found(command, path=line)


def _ends_gateway(order: str, options: Options, command: Command) -> bool:
    hidden = command.background or command.wrapped_by(*_HIDING)
    return (
        order in _ENDING
        or (order in {"run", "", "start"} and hidden)
        or any(word.raw == "--replace" for word in options.operands[1:])
    )


_MODULE = re.compile(r"(?:hermes_(?:cli|core|agent)(?:\.\w+)*|gateway\.run|hermes)\Z")


def _after_runner(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The words after the agent's own name when a runner starts it, else None."""
    before = ""
    for number, word in enumerate(words[:8]):
        raw, name = word.raw, word.raw.rsplit("/", 1)[-1]
        after = words[number + 1 :]
        if raw == "-c":
            return None
        if name in {"hermes", "hermes-agent"} and (number == 0 or before in {"run", "x", "tool"} or "/" in raw):
            return after
        if before == "-m" and _MODULE.match(raw):
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
    """The agent's process, by its name or by a search for it."""
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
    """The session or job in which the agent lives."""
    texts = [word.raw for word in command.args]
    if not _ENDS.isdisjoint(texts) and any("hermes" in text.lower() for text in texts):
        yield SELF_STOP.found(command, path=" ".join(texts)[:80])
