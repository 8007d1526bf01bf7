"""The grammar: tree-sitter-bash, loaded when the first text needs it."""

import threading
from functools import cache
from time import thread_time
from typing import TYPE_CHECKING, cast

from hermes_guard.budget import Budget

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Point


_own = threading.local()


def _parser() -> "Parser":
    """The parser of this thread: one that two threads use at once brings the interpreter down."""
    if not hasattr(_own, "parser"):
        from tree_sitter import Parser

        _own.parser = Parser(_language())
    return cast("Parser", _own.parser)


@cache
def _language() -> "Language":
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


#: Nodes inside of which no line ends: what stands behind one is another command.
_ONE_LINE = frozenset({"command", "declaration_command", "unset_command", "redirected_statement"})
_MAX_MENDS = 4


#: A text up to this length is given to the grammar whole; a longer one piece by piece, so that it can be ended.
_PIECE = 512


def parse(masked: str, budget: Budget) -> "tuple[Node, bool]":
    """The tree of a masked text, and whether it is the tree of all of it.

    Characters outside of ASCII are letters to the grammar, so offsets are characters. The grammar takes what follows a
    long pipeline for more of its words, across the end of the line, when a list or a redirection stands behind it.
    Where that happens the end of the line is made plain, and the text is read again.
    """
    text = masked.encode("ascii", "replace")
    for _ in range(1 + _MAX_MENDS):
        root, whole = _tree(text, budget)
        swallowed = _swallowed(root, text) if whole else ()
        if not swallowed:
            return root, whole
        mended = bytearray(text)
        for at in swallowed:
            mended[at] = ord(";")
        text = bytes(mended)
    return root, False


def _tree(text: bytes, budget: Budget) -> "tuple[Node, bool]":
    """What the grammar makes of a text; of its beginning when it takes too long, as it does with what is no shell code.

    It cannot be interrupted. But it asks for the text piece by piece, and is told that there is no more of it.
    """
    started = thread_time()
    end = started + budget.grammar

    def piece(at: int, _: "Point") -> bytes:
        return text[at : at + _PIECE] if thread_time() < end else b""

    root = _parser().parse(text if len(text) <= _PIECE else piece).root_node
    budget.grammar -= thread_time() - started
    return root, budget.grammar > 0


def _swallowed(root: "Node", text: bytes) -> list[int]:
    """Where a line ends inside of one command; of several ends in a row, the first."""
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
