"""Judges signals sent to every process."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.rules.family import Context
from hermes_guard.rules.hardline.file_listings import upstream
from hermes_guard.rules.hardline.rules import FAMILY, KILL
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_PKILL = Spec(
    "u= U= g= G= P= s= t= F= r= signal= euid= uid= group= pgroup= parent= session= terminal= pidfile= ns= nslist= "
    "f x n o v i c e a l w L d= full exact newest oldest inverse ignore-case count echo list-name list-full",
    numeric=True,
)
_KILLALL = Spec(
    "u= signal= n= o= y= Z= g e I i q r v w V l user= exact ignore-case interactive quiet regexp verbose wait "
    "older-than= younger-than= process-group",
    numeric=True,
)
_NAMED_SIGNAL = re.compile(r"-(?:SIG)?[A-Z]{2}[A-Z0-9]*\Z")
_FUSER = Spec(
    "a c f i k l m M n= s u v w 4 6 V all interactive kill mount= ismountpoint namespace= silent", numeric=True
)
_SIGNAL = re.compile(r"-(?:\d+|(?:SIG)?[A-Z][A-Z0-9+-]*)$", re.IGNORECASE)
#: A character class that includes the lower-case letters, or excludes only some characters.
_BROAD = r"(?:\.|\\[wS]|\[\^[^\]]+\]|\[[^\]]*(?:a-z|\[:(?:alpha|alnum|lower|graph|print):\])[^\]]*\])"
#: Patterns without a required character. They are unambiguous, so matching takes linear time.
_ANYTHING = re.compile(rf"\^*(?:{_BROAD}(?:[*+?]|\{{[01]?,\}})?|(?:[^].\[\\*+?^$|(){{}}]|\\[^wS])[*?])*\$?\Z")
_UNBOUNDED = re.compile(r"(?:[.\]]|\\[wS])(?:[*+]|\{[01]?,)")
_OPTIONAL = re.compile(r"\([^()]*\)[*?]")
#: Options that select by user.
_USERS = ("u", "U", "euid", "uid", "user")
#: No process name is longer.
_LONGEST_PATTERN = 64
_MAX_SIGNS = 4


#: The pid -1, as a shell reads numbers.
_EVERYONE = re.compile(r"\s*-0*1\s*\Z")


@FAMILY.judges("kill")
def kill(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse the pid -1, which means every process."""
    texts = [word.raw for word in command.args]
    if texts == ["-1"]:
        yield KILL.found(command, path="-1")
        return
    if texts and (texts[0] in {"-l", "-L", "--list", "--help", "-0"} or texts[:2] in (["-s", "0"], ["-n", "0"])):
        # The signal 0 only tests for existence.
        return
    if texts and texts[0] in {"-s", "-n", "--signal"}:
        texts = texts[2:]
    elif (texts and texts[0].startswith("--signal")) or (texts and _SIGNAL.match(texts[0])):
        texts = texts[1:]
    if any(_EVERYONE.match(text) for text in texts):
        yield KILL.found(command, path="-1")
        return
    everyone = any(
        _every_process(word.commands) or ((word.glob or command.loop) and _EVERY_PID.match(word.raw))
        for word in command.args
    )
    if command.stdin is not None and (command.wrapped_by("xargs", "parallel") or _looped(command)):
        everyone = everyone or _every_process(command.stdin.commands)
    elif not everyone and _looped(command) and len(context.commands) < 8:
        # Only the list of processes is left to loop over.
        everyone = _every_process(tuple(other for other in context.commands if other is not command))
    if everyone:
        yield KILL.found(command, path="every process")


def _looped(command: Command) -> bool:
    return command.loop and any(word.raw == HOLE for word in command.args)


#: Patterns for all process directories in /proc.
_EVERY_PID = re.compile(r"(?:/proc/)?(?:\[[01]-9\]\*|\*)\Z")
_PASS_ON = frozenset(
    ["awk", "cut", "tail", "tr", "sed", "sort", "cat", "xargs", "kill", "sudo", "echo", "basename", "read"]
)
#: Filters that keep every number.
_NUMBERS = re.compile(r"[\^(\\]*\[(?:0-9|\[:digit:\])\][*+\\){}1,$]*\Z|\^?\\d[*+]?\$?\Z")


