"""Processes ended by force, by name or in numbers."""

import re
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

FAMILY = Family("kills")

FORCE = FAMILY.rule(
    "kill.by-name",
    "ends every process that fits a name or a user: {path}",
    effects=("processes",),
    match=(
        "pkill -9 python",
        "pkill -KILL -f server",
        "pkill --signal KILL x",
        "pkill --signal=9 x",
        "pkill -SIGKILL x",
        "killall node",
        "killall -9 node",
        "killall -s KILL x",
        "killall -r 'py.*'",
        "pkill -u alice",
        "pkill -f hermes",
        "pkill gateway",
        "skill -KILL -u bob",
        "pkill -s 9 x -9",
        "pkill -9f x",
        "killall --user bob",
        "pkill -t pts/1",
    ),
    not_match=(
        "pkill -f nginx",
        "pkill python",
        "killall -l",
        "killall -V",
        "pkill --help",
        "pgrep -f x",
        "echo killall x",
        "pkill -HUP nginx",
        "pkill -0 x",
    ),
)
MANY = FAMILY.rule(
    "kill.many",
    "ends processes that nobody has named: {path}",
    effects=("processes",),
    match=(
        "kill $(pgrep node)",
        "kill -9 $(lsof -t -i:3000)",
        "kill `pidof x`",
        "pgrep x | xargs kill",
        "ps aux | grep x | awk '{print $2}' | xargs kill -9",
        "kill -9 11 12 13 14",
        "fuser -k 80/tcp",
        "fuser -ik f",
        "kill -9 $(ps aux | grep x | awk '{print $2}')",
        "for p in $(pgrep x); do kill $p; done",
        "kill -9 $(jobs -p)",
        "pidof x | xargs sudo kill",
        "kill -9 -4242",
        "xkill",
        "npx kill-port 3000",
        "kill -9 $PIDS",
        "kill -- -4242",
        "kill -9 $(cat x.pid)",
    ),
    not_match=(
        "kill 12345",
        "kill -9 12345",
        "kill -HUP 1234",
        "kill %1",
        "kill $!",
        'kill "$PID"',
        "kill -l",
        "fuser -v 80/tcp",
        "kill -0 $(cat pid)",
        "kill $SERVER_PID",
        "kill $(cat app.pid)",
        "kill -- -$$",
        "kill $(lsof -t -i:3000)",
        "kill $(lsof -ti tcp:3000)",
        "trap 'kill $(jobs -p)' EXIT",
        "kill $(jobs -p)",
        "kill -USR1 $(pgrep -o nginx)",
    ),
)
VITAL = FAMILY.rule(
    "kill.vital",
    "signals the first process, the kernel's, or the whole group: {path}",
    effects=("processes",),
    match=("kill 1", "kill -9 1", "kill -TERM 1", "kill 0", "kill -9 0", "kill -s 9 0", "kill -9 $PPID"),
    not_match=("kill -1 4242", "trap 'kill 0' EXIT", "kill -0 1", "kill 12", "kill -l 1"),
)

#: What an agent itself needs to stay alive.
_OWN = re.compile(
    r"hermes|gateway|cli\.py|sshd|systemd|dockerd|init\b|Xorg|gnome-shell|login|launchd|kubelet|containerd",
    re.IGNORECASE,
)
_FORCE = frozenset({"9", "KILL", "SIGKILL", "kill", "sigkill", "Kill"})
_HARMLESS = frozenset(
    {
        "0",
        "HUP",
        "SIGHUP",
        "1",
        "USR1",
        "USR2",
        "SIGUSR1",
        "SIGUSR2",
        "CONT",
        "SIGCONT",
        "WINCH",
        "SIGWINCH",
        "18",
        "10",
        "12",
        "28",
    }
)
#: Signals that no program ends of by mistake.
_QUIET = _HARMLESS - {"HUP", "SIGHUP", "1"}
_SIGNAL = re.compile(r"-(?:\d{1,2}|(?:SIG)?[A-Z][A-Z0-9+-]*)\Z")
_PLURAL = re.compile(r"pids\b|\[[@*]\]", re.IGNORECASE)
_LISTERS = frozenset(
    [
        "pgrep",
        "pidof",
        "lsof",
        "ps",
        "fuser",
        "ss",
        "netstat",
        "jobs",
        "systemctl",
        "pstree",
        "top",
        "docker",
        "awk",
        "grep",
    ]
)


