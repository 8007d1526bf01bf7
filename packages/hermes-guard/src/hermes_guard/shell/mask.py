"""Masks what is inside of words, so that the grammar sees only the structure.

Every character keeps its place: quotes, expansions, patterns and here-documents become plain letters or blanks.
"""

import re
from typing import NamedTuple

from hermes_guard.shell.quotes import UnclosedError, ansi_end, closing

_PLAIN = re.compile(r"[A-Za-z0-9_./:,%@~^-]+")
_BLANKS = re.compile(r"[ \t]+")
_HEREDOC = re.compile(r"<<(-?)[ \t]*((?:'[^'\n]*'|\"[^\"\n]*\"|\\.|[^\s;&|<>()'\"\\])+)")
_FOR_GROUP = re.compile(r"[ \t;]\s*\{\s")
_EMPTY = re.compile(r"\(\s*\)")
_FD = re.compile(r"\{[A-Za-z_]\w*\}(?=[<>])")
_COPROC = re.compile(r"[ \t]+(?:[A-Za-z_]\w*(?=[ \t]+[{(]))?")
#: With other options it is the program of that name.
_TIME = re.compile(r"(?:[ \t]+-p(?=[ \t]))?(?=[ \t])(?![ \t]+-(?!-[ \t]))")
_ASSIGN = re.compile(r"[A-Za-z_]\w*(?:\[[^\]\s]*\])?\+?=\(")
#: After these words, when they stand where a command may, another command may stand.
_OPENERS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "{"})


#: Parentheses in parentheses; the grammar slows down on more.
MAX_PARENS = 40
#: Patterns of `case` have closing parentheses only.
MAX_PATTERNS = 400


class Heredoc(NamedTuple):
    """The text between a here-document's start and its end."""

    text: str
    start: int
    quoted: bool


class Mask(NamedTuple):
    """The masked text, its here-documents by where they were announced, and whether all of it could be read."""

    text: str
    heredocs: dict[int, Heredoc]
    complete: bool


