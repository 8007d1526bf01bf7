"""Functions of scripts that start, fork or kill processes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import SHELL_ALONE, UNKNOWN_PART, Operation, runs, starts
from hermes_guard.languages.scripts.function_names import Named
from hermes_guard.languages.text_values import UNKNOWN, OneOf, sides, text
from hermes_guard.languages.tokens import Token

if TYPE_CHECKING:
    from hermes_guard.languages.scripts.script import Script

_FORKS = re.compile(
    r"\bfork(?: \( \))? (?:while|until|if fork)\b|while (?:\( )*(?:1|true|fork)\b.*\bfork\b|loop (?:\{|do) "
    r".*\bfork\b|for ?\( ; ; \)|for \( ; ; \) .*fork"
)


#: The maximum number of tokens between the parentheses of a pattern.
_SHORT = 24


def starts_programs(script: "Script") -> Callable[[Named], bool]:
    """Return whether a name starts programs: `exec` is also a method of patterns."""
    language = script.language.name
    if language == "node":
        joined = "".join(token.text for token in script.tokens if token.kind == "text")
        known = (
            "child_process" in joined
            or "execa" in joined
            or bool(script.names & {"Bun", "Deno"})
            or ("process" in script.names and "binding" in script.names)
        )
        tokens = script.tokens
        patterns = {
            name.text
            for name, sign, value in zip(tokens, tokens[1:], tokens[2:], strict=False)
            if name.kind == "name" and sign.text == "=" and value.kind == "pattern"
        }
        return lambda named: known and not (named.name == "exec" and _of_a_pattern(script, named, patterns))
    if language == "lua":
        return lambda named: named.before in {".", ":"}
    if language == "ruby":
        return lambda _: True
    return lambda named: named.before not in {"->", "$"}


def _of_a_pattern(script: "Script", named: Named, patterns: set[str]) -> bool:
    """Return True for `exec` behind a pattern or behind a variable that holds one: `re.exec(text)`."""
    if named.before != "." or named.at < 2:
        return False
    owner = script.tokens[named.at - 2]
    if owner.text == ")":
        return _made_by(script, named.at - 2) == "RegExp"
    return owner.kind == "pattern" or (owner.kind == "name" and owner.text in patterns)


def _made_by(script: "Script", end: int) -> str:
    """Return the name before the parentheses that end here, if they are short."""
    depth = 0
    for place in range(end, max(0, end - _SHORT), -1):
        text = script.text(place)
        depth += (text == ")") - (text == "(")
        if not depth:
            return script.text(place - 1)
    return ""


def ran(script: "Script", operation: Operation) -> None:
    """Record a started program, and whether it may receive untrusted data."""
    if operation.kind == "spawn" or UNKNOWN_PART in operation.code:
        script.reached = True
    script.shelled = script.shelled or SHELL_ALONE.match(operation.code) is not None
    script.found.append(operation)


def runs_what_it_writes(script: "Script") -> bool:
    """Return True when a started program may run, read or receive what the script has written."""
    if script.names & _FEEDING:
        return True
    started = " ".join(operation.code for operation in script.found if operation.kind == "shell")
    written = {operation.path.rsplit("/", 1)[-1] for operation in script.found if operation.kind == "write"}
    unknown = script.names & (script.functions.writes.keys() | {"getstore"})
    return any(name in started or name in _OBEYED for name in written) or (bool(unknown) and not written)


#: Names that feed a program, and files that programs read as instructions by default.
_FEEDING = frozenset({"stdin", "input", "pipe", "popen", "popen2", "popen3", "capture2", "capture3", "proc_open"})
_OBEYED = frozenset(
    {"Makefile", "makefile", "package.json", "setup.py", "conftest.py", "Rakefile", "Gemfile", "build.gradle"}
)


def spawn(script: "Script", named: Named) -> None:
    """Find a program that is started, by a shell or directly."""
    name = named.name
    args = script.args(named.at)
    if not args:
        # A name without arguments: passed as a value, or `system` with `$_`.
        topic = script.values.get("$_") if script.language.name in {"perl", "raku"} else None
        if isinstance(topic, str) and name in {"system", "exec"}:
            ran(script, runs(topic, name))
        elif script.language.name in {"perl", "ruby"} or script.text(named.at + 1) == "(":
            ran(script, Operation("spawn", f"{name} of a command that is unknown until it runs"))
        return
    # A callback may be long; a command is not, and its end must be read.
    if (len(args) == 1 or (name in script.functions.spawn and not _has_options(args))) and script.cut(named.at):
        script.budget.exceeded = True
    listed = script.value(args[0]) if name in script.functions.shell else None
    if isinstance(listed, (list, OneOf)):
        words: list[Any] | None = listed if isinstance(listed, list) else None
        many = isinstance(listed, list)
    else:
        words = _words(script, args) if name in script.functions.spawn else None
        many = words is not None and (len(words) > 1 or _is_list(script, args[0]))
    if words is None or not many:
        for code in script.constants(args[0]) if words is None or len(words) < 2 else ():
            ran(script, runs(code, name))
        return
    for one in sides(words):
        ran(script, starts([text(word) for word in one] if isinstance(one, list) else [None], name))


def _is_list(script: "Script", arg: list[Token]) -> bool:
    """Return True for an argument that is a list, also before others."""
    signs = [token for token in arg if token.text not in {".", "..", "*"}]
    return isinstance(script.value(signs), list)


def _has_options(args: list[list[Token]]) -> bool:
    """Return True when options or a callback follow the words."""
    return any(token.text in {"{", "function", "=>"} for arg in args for token in arg[:2])


def _words(script: "Script", args: list[list[Token]]) -> list[Any]:
    """Return a program and its arguments, as a list or one by one, without options and callbacks."""
    words: list[Any] = []
    for arg in args:
        if arg[:1] and (arg[0].text == "{" or (len(arg) > 1 and arg[1].text == ":")):
            break
        if any(token.text in {"function", "->", "=>"} and token.kind != "text" for token in arg):
            continue
        if arg[:1] and arg[0].text == "c" and script.language.name == "R":
            words.extend(token.text for token in arg if token.kind == "text")
            continue
        given = script.spread([arg])
        made = given[0] if given and len(given) == 1 else given
        if isinstance(made, list):
            words.extend(made)
        elif made is UNKNOWN:
            words.append(script.constant(arg) or UNKNOWN)
        elif not isinstance(made, dict):
            words.append(UNKNOWN if made is None else made)
    return words


#: How scripts ask for their parent process.
_PARENTS = frozenset({"getppid", "ppid", "posix_getppid", "POSIX::getppid"})


def fork(script: "Script", named: Named) -> None:
    """Report a fork in an endless loop, in the short idioms of each language."""
    if not script.budget.reads(10) or script.language.name == "node":
        return
    around = [token.text for token in script.tokens[max(0, named.at - 6) : named.at + 8]]
    if _FORKS.search(" ".join(around).replace("pcntl_fork", "fork")):
        script.found.append(Operation("bomb", "forks without end"))


def kill(script: "Script", named: Named) -> None:
    """Report a signal to every process, to the init process, or to unnamed ones."""
    language = script.language.name
    if language in {"node", "ruby"} and named.before != ".":
        return
    args = script.args(named.at)
    flat = [" ".join(token.text for token in arg) for arg in args]
    if "- 1" in flat:
        script.found.append(Operation("shell", named.name, "kill -9 -1"))
        script.found.append(Operation("kill", "signals every process"))
    elif flat and "1" in (flat[:1] if language in {"node", "php"} else flat[1:]):
        script.found.append(Operation("shell", named.name, "kill -9 1"))
    elif script.names & _PARENTS and "0" not in (flat[1:] if language in {"node", "php"} else flat[:1]):
        script.found.append(Operation("kill", "signals the process that started it"))
    elif (
        language == "perl"
        and len(flat) > 1
        and (
            any(part.startswith("@") or part == "$_" for part in flat[1:])
            or any(token.kind == "code" for arg in args for token in arg)
        )
    ):
        script.found.append(Operation("kill", "signals processes that it does not name"))