def _names(command: Command) -> str:
    return " ".join(word.text for word in command.args)[:80]


def _split(command: Command) -> tuple[str, list[Word]] | None:
    """The signal and the processes of a kill; None when it only lists."""
    words = list(command.args)
    signal = "TERM"
    pids: list[Word] = []
    index = 0
    while index < len(words):
        text = words[index].raw
        index += 1
        if text in {"-l", "-L", "--list", "--table", "--help", "--version", "-V"} or text.startswith(("-l", "--list=")):
            return None
        if text in {"-s", "-n", "--signal", "-q", "--queue", "--timeout"}:
            if text not in {"-q", "--queue", "--timeout"} and index < len(words):
                signal = words[index].raw
            index += 1 + (text == "--timeout")
        elif text.startswith("--signal="):
            signal = text[9:]
        elif text == "--":
            pids.extend(words[index:])
            break
        elif not pids and _SIGNAL.match(text) and index < len(words):
            signal = text[1:]
        elif text in {"-a", "--all", "-p", "--pid", "--verbose", "-v"}:
            continue
        else:
            pids.append(words[index - 1])
    return signal, pids


@FAMILY.judges("kill", "gkill")
def kill(command: Command, _: Context) -> Iterator[Finding]:
    """One process that somebody has named may be ended; more are asked about."""
    split = _split(command)
    if split is None:
        return
    signal, pids = split
    if signal == "0":
        return
    texts = [word.raw for word in pids]
    if texts == ["0"] and command.wrapped_by("trap") and signal not in _FORCE:
        return  # a script that ends its own children when it ends
    if any(text in {"0", "-0", "1", "+1", "01"} for text in texts) or any("PPID" in word.source for word in pids):
        yield VITAL.found(command, path=_names(command))
        return
    if command.wrapped_by("xargs", "parallel", "gxargs", "find", "fd"):
        if signal not in _HARMLESS:
            yield MANY.found(command, path=_names(command))
        return
    listed = any(_lists(word.commands) for word in pids)
    if listed and signal not in _FORCE and all(_own_jobs(word.commands) for word in pids):
        return
    groups = any(re.match(rf"-(?:\d\d|{HOLE})", text) for text in texts)
    looped = command.loop and any(not word.certain for word in pids)
    own = any("$$" in word.source for word in pids)
    if listed or (groups and not own) or (looped and not any("!" in word.source for word in pids)):
        if signal not in _HARMLESS or (listed and signal not in _QUIET):
            yield MANY.found(command, path=_names(command))
    elif len(pids) > 2 or (
        signal in _FORCE
        and (len(pids) > 1 or any(word.commands or _PLURAL.search(word.source) for word in pids if not word.certain))
    ):
        yield MANY.found(command, path=_names(command))


def _own_jobs(commands: tuple[Command, ...]) -> bool:
    """The shell's own jobs, and whoever holds one named port."""
    if len(commands) != 1:
        return False
    texts = [word.raw for word in commands[0].args]
    if commands[0].program == "jobs":
        return True
    ports = [text for text in texts if re.fullmatch(r"(?:-t?i)?(?:tcp|udp)?:\d+", text)]
    return commands[0].program == "lsof" and len(ports) == 1 and any(re.match(r"-[a-zA-Z]*t", text) for text in texts)


def _lists(commands: tuple[Command, ...]) -> bool:
    return any(command.program in _LISTERS for command in commands) and not all(
        command.program in {"cat", "head"} for command in commands
    )


_PKILL = Spec(
    "f x n o v i a c e l w O= u= U= g= G= P= s= t= F= L r= H A q= full exact newest oldest inverse ignore-case echo "
    "count older= euid= uid= group= pgroup= parent= "
    "session= terminal= pidfile= logpidfile signal= ns= nslist= runstates= ignore-ancestors cgroup= env= queue= help "
    "version V h",
    numeric=True,
)


