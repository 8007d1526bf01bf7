"""Parses redirections, and determines what a command reads because of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.shell.command import Redirect, Stdin
from hermes_guard.shell.expansion import Expander
from hermes_guard.shell.reader_state import Frame
from hermes_guard.shell.word import Word

if TYPE_CHECKING:
    from tree_sitter import Node

_REDIRECT = re.compile(r"(&>>|&>|>>|>\||>&|<&|<>|<<<|<<-?|<|>)")


def redirect_of(node: "Node", frame: Frame, expander: Expander) -> tuple[list[Redirect], list[Word]]:
    """Return the redirection of a node, and the following words that belong to the command."""
    start = node.start_byte
    found = _REDIRECT.match(frame.text, start)
    if not found:
        return [], []
    operator = found.group(1)
    number = _number(frame.text, start)
    if operator in {"<<", "<<-"}:
        heredoc = frame.heredocs.get(found.start(1))
        if heredoc is None:
            return [], []
        if heredoc.quoted:
            place = frame.base + heredoc.start
            span = frame.origin or (place, place + len(heredoc.text))
            target = Word(heredoc.text, heredoc.text, span, quoted=True)
        else:
            target = expander.body(heredoc.text, heredoc.start)
        destinations = [child for child in node.named_children if child.type != "file_descriptor"][1:]
    else:
        destinations = [child for child in node.named_children if child.type not in {"file_descriptor", "ERROR"}]
        if not destinations:
            return [], []
        first = destinations.pop(0)
        target = expander.word(frame.text[first.start_byte : first.end_byte], first.start_byte)
        if operator == "<<<":
            target = Word(target.raw + "\n", target.source, target.span, commands=target.commands)
    more = [
        word
        for child in destinations
        for word in expander.words(frame.text[child.start_byte : child.end_byte], child.start_byte)
    ]
    return [Redirect(operator, number, target)], more


def _number(text: str, end: int) -> int | None:
    """Return the descriptor number before a redirection."""
    start = end
    while start and end - start < 5 and text[start - 1] in "0123456789":
        start -= 1
    if start == end or (start and text[start - 1] not in " \t\n;|(){}"):
        return None
    return int(text[start:end])


def inputs_of(redirects: Sequence[Redirect], before: dict[int, Stdin]) -> dict[int, Stdin]:
    """Return what a command can read on each descriptor; `before` are those the shell has open."""
    found = dict(before)
    for redirect in redirects:
        target = redirect.target
        number = redirect.fd or 0
        if redirect.operator in {"<<", "<<-", "<<<"}:
            found[number] = Stdin(target.raw, target.commands, span=target.span)
        elif redirect.operator in {"<", "<>"}:
            if target.process:
                found[number] = Stdin(target.text_inside, target.commands, span=target.span)
            else:
                found[number] = Stdin(None, (), target, target.span)
        elif redirect.operator == "<&":
            source = target.raw.rstrip("-")
            if not target.certain:
                found[number] = Stdin(span=target.span)
            if source.isdigit() and int(source[:5]) in found:
                found[number] = found[int(source[:5])]
    return found


def stdin_of(redirects: Sequence[Redirect]) -> Stdin | None:
    """Return what a command reads because of its redirections; None when they do not affect its input."""
    return inputs_of(redirects, {}).get(0)
