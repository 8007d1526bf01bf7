"""Verbs of scripts that start, copy or end processes."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes_guard.rules.languages.deed import Deed, runs, starts
from hermes_guard.rules.languages.scripts.named import Named
from hermes_guard.rules.languages.tokens import Token

if TYPE_CHECKING:
    from hermes_guard.rules.languages.scripts.script import Script

_FORKS = re.compile(
    r"\bfork(?: \( \))? (?:while|until|if fork)\b|while (?:\( )*(?:1|true|fork)\b.*\bfork\b|loop (?:\{|do) "
    r".*\bfork\b|for ?\( ; ; \)|for \( ; ; \) .*fork"
)


def starts_programs(script: "Script") -> Callable[[Named], bool]:
    """Whether a name means what starts programs: `exec` is also a method of patterns."""
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
    """`exec` behind a pattern, or behind a name that was given one: `re.exec(text)`."""
    if named.before != "." or named.at < 2:
        return False
    owner = script.tokens[named.at - 2]
    return owner.kind == "pattern" or (owner.kind == "name" and owner.text in patterns)


def spawn(script: "Script", named: Named) -> None:
    """A program that is started, by a shell or with its arguments."""
    name = named.name
    args = script.args(named.at)
    if not args:
        # A name without arguments: handed over, or `system` with `$_`.
        if script.language.name in {"perl", "ruby"} or script.text(named.at + 1) == "(":
            script.found.append(Deed("spawn", f"{name} of a command that nobody knows before it runs"))
        return
    first = script.listed(args[0])
    # A callback may be long; a command is not, and its end must not stay unread.
    if (len(args) == 1 or (name in script.verbs.spawn and not _has_options(args))) and script.cut(named.at):
        script.budget.exceeded = True
    if first is not None:
        script.found.append(starts(first, name))
    elif name in script.verbs.spawn and len(args) > 1:
        script.found.append(starts([script.constant(args[0]), *_words(script, args[1:])], name))
    else:
        script.found.append(runs(script.constant(args[0]), name))


def _has_options(args: list[list[Token]]) -> bool:
    """True when options or a callback of the language follow the words."""
    return any(token.text in {"{", "function", "=>"} for arg in args for token in arg[:2])


def _words(script: "Script", args: list[list[Token]]) -> list[str | None]:
    """The arguments of a program, in a list or one by one; options and callbacks of the language are none."""
    words: list[str | None] = []
    for arg in args:
        inner = script.listed(arg)
        if inner is not None:
            words.extend(inner)
        elif arg[:1] and (arg[0].text == "{" or (len(arg) > 1 and arg[1].text == ":")):
            break
        elif arg[:1] and arg[0].text == "c" and script.language.name == "R":
            words.extend(token.text for token in arg if token.kind == "text")
        elif not any(token.text in {"function", "->"} for token in arg):
            words.append(script.constant(arg))
    return words


def fork(script: "Script", named: Named) -> None:
    """A fork in an endless loop, in every language's short way to write it."""
    if not script.budget.reads(10) or script.language.name == "node":
        return
    around = [token.text for token in script.tokens[max(0, named.at - 6) : named.at + 8]]
    if _FORKS.search(" ".join(around).replace("pcntl_fork", "fork")):
        script.found.append(Deed("bomb", "forks without end"))


def kill(script: "Script", named: Named) -> None:
    """A signal for every process, for the first one, or for some that nobody has named."""
    language = script.language.name
    if language in {"node", "ruby"} and named.before != ".":
        return
    args = script.args(named.at)
    flat = [" ".join(token.text for token in arg) for arg in args]
    if "- 1" in flat:
        script.found.append(Deed("shell", named.name, "kill -9 -1"))
        script.found.append(Deed("kill", "signals every process"))
    elif flat and "1" in (flat[:1] if language in {"node", "php"} else flat[1:]):
        script.found.append(Deed("shell", named.name, "kill -9 1"))
    elif (
        language == "perl"
        and len(flat) > 1
        and (
            any(part.startswith("@") or part == "$_" for part in flat[1:])
            or any(token.kind == "code" for arg in args for token in arg)
        )
    ):
        script.found.append(Deed("kill", "signals processes that nobody has named"))