@FAMILY.judges("pkill", "gpkill", "skill", "slay")
def pkill(command: Command, _: Context) -> Iterator[Finding]:
    """A name with the ordinary signal is fine; force, users and the agent's own processes are not."""
    words: list[Word] = []
    signal = "TERM"
    for word in command.args:
        found = re.match(r"-((?:SIG)?[A-Z][A-Z0-9]+|\d+)([a-z]*)\Z", word.raw)
        if found and (found.group(1).isdigit() or len(found.group(1)) > 2):
            signal = found.group(1)
            if found.group(2):
                words.append(Word(f"-{found.group(2)}", word.source, word.span))
        else:
            words.append(word)
    from hermes_guard.argv import parse_words

    options = parse_words(words, _PKILL)
    if options.helps or options.has("V", "h"):
        return
    given = options.value("signal")
    signal = given.raw if given is not None else signal
    if signal == "0":
        return
    target = options.operands[-1].raw if options.operands else ""
    broad = options.has(
        "u", "U", "euid", "uid", "t", "terminal", "g", "G", "group", "s", "session", "v", "inverse", "P", "parent"
    )
    if (
        (signal in _FORCE)
        or (broad and signal not in _HARMLESS)
        or (_OWN.search(target) and signal not in {"USR1", "USR2"})
        or command.program in {"skill", "slay"}
        or (options.operands and not options.operands[-1].certain and options.operands[-1].commands)
    ):
        yield FORCE.found(command, path=_names(command))


_KILLALL = Spec(
    "e I g i l q r s= u= v V w n= Z= y= o= exact ignore-case process-group interactive list quiet regexp signal= "
    "user= verbose version wait help ns= context= "
    "younger-than= older-than= d t= c= m",
    numeric=True,
)


@FAMILY.judges("killall", "gkillall")
def killall(command: Command, _: Context) -> Iterator[Finding]:
    """Every process of a name."""
    options = parse(command, _KILLALL)
    if options.helps or options.has("l", "list", "V"):
        return
    signal = options.value("s", "signal")
    if (signal is not None and signal.raw == "0") or options.has("0"):
        return
    yield FORCE.found(command, path=_names(command))


@FAMILY.judges("fuser")
def fuser(command: Command, _: Context) -> Iterator[Finding]:
    """fuser can end whoever uses a file or a port."""
    options = parse(command, Spec("a c f i I k l m M n= s u v w 4 6 kill signal= list help version", numeric=True))
    if options.has("k", "kill") or any(re.match(r"-[a-zA-Z]*k", word.raw) for word in command.args):
        yield MANY.found(command, path=_names(command))


@FAMILY.judges(
    "xkill", "kill-port", "fkill", "npx", "bunx", "wkill", "bkill", "scancel", "loginctl", "tmux", "screen", "crictl"
)
def others(command: Command, _: Context) -> Iterator[Finding]:
    """Other ways to end many processes or a session."""
    texts = [word.raw for word in command.args]
    program = command.program or ""
    if "--help" in texts or "--version" in texts or "-help" in texts:
        return
    words = [text for text in texts if not text.startswith("-")]
    hit = {
        "xkill": True,
        "kill-port": bool(words),
        "fkill": bool(words),
        "npx": bool(words) and words[0].split("@")[0] in {"kill-port", "fkill", "fkill-cli"},
        "bunx": bool(words) and words[0].split("@")[0] in {"kill-port", "fkill", "fkill-cli"},
        "wkill": True,
        "bkill": bool(words) and "0" in words,
        "scancel": "-u" in texts or any(text.startswith("--user") for text in texts),
        "loginctl": bool(words)
        and words[0] in {"kill-user", "terminate-user", "kill-session", "terminate-session", "terminate-seat"},
        "tmux": bool(words) and words[0] == "kill-server",
    }
    if hit.get(program):
        yield MANY.found(command, path=_names(command))