def mask(text: str) -> Mask:
    """Mask a text for the grammar. Linear in its size."""
    out: list[str] = []
    heredocs: dict[int, Heredoc] = {}
    pending: list[tuple[int, str, bool, bool]] = []
    index, size = 0, len(text)
    ready = True  # a command may start here
    fresh = True  # a word may start here
    complete = True
    arrays = 0
    unended = False
    dangling = False  # a redirection waits for its target
    parens = bangs = 0
    fewest = -MAX_PATTERNS if "esac" in text else -4
    while index < size:
        char = text[index]
        if char not in " \t<>":
            dangling = False
        if fresh:
            if char == "#":
                end = text.find("\n", index)
                end = size if end < 0 else end
                out.append(" " * (end - index))
                index = end
                continue
            if not arrays:
                found = _ASSIGN.match(text, index)
                if found:
                    out.append(re.sub(r"\W", "x", found.group()[:-2].removesuffix("+")))
                    out.append("+=(" if found.group()[-3] == "+" else "=(")
                    index = found.end()
                    arrays += 1
                    continue
                if text.startswith("((", index) or (
                    text.startswith("[[", index) and text[index + 2 : index + 3].isspace()
                ):
                    # One that has no end is not looked for again, so that time stays linear.
                    end = 0 if unended else _block_end(text, index)
                    unended = not end
                    if end:
                        if len(out) > 1 and out[-2] == "for" and _FOR_GROUP.match(text, end):
                            # `for ((...)) { ...; }` is read as a command and a group.
                            out[-2] = "   "
                            out.append("x" * (end - index) + ";")
                            index = end + 1
                            ready = fresh = True
                            continue
                        out.append("x" * (end - index))
                        index = end
                        ready = fresh = False
                        continue
            if char == "{":
                fd = _FD.match(text, index)
                if fd:
                    out.append(" " * (fd.end() - index))
                    index = fd.end()
                    continue
        try:
            if char in " \t":
                end = _BLANKS.match(text, index).end()  # type: ignore[union-attr]
                out.append(text[index:end])
                index = end
                fresh = True
                continue
            if char == "\n":
                out.append("\n")
                index += 1
                for number, (at, name, quoted, strip) in enumerate(pending):
                    if number and index < size:
                        out.append("\n")
                        index += 1
                    body, start, index = _body(text, index, name, strip)
                    heredocs[at] = Heredoc(body, start, quoted)
                    out.append(" " * (index - start))
                pending.clear()
                ready = fresh = True
                continue
            if char in ";&|":
                if text.startswith(("&>", "&>>"), index):
                    step = "&>>" if text.startswith("&>>", index) else "&>"
                    out.append(step)
                    index += len(step)
                    fresh = True
                    continue
                out.append(char)
                index += 1
                ready = fresh = True
                continue
            if char in "<>":
                if dangling and not text.startswith(("<(", ">("), index):
                    raise UnclosedError(text[:20])
                if text.startswith(("<(", ">("), index):
                    end = closing(text, index + 1)
                    out.append("x" * (end - index))
                    index = end
                    ready = fresh = False
                    continue
                if text.startswith("<<<", index):
                    out.append("<  ")
                    index += 3
                    fresh = dangling = True
                    continue
                found = _HEREDOC.match(text, index) if char == "<" else None
                if found:
                    name = found.group(2)
                    plain = re.sub(r"['\"\\]", "", name)
                    pending.append((index, plain, plain != name, bool(found.group(1))))
                    out.append("<" + "x" * (found.end() - index - 1))
                    index = found.end()
                    fresh = False
                    continue
                if text.startswith("<>", index):
                    out.append("> ")
                    index += 2
                    fresh = dangling = True
                    continue
                step = text[index : index + 2]
                step = step if step in {">>", ">&", "<&", ">|"} else char
                out.append(step)
                index += len(step)
                dangling = True
                fresh = not step.endswith("&")
                if not fresh and text[index : index + 1] in {" ", "\t"}:
                    fresh = True
                continue
            if char == "(":
                if not fresh and text[index - 1] in "?*+@!" and text[index + 1 : index + 2] != ")":
                    end = closing(text, index)
                    out.append("x" * (end - index))
                    index = end
                    continue
                if not fresh and not _EMPTY.match(text, index):
                    # A word and a parenthesis are no shell; the grammar would search long for a meaning.
                    raise UnclosedError(text[:20])
                out.append(char)
                index += 1
                ready = fresh = True
                parens += 1
                if parens > MAX_PARENS:
                    raise UnclosedError(text[:20])
                continue
            if char == ")":
                parens -= 1
                if parens < fewest:
                    raise UnclosedError(text[:20])
                out.append(char)
                index += 1
                ready = fresh = True
                arrays -= arrays > 0
                continue
            if char == "\\":
                if text.startswith("\n", index + 1) and fresh:
                    out.append("  ")
                else:
                    out.append("xx"[: size - index])
                    ready = fresh = False
                index += 2
                continue
            if char in "'\"`":
                end = closing(text, index)
                out.append("x" * (end - index))
                index = end
                ready = fresh = False
                continue
            if char == "$":
                following = text[index + 1 : index + 2]
                if following == "'":
                    end = ansi_end(text, index + 2)
                elif following and following in "({":
                    end = closing(text, index)
                else:
                    end = index + 1
                    if following and following in "?!@*#$-":
                        end += 1
                out.append("x" * (end - index))
                index = end
                ready = fresh = False
                continue
        except UnclosedError:
            complete = False
            out.append("x" * (size - index))
            break
        found = _PLAIN.match(text, index)
        if found:
            piece = found.group()
            index = found.end()
            whole = fresh and (index >= size or text[index] in " \t\n;&|()<>")
            if whole and ready and piece in {"time", "coproc"}:
                extra = (_TIME if piece == "time" else _COPROC).match(text, index)
                if extra:
                    out.append(" " * (extra.end() - index + len(piece)))
                    index = extra.end()
                    continue
            if fresh and piece.isdigit() and text[index : index + 1] in {"<", ">"}:
                # The number of a descriptor, which the grammar takes for a word when a blank follows.
                out.append(" " * len(piece))
                continue
            out.append(piece if fresh or piece.isalnum() else "x" * len(piece))
            ready = (whole and ready and piece in _OPENERS) or (
                len(out) > 2 and whole and "".join(out[-4:-1]).strip() == "function"
            )
            fresh = False
            continue
        if char == "{" and ready and "".join(out[-3:]).rstrip().endswith("()"):
            # `f(){cmd` is no shell, but its intention is plain.
            out.append(char)
            index += 1
            continue
        if char in "{}!" and fresh and (index + 1 >= size or text[index + 1] in " \t\n;&|()<>") and ready:
            out.append(char)
            ready = True
            fresh = False
            index += 1
            parens += {"{": 1, "}": -1}.get(char, 0)
            bangs += char == "!"
            if parens > MAX_PARENS or bangs > MAX_PATTERNS:
                complete = False
                out.append("x" * (size - index))
                break
            continue
        if char == "=" or (char == "+" and text[index + 1 : index + 2] == "="):
            out.append(char if not fresh else "x")
        elif char == "*" and fresh and text[index + 1 : index + 2] == ")":
            out.append("*")
        else:
            out.append("x")
        index += 1
        ready = fresh = False
    return Mask("".join(out)[:size], heredocs, complete)


def _block_end(text: str, index: int) -> int:
    if text.startswith("((", index):
        try:
            end = closing(text, index)
        except UnclosedError:
            return 0
        # `((a); b)` is a subshell in a subshell, not arithmetic.
        return end if text[end - 2 : end] == "))" else 0
    at = index + 2
    while at < len(text):
        char = text[at]
        if char == "]" and text.startswith("]]", at) and text[at - 1].isspace():
            return at + 2
        try:
            if char in "'\"`" or text.startswith(("$(", "${"), at):
                at = closing(text, at)
                continue
        except UnclosedError:
            return 0
        at += 2 if char == "\\" else 1
    return 0


def _body(text: str, index: int, name: str, strip: bool) -> tuple[str, int, int]:
    """The body of a here-document that starts at `index`, where it starts, and where reading goes on."""
    at, size = index, len(text)
    lines: list[str] = []
    while at < size:
        end = text.find("\n", at)
        end = size if end < 0 else end
        line = text[at:end]
        if strip:
            line = line.lstrip("\t")
        at = min(end + 1, size)
        if line == name:
            # The newline after the end belongs to the structure.
            return "".join(lines), index, end
        lines.append(line + "\n")
    return "".join(lines), index, size