def _every_process(last: tuple[Command, ...]) -> bool:
    commands = upstream(last)
    return any(_lists_all(command) for command in commands) and all(
        _lists_all(command) or _passes_all(command) for command in commands
    )


def _lists_all(command: Command) -> bool:
    texts = [word.raw for word in command.args]
    if command.program == "ps":
        return bool(texts and re.search(r"[aAe]", texts[0])) and not {"-C", "-u", "-U", "-p", "--user"} & set(texts)
    if command.program == "ls":
        return any(command.path(word) == "/proc" or "/proc/[0-9]" in word.raw for word in command.args)
    if command.program == "seq":
        # Every possible process id.
        return any(len(text) > 3 and text.isdecimal() for text in texts)
    return command.program == "pgrep" and bool(texts) and _fits_all(command)


def _fits_all(command: Command) -> bool:
    """Return True for a pattern that matches every process, or that excludes some."""
    words = [word for word in command.args if not _NAMED_SIGNAL.match(word.raw)]
    killall = command.program == "killall"
    options = parse_words(words, _KILLALL if killall else _PKILL)
    if options.has("0") or str(options.value("signal", *("s" if killall else "")) or "") == "0":
        return False  # only tests for existence
    if options.has("v", "inverse") and not killall:
        return True
    # To a user, all of their processes are everything.
    return (
        bool(options.operands)
        and _fits(options.operands[-1].literal, whole=options.has("x", "exact") and not killall)
        and not options.has("P", "t", "g", "G", "s", "n", "o", "parent", "terminal", "group", "session", "ns")
        and not (command.program == "pgrep" and options.has(*_USERS))
    )


def _fits(pattern: str | None, *, whole: bool) -> bool:
    """Return True when a pattern matches every name. With `whole` it must match the full name."""
    if pattern is None or len(pattern) > _LONGEST_PATTERN:
        return False
    bare = _OPTIONAL.sub("", pattern).replace("(", "").replace(")", "")
    return pattern == "*" or any(_fits_one(one, whole) for one in bare.split("|"))


def _fits_one(pattern: str, whole: bool) -> bool:
    if not _ANYTHING.match(pattern):
        return False
    if whole or (pattern[:1] == "^" and pattern[-1:] == "$"):
        return bool(_UNBOUNDED.search(pattern))
    return len(re.findall(_BROAD, pattern)) <= _MAX_SIGNS


def _passes_all(command: Command) -> bool:
    if command.program in {"grep", "egrep"}:
        return any(_NUMBERS.match(word.raw) for word in command.args)
    if command.program in {"awk", "sed"}:
        return not re.search(r"/[^/]+/|==|~", " ".join(command.texts[1:]))
    return command.program in _PASS_ON


@FAMILY.judges("killall5", "pkill", "killall")
def pkill(command: Command, _: Context) -> Iterator[Finding]:
    """Refuse a pattern that matches every process."""
    texts = [word.raw for word in command.args]
    if "--help" in texts or "-l" in texts or "-V" in texts:
        return
    if command.program == "killall5":
        yield KILL.found(command, path="all")
    elif (command.program == "pkill" or "-r" in texts or "--regexp" in texts) and _fits_all(command):
        yield KILL.found(command, path=command.args[-1].text)


@FAMILY.judges("fuser")
def fuser(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse ending whatever uses the root or the home, which is every process."""
    options = parse(command, _FUSER)
    if not options.has("k", "kill") or options.has("i", "interactive") or not options.has("m", "c", "M", "mount"):
        return
    words = [*options.operands, *options.values("m", "mount")]
    if any(command.path(word) in {"/", "/home", "/usr", context.home} for word in words):
        yield KILL.found(command, path=words[-1].text)
