"""Builtins that change the shell state."""

from collections.abc import Callable
from itertools import pairwise

from hermes_guard.argv.options import Spec, parse_words
from hermes_guard.shell.command import Command
from hermes_guard.shell.command_output import formatted
from hermes_guard.shell.scope import Definition, Scope
from hermes_guard.shell.word import HOLE


def _cd(command: Command, scope: Scope) -> None:
    words = [word for word in command.args if word.raw not in {"-L", "-P", "-e", "-@", "--"}]
    if command.piped:
        return
    if not words:
        scope.use("HOME")
    elif "CDPATH" in scope.variables:
        scope.use("CDPATH")
    scope.change_folder(words[0].raw if words else scope.home)


def _pushd(command: Command, scope: Scope) -> None:
    if command.args and command.args[0].raw[:1] not in {"+", "-"}:
        _cd(command, scope)
    else:  # a directory of the stack
        scope.cwd = None


def _popd(_: Command, scope: Scope) -> None:
    scope.cwd = None


def _alias(command: Command, scope: Scope) -> None:
    for word in command.args:
        name, equals, value = word.raw.partition("=")
        if HOLE in name:
            scope.unknown = "an alias was defined whose name is not known"
        if equals:
            scope.rename(name, value)


def _unalias(command: Command, scope: Scope) -> None:
    for word in command.args:
        if word.raw == "-a":
            scope.aliases.clear()
        scope.aliases.pop(word.raw, None)


def _hash(command: Command, scope: Scope) -> None:
    texts = [word.raw for word in command.args]
    if len(texts) > 2 and texts[0] == "-p":
        # From now on the name runs that file.
        for name in texts[2:]:
            scope.rename(name, texts[1])


def _trap(command: Command, scope: Scope) -> None:
    words = [word for word in command.args if word.raw != "--"]
    if not words or words[0].raw in {"-p", "-l"}:
        return
    removes = len(words) == 1 or words[0].raw in {"-", ""}
    for word in words[1:] if len(words) > 1 else words:
        signal = _SIGNALS.get(word.raw.upper(), word.raw.upper().removeprefix("SIG"))
        if HOLE in signal:
            scope.traps["DEBUG"] = None  # it may be any of them
        elif removes:
            scope.traps.pop(signal, None)
        else:
            scope.traps[signal] = words[0].literal


_SIGNALS = {"0": "EXIT", "1": "HUP", "2": "INT", "3": "QUIT", "15": "TERM"}


def _enable(command: Command, scope: Scope) -> None:
    """Mark a builtin loaded from a library as unknown."""
    if any(word.raw.startswith("-") and "f" in word.raw for word in command.args):
        for word in command.args:
            scope.define(word.raw, Definition(None))


def _shopt(command: Command, scope: Scope) -> None:
    letters = "".join(word.raw[1:] for word in command.args if word.raw.startswith("-"))
    if "s" in letters or "u" in letters:
        for word in command.args:
            if not word.raw.startswith("-"):
                scope.options[word.raw] = "s" in letters


def _exec(command: Command, scope: Scope) -> None:
    if not command.args:
        scope.inputs = command.inputs


_READ = Spec("a= d= i= n= N= p= t= u= e r s", posix=True)


def _read(command: Command, scope: Scope) -> None:
    options = parse_words(command.args, _READ)
    array = options.value("a")
    names = [word.raw for word in options.operands if word.raw.isidentifier()]
    for name in (*names, *((array.raw,) if array else ())):
        scope.forget(name)
    stdin = command.stdin
    text = stdin.text if stdin else None
    if stdin is None or text is None or HOLE in text or options.has("n", "N", "u"):
        return
    # Lines that one `read` has consumed are not available to the next.
    number = scope.taken.get(stdin, 0)
    if (command.loop and stdin is not scope.followed) or (options.has("d") and number):
        return
    given = options.value("d")
    # `read -d ''` reads everything, because no text contains its delimiter.
    end = "\n" if given is None else given.raw[:1] or "\0"
    lines = text.split(end, number + 1)
    line = lines[number] if number < len(lines) else ""
    scope.taken[stdin] = number + 1 if given is None else len(text)
    separators = command.assignments.get("IFS", scope.lookup("IFS") or "")
    if len(names) == 1 and not array:
        # A single variable receives the line without surrounding blanks.
        scope.assign(names[0], line.strip("".join(sign for sign in separators if sign.isspace())))
        return
    for separator in separators[:8]:
        line = line.replace(separator, " ")
    if array:
        scope.become(array.raw, ({str(number): piece for number, piece in enumerate(line.split())},))
    elif names:
        pieces = line.split(None, len(names) - 1) if separators else [line]
        for number, name in enumerate(names):
            scope.assign(name, pieces[number].strip() if number < len(pieces) else "")


def _printf(command: Command, scope: Scope) -> None:
    if len(command.args) > 2 and command.args[0].raw == "-v":
        name, bracket, key = command.args[1].raw.removesuffix("]").partition("[")
        text = formatted(command.args[2].raw, [word.raw for word in command.args[3:]])
        if not bracket:
            scope.assign(name, text)
        elif key.isdigit():
            scope.become(name, ({**scope.arrays.get(name, {}), key: text},))
        else:
            scope.forget(name)


#: Options of `set` that have a letter.
_LETTERS = {"a": "allexport", "P": "physical"}


def _set(command: Command, scope: Scope) -> None:
    texts = [word.raw for word in command.args]
    for option, name in pairwise(texts):
        if option in {"-o", "+o"}:
            scope.options[name] = option == "-o"
    if texts and texts[0][:1] in {"-", "+"}:
        named = [name for letter, name in _LETTERS.items() if letter in texts[0]]
        scope.options.update(dict.fromkeys(named, texts[0][0] == "-"))
    if "--" in texts:
        words = command.args[texts.index("--") + 1 :]
        unknown = any(word.splits or word.glob for word in words)
        scope.become("@", (HOLE if unknown else [word.raw for word in words],))
    elif texts and not texts[0].startswith(("-", "+")):
        scope.become("@", (texts,))


def _shift(command: Command, scope: Scope) -> None:
    scope.use("@")
    count = command.args[0].raw if command.args else "1"
    known = count.isdigit() and len(count) < 5
    left = tuple(words[int(count) :] if known and isinstance(words, list) else HOLE for words in scope.state("@"))
    scope.become("@", left)


_MAPFILE = Spec("d= n= O= s= t u= C= c=", posix=True)


def _mapfile(command: Command, scope: Scope) -> None:
    options = parse_words(command.args, _MAPFILE)
    name = options.operands[0].raw if options.operands else "MAPFILE"
    scope.forget(name)
    text = command.stdin.text if command.stdin else None
    if text is not None and HOLE not in text and options.has("t") and not options.has("d", "n", "O", "s", "u"):
        scope.become(name, ({str(number): line for number, line in enumerate(text.splitlines())},))


def _getopts(command: Command, scope: Scope) -> None:
    scope.use("@")
    for name in ("OPTARG", *(word.raw for word in command.args[1:2])):
        scope.forget(name)


BUILTINS: dict[str, Callable[[Command, Scope], None]] = {
    "cd": _cd,
    "pushd": _pushd,
    "chdir": _cd,
    "popd": _popd,
    "alias": _alias,
    "unalias": _unalias,
    "hash": _hash,
    "exec": _exec,
    "trap": _trap,
    "enable": _enable,
    "shopt": _shopt,
    "read": _read,
    "printf": _printf,
    "set": _set,
    "shift": _shift,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "getopts": _getopts,
}
