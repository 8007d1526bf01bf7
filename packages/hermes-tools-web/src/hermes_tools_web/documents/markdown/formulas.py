"""Write formulas: as TeX where a page has it, otherwise on one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes_tools_web.documents.html_tree import Node, attr, get_text
from hermes_tools_web.documents.markdown.escaping import escape

_UNSEEN = frozenset(("annotation", "annotation-xml", "mphantom", "none", "mprescripts"))
_MARKS = {
    "msup": "^",
    "mover": "^",
    "msub": "_",
    "munder": "_",
    "msubsup": "_^",
    "munderover": "_^",
}
_MAX_DEPTH = 40
"""Real formulas are not half as deep."""


def mathml(node: Node) -> str:
    """Write MathML on one line, such as `(a+1)/b^2`, so that a fraction does not become a number."""
    return escape(" ".join(_write_mathml(node, 0).split()))


def _write_mathml(node: Node, depth: int) -> str:
    if depth > _MAX_DEPTH:
        return get_text(node)
    children = [child for child in node if child.tag not in _UNSEEN]
    parts = [_write_mathml(child, depth + 1) for child in children]
    if node.tag == "mfrac" and len(parts) == 2:
        return f"{_grouped(parts[0])}/{_grouped(parts[1])}"
    if node.tag in _MARKS and parts:
        return parts[0] + "".join(
            mark + _grouped(part) for mark, part in zip(_MARKS[node.tag], parts[1:], strict=False) if part
        )
    if node.tag == "msqrt":
        return f"√{_grouped(''.join(parts))}"
    if node.tag == "mroot" and len(parts) == 2:
        return f"root({parts[0]}, {parts[1]})"
    if node.tag == "mtable":
        return f"[{'; '.join(parts)}]"
    if node.tag == "mtr":
        return ", ".join(parts)
    return _with_texts(node, children, parts)


def _with_texts(node: Node, children: Sequence[Node], parts: Sequence[str]) -> str:
    text = (node.text or "").strip()
    tails = ((child.tail or "").strip() for child in children)
    return text + "".join(part + tail for part, tail in zip(parts, tails, strict=True))


def _grouped(text: str) -> str:
    return text if len(text) < 2 or text.isdigit() else f"({text})"


_STYLE = re.compile(r"^\{\\(?:display|text)style\s*(.*)\}$", re.DOTALL)


def write_formula(node: Node) -> str:
    """Write a formula; empty when the element is not one, or repeats the MathML before it."""
    if node.tag == "math":
        return _write_tex(_tex_of(node), display=attr(node, "display") == "block") or mathml(node)
    before = node.getprevious()
    if before is not None and before.tag in ("math", "span", "nobr") and next(before.iter("math"), None) is not None:
        return ""
    if node.tag == "script":
        return _write_tex("".join(node.itertext()), display="mode=display" in attr(node, "type"))
    if is_formula_image(node):
        return _write_tex(attr(node, "alt"), display="display" in attr(node, "class"))
    return ""


def is_formula_image(node: Node) -> bool:
    """Return whether an image shows a formula, with TeX as its description."""
    return node.tag == "img" and any(mark in attr(node, "class") for mark in ("math", "tex", "latex"))


def _tex_of(node: Node) -> str:
    for note in node.iter("annotation"):
        if "tex" in attr(note, "encoding").lower():
            return "".join(note.itertext())
    return attr(node, "alttext")


def _write_tex(tex: str, *, display: bool) -> str:
    tex = " ".join(tex.split()).replace("$", "")
    match = _STYLE.match(tex)
    tex = match.group(1).strip() if match else tex
    if not tex:
        return ""
    return f"$${tex}$$" if display else f"${tex}$"
