"""Parses masked text with tree-sitter-bash, which is loaded on first use."""

import threading
from functools import cache
from time import thread_time
from typing import TYPE_CHECKING, cast

from hermes_guard.budget import Budget

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Point


_own = threading.local()


def _parser() -> "Parser":
    """Return this thread's parser: sharing one between threads crashes the interpreter."""
    if not hasattr(_own, "parser"):
        from tree_sitter import Parser

        _own.parser = Parser(_language())
    return cast("Parser", _own.parser)


@cache
def _language() -> "Language":
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


#: Nodes that contain no line end: a new line starts another command.
_ONE_LINE = frozenset({"command", "declaration_command", "unset_command", "redirected_statement"})
_MAX_REPAIRS = 4


#: A text up to this length is passed to the grammar at once; a longer one in chunks, so that parsing can be stopped.
_PIECE = 512


def parse(masked: str, budget: Budget) -> "tuple[Node, bool]":
    """Return the tree of a masked text, and whether it covers the whole text.

    The grammar sees characters outside of ASCII as letters, so offsets are characters. After a long pipeline, followed
    by a list or a redirection, it may treat words on the next line as part of the same command. In that case the line
    end is made explicit, and the text is parsed again.
    """
    text = masked.encode("ascii", "replace")
    for _ in range(1 + _MAX_REPAIRS):
        root, whole = _tree(text, budget)
        swallowed = _swallowed(root, text) if whole else ()
        if not swallowed:
            return root, whole
        repaired = bytearray(text)
        for at in swallowed:
            repaired[at] = ord(";")
        text = bytes(repaired)
    return root, False


def _tree(text: bytes, budget: Budget) -> "tuple[Node, bool]":
    """Parse a text, or only its beginning when that takes too long, as it does for text that is not shell code."""
    # The parser cannot be interrupted, but it requests the text in chunks, and an empty chunk ends it.
    started = thread_time()
    end = started + budget.grammar

    def piece(at: int, _: "Point") -> bytes:
        return text[at : at + _PIECE] if thread_time() < end else b""

    root = _parser().parse(text if len(text) <= _PIECE else piece).root_node
    budget.grammar -= thread_time() - started
    return root, budget.grammar > 0


def _swallowed(root: "Node", text: bytes) -> list[int]:
    """Return the line end inside of one command; of several adjacent ones, the first."""
    found = []
    at = text.find(b"\n")
    while at >= 0:
        node = root.descendant_for_byte_range(at, at + 1)
        if node is not None and node.type in _ONE_LINE:
            found.append(at)
            while at + 1 < len(text) and text[at + 1] in b" \t\n":
                at += 1
        at = text.find(b"\n", at + 1)
    return found
