"""Judges in-place edits."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.file_tool_options import SED
from hermes_guard.rules.common.path_arguments import piped_names, renamed
from hermes_guard.rules.common.path_findings import BY_NAME
from hermes_guard.rules.family import Context
from hermes_guard.rules.writes.findings import report_writes
from hermes_guard.rules.writes.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_SED_WRITE = re.compile(r"(?:^|[;{}\n]|\d|[/$,|#@!]\w{0,3})[ \t]*[wW][ \t]+([^\s;}]+)")

_PERL = Spec("e= E= i? n p a l? 0? F= I= M? m? w W c s S T t u U v V? x? C? d? D? f X h", posix=True)
_RUBY = Spec("e= i? n p a l 0? F= I= r= w W? c s S T? v x? C= d K? E= h verbose version help", posix=True)
#: The digits of `-0` and `-l` may come first: `-0777pi`.
_PACKED_EDIT = re.compile(r"-[0-7lanpws]*i")
_AWK = Spec("F= v= f= i= e= E= l= include= file= assign= field-separator= source= load=", posix=True)
_EDITORS = (
    "nano pico emacs micro joe mcedit sudoedit kate gedit helix hx jed ne vise crudini PlistBuddy "
    "dos2unix unix2dos rename ansible-vault"
)
_EDITOR = Spec("v view c= help version set del get merge eval= f= l= batch R")
_SUDO = Spec("e edit u= g= n A S H E b k i s p= h= C= user= group= prompt=", posix=True)
_IN_PLACE = Spec("i inplace in-place w write e= s= r p= n arg= help version L edit f=")
_VIM = Spec(
    "c= S= u= U= i= s w= W= T= t= q= e E n N R Z A b d D g h H l L M m o? O? p? r? v V? x X y C es Es cmd= "
    "servername= remote clean noplugin not-a-term help version headless startuptime= remote-send= remote-expr= "
    "listen= embed api-info"
)
_VIM_WRITE = re.compile(
    r"(?:^|\||:)[ \t]*(?:silent!?[ \t]+)?(?:w|write|sav|saveas|up|update|wq|x)!?[ \t]+(?!!)([^\s|]+)"
)
_VIM_SHELL = re.compile(
    r"(?:^|\||:)[ \t]*(?:silent!?[ \t]+)?(?:%|\d*r[ \t]*|w[ \t]+|ter(?:minal)?[ \t]*)?!(.+)\Z", re.DOTALL
)


@FAMILY.judges("sed", "gsed", "ssed")
def sed(command: Command, context: Context) -> Iterator[Finding]:
    """Judge in-place edits, and the files that a sed script writes."""
    options = parse(command, SED)
    if options.helps:
        return
    scripts = options.values("e", "expression")
    files = options.operands
    if not scripts and not options.has("f", "file"):
        if files and files[0].raw == "":
            files = files[1:]
        scripts, files = files[:1], files[1:]
    if options.has("i", "I", "in-place"):
        yield from _edited(files, command, context)
    for script in scripts:
        if "w" in script.raw or "W" in script.raw:
            names = _SED_WRITE.findall(script.raw)
            yield from report_writes([renamed(name, script) for name in names[:8]], command, context)


def _edited(files: list[Word], command: Command, context: Context) -> Iterator[Finding]:
    near = [word for word in files if word.raw[:1] != "/"]
    yield from report_writes(near, command, context, config=True)
    yield from report_writes([word for word in files if word.raw[:1] == "/"], command, context)
    if command.wrapped_by("xargs"):
        yield from report_writes(piped_names(command), command, context)


@FAMILY.judges("perl", "ruby")
def one_liners(command: Command, context: Context) -> Iterator[Finding]:
    """Judge in-place edits by Perl and Ruby."""
    options = parse(command, _PERL if command.program == "perl" else _RUBY)
    if options.has("i") or any(_PACKED_EDIT.match(word.raw) for word in command.args):
        files = options.operands if options.has("e", "E") else options.operands[1:]
        yield from _edited(files, command, context)


@FAMILY.judges("awk", "gawk", "mawk", "nawk")
def awk(command: Command, context: Context) -> Iterator[Finding]:
    """Judge in-place edits by gawk."""
    options = parse(command, _AWK)
    if any(word.raw.startswith("inplace") for word in options.values("i", "include")):
        files = options.operands if options.has("f", "file", "e", "source") else options.operands[1:]
        yield from _edited(files, command, context)


@FAMILY.judges("vi", "vim", "nvim", "ex", "gvim", "elvis", "nvi", "vim.basic", "vim.tiny", "rvim")
def vim(command: Command, context: Context) -> Iterator[Finding]:
    """Judge editors, which write the files they open and run commands."""
    options = parse(command, _VIM)
    if options.helps:
        return
    if not options.has("R", "M"):
        files = [word for word in options.operands if not word.raw.startswith("+")]
        yield from report_writes(files, command, context, ignore=BY_NAME, raw=False)
    orders = options.values("c", "cmd") + [word.tail(1) for word in options.operands if word.raw.startswith("+")]
    for order in orders:
        names = _VIM_WRITE.findall(order.raw)
        yield from report_writes([renamed(name, order) for name in names[:8]], command, context)
        shell = _VIM_SHELL.search(order.raw)
        if shell is not None:
            yield from context.judge_code(shell.group(1), command)


@FAMILY.judges(*_EDITORS.split())
def editors(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that edit their operands."""
    options = parse(command, _EDITOR)
    if options.helps or options.has("v", "view", "R") or (command.program == "crudini" and options.has("get")):
        return
    yield from report_writes(options.operands, command, context, ignore=BY_NAME, raw=False)


