"""Writes formulas as TeX where a page has it, and in one line where not."""

from __future__ import annotations

import re

from hermes_tools_web.pages.markdown.mathml import mathml
from hermes_tools_web.pages.tree import Node, attr

_STYLE = re.compile(r"^\{\\(?:display|text)style\s*(.*)\}$", re.DOTALL)


def formula(node: Node) -> str:
    """A formula; empty when the element is none.

    Args:
        node: `math`, a script of TeX, an image of a formula, or anything else.
    """
    if node.tag == "math":
        return _shown(_tex_of(node), display=attr(node, "display") == "block") or mathml(node)
    if node.tag == "script":
        return _shown("".join(node.itertext()), display="mode=display" in attr(node, "type"))
    if node.tag == "img" and any(mark in attr(node, "class") for mark in ("math", "tex", "latex")):
        return _shown(attr(node, "alt"), display="display" in attr(node, "class"))
    return ""


def _tex_of(node: Node) -> str:
    for note in node.iter("annotation"):
        if "tex" in attr(note, "encoding").lower():
            return "".join(note.itertext())
    return attr(node, "alttext")


def _shown(tex: str, *, display: bool) -> str:
    tex = " ".join(tex.split()).replace("$", "")
    match = _STYLE.match(tex)
    tex = match.group(1).strip() if match else tex
    if not tex:
        return ""
    return f"$${tex}$$" if display else f"${tex}$"
