"""The grammar: tree-sitter-bash, loaded when the first text needs it."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


@cache
def _parser() -> "Parser":
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


#: Nodes inside of which no line ends: what stands behind one is another command.
_ONE_LINE = frozenset({"command", "declaration_command", "unset_command", "redirected_statement"})
_MAX_MENDS = 4


def parse(masked: str) -> "Node | None":
    """The tree of a masked text. Characters outside of ASCII are letters to the grammar, so offsets are characters.

    The grammar takes what follows a long pipeline for more of its words, across the end of the line, when a list or a
    redirection stands behind it. Where that happens the end of the line is made plain, and the text is read again. None
    when that does not help.
    """
    text = bytearray(masked.encode("ascii", "replace"))
    root = _parser().parse(bytes(text)).root_node
    for _ in range(_MAX_MENDS):
        swallowed = _swallowed(root, text)
        if not swallowed:
            return root
        for at in swallowed:
            text[at] = ord(";")
        root = _parser().parse(bytes(text)).root_node
    return None if _swallowed(root, text) else root


def _swallowed(root: "Node", text: bytearray) -> list[int]:
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