_PLUTIL = Spec(
    "p lint help s r convert= insert= replace= remove= create= extract= type= raw o= e= bool= integer= float= string= "
    "date= data= xml= json= array dictionary append expect= n",
    single=True,
)


@FAMILY.judges("plutil")
def plutil(command: Command, context: Context) -> Iterator[Finding]:
    """Judge property lists of macOS, which are changed in place unless another output is named."""
    options = parse(command, _PLUTIL)
    output = options.value("o")
    if output is not None and output.raw != "-":
        yield from report_writes([output], command, context, raw=False)
    elif output is None and options.has("convert", "insert", "replace", "remove", "create"):
        yield from report_writes(options.operands, command, context, ignore=BY_NAME, raw=False)


#: Commands of augtool that change its tree; the system's files are below `/files`.
_AUG_CHANGES = frozenset(
    {"set", "setm", "rm", "mv", "move", "cp", "copy", "ins", "insert", "clear", "clearm", "touch", "rename", "store"}
)
_AUGTOOL = Spec(
    "c L A i s r= I= t= l= f= b e n E typecheck echo autosave interactive root= include= transform= load-file= file= "
    "backup new noload noautoload nostdinc help version timing",
    posix=True,
)


@FAMILY.judges("augtool")
def augtool(command: Command, context: Context) -> Iterator[Finding]:
    """Judge commands on augtool's command line or input; the tree mirrors the files."""
    options = parse(command, _AUGTOOL)
    if options.helps:
        return
    lines = [[word.raw for word in options.operands]]
    if command.stdin is not None and command.stdin.text:
        lines += [line.split() for line in command.stdin.text.splitlines()[:40]]
    for order in lines:
        if order and order[0] in _AUG_CHANGES:
            names = [name.removeprefix("/files") for name in order[1:3] if name.startswith("/files/")]
            yield from report_writes([renamed(name, command.argv[0]) for name in names], command, context)


@FAMILY.judges("sudo")
def sudoedit(command: Command, context: Context) -> Iterator[Finding]:
    """Judge `sudo -e`."""
    options = parse(command, _SUDO)
    if options.has("e", "edit"):
        yield from report_writes(options.operands, command, context)


@FAMILY.judges(
    "yq", "jaq", "toml", "dasel", "gojq", "xmlstarlet", "rpl", "sd", "ruplacer", "replace", "prettier", "black", "gofmt"
)
def in_place(command: Command, context: Context) -> Iterator[Finding]:
    """Judge other programs that change files in place."""
    options = parse(command, _IN_PLACE)
    asked = options.has("i", "inplace", "in-place", "w", "write", "L")
    if options.helps or not (asked or command.program in {"sd", "rpl", "replace", "black"}):
        return
    # The first operand of these is a subcommand.
    files = options.operands[1:] if command.program in {"yq", "sd", "rpl"} else options.operands
    if command.program in {"prettier", "black", "gofmt"}:
        yield from report_writes(files, command, context)
    else:
        yield from _edited(files, command, context)
