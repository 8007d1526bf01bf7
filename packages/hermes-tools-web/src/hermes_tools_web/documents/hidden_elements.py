"""Remove elements that readers do not see: they can hide instructions for models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hermes_tools_web.documents.html_tree import Node, attr, drop, is_longer, name_words, sweep, walk
from hermes_tools_web.text import word_set

_NEVER_SHOWN = word_set(
    "script style template object embed applet svg canvas audio video map head title meta link base source "
    "track datalist noembed param dialog portal"
)
_HIDING_CLASSES = word_set(
    "hidden d-none display-none is-hidden u-hidden hide invisible visually-hidden visuallyhidden sr-only "
    "sronly screen-reader-text screen-reader-only screenreader-only a11y-hidden element-invisible "
    "assistive-text ui-helper-hidden offscreen off-screen u-visually-hidden govuk-visually-hidden nodisplay "
    "mw-empty-elt"
)
# Hidden on small screens only: `hidden md:block`, `d-none d-lg-flex`.
_SHOWN_AGAIN = re.compile(r"(?:^|\s)(?:\w+:(?:block|flex|grid|inline|table|contents)|d-\w+-(?!none)\w+)")
_SIMPLE = re.compile(r"(?:[a-z]+)?([.#][\w-]+)\Z")
_NAMES = re.compile(r"[.#][\w-]+")
_PAGE = re.compile(r"(?:^|[\s,])(?:body|html|:root|\*)\s*(?:,|$)")
_SHOWING = ("display", "visibility", "position", "clip", "clip-path", "text-indent", "height", "max-height", "left")
_HINT = re.compile(r"none|hidden|collapse|-\d{3}|clip|scale|opacity|zoom|indent", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_FILTERED = re.compile(r"opacity\(\s*0(?:\.0+)?%?\s*\)")
_SHORT_FONT = re.compile(r"(?:^|\s)(\d*\.?\d+(?:px|pt|em|rem|%)?)(?=[\s/])")
_MOVED = re.compile(r"translate(?:x|y|3d)?\(\s*(-\d+(?:\.\d+)?[a-z]{2})")
_NUMBER = re.compile(r"^([+-]?\d*\.?\d+)\s*(px|pt|em|rem|%|vw|vh|ex|ch|cm|mm|in)?$")
_MOVING = ("transition", "animation", "will-change", "transform")
_MAX_CSS = 500_000
_MUCH = 1000
HIDDEN = "More than half of the page's text is hidden from readers, and was left out."
REVEALED = "Most of the page's text is hidden from readers until a script shows it; it may not be meant for them."
_COLORS = {"white": "ffffff", "black": "000000", "transparent": "", "snow": "ffffff", "ivory": "ffffff"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    """The simple hiding rules of the page's own style sheets."""

    classes: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    dark: bool = False
    """True when the page sets a background: white text on it is visible."""


def drop_hidden(root: Node) -> str:
    """Remove hidden elements.

    Scripts often reveal the whole content, so an element with most of the text is not hidden by its style.

    Returns:
        A note when most of the text is or was hidden.
    """
    sheet = _read_sheets(root)
    for node in root.iter(*_NEVER_SHOWN):
        if not _is_formula(node) and not _is_shadow(node):
            drop(node)
    sweep(root)
    opened = _openable(root)
    whole = _size(root)
    hidden = inside = 0
    revealed = False
    gone: list[Node] = []
    for event, node in walk(root):
        if inside:  # skip everything below a hidden element
            inside += 1 if event == "start" else -1
        elif event == "start" and node.tag != "html" and _is_hidden(node, sheet) and not _is_opened(node, opened):
            if node.tag == "body" or (not _is_marked(node) and is_longer(node, whole // 2) and 2 * _size(node) > whole):
                revealed = True
                continue
            inside = 1
            hidden += _size(node)
            gone.append(node)
    for node in gone:
        drop(node)
    sweep(root)
    return REVEALED if revealed else HIDDEN if hidden > max(_MUCH, whole // 2) else ""


def _size(node: Node) -> int:
    return sum(len(text.strip()) for text in node.itertext())


def _is_formula(node: Node) -> bool:
    return node.tag == "script" and attr(node, "type").startswith("math/tex")


def _is_shadow(node: Node) -> bool:
    """Return whether a template is shown as soon as the page is."""
    return node.tag == "template" and node.get("shadowrootmode") is not None


_ANY_PANEL = "*"
"""Stands for every tab panel when tabs do not name theirs."""
_OPENS = ("aria-controls", "href", "data-target", "data-bs-target")


def _openable(root: Node) -> frozenset[str]:
    """Return the ids of elements that a click on a tab or question reveals."""
    ids: set[str] = set()
    for node in root.iter("button", "a", "li", "div", "summary", "h2", "h3", "h4", "span", "dt"):
        if _is_tab(node):
            ids.add(_ANY_PANEL)
            for part in (node, *node.iter("a")):
                ids.update(word.removeprefix("#") for name in _OPENS for word in attr(part, name).split())
        elif node.get("aria-expanded") is not None and is_longer(node, 12):
            ids.update(attr(node, "aria-controls").split())
    return frozenset(ids - {""})


def _is_tab(node: Node) -> bool:
    parent = node.getparent()
    if "tab" in (attr(node, "role"), parent is not None and attr(parent, "role").removesuffix("list")):
        return True
    return "tab" in (attr(node, "data-toggle"), attr(node, "data-bs-toggle"))


def _is_opened(node: Node, opened: frozenset[str]) -> bool:
    return attr(node, "id") in opened or (_ANY_PANEL in opened and attr(node, "role") == "tabpanel")


def _is_hidden(node: Node, sheet: _Sheet) -> bool:
    if not node.attrib:
        return False
    if _is_marked(node):
        return True
    if attr(node, "aria-hidden").strip().lower() == "true" and not _is_math(node):
        return True
    names = attr(node, "class")
    if names:
        found = set(names.split())
        if (found & _HIDING_CLASSES or found & sheet.classes) and not _SHOWN_AGAIN.search(names):
            return True
    if sheet.ids and attr(node, "id") in sheet.ids:
        return True
    style = attr(node, "style")
    if not style:
        return False
    declared = _declarations(style)
    if _is_tiny(_font_size(declared), 2.5) and not any(map(_has_font_size, node.iterdescendants())):
        return True
    return _hides(declared) or _is_unreadable(node, declared, sheet)


def _is_marked(node: Node) -> bool:
    """Return whether an attribute hides an element."""
    return (node.get("hidden") is not None and attr(node, "hidden") != "until-found") or node.get("popover") is not None


def _has_font_size(node: Node) -> bool:
    """Return whether the style of an element overrides a font size of zero around it."""
    style = attr(node, "style")
    return "font" in style and not _is_tiny(_font_size(_declarations(style)) or "0", 2.5)


def _is_math(node: Node) -> bool:
    return node.tag in ("math", "img") or bool(name_words(node) & {"mathml", "math"})


def _read_sheets(root: Node) -> _Sheet:
    """Read the rules for one class or id that no other rule contradicts: there is no cascade."""
    sheets = (node for node in root.iter("style") if attr(node, "media").strip().lower() in ("", "all", "screen"))
    css = "\n".join("".join(node.itertext()) for node in sheets)[:_MAX_CSS]
    rules = list(_split_rules(_COMMENT.sub(" ", css)))
    hiding: set[str] = set()
    dark = False
    for selectors, body in rules:
        if _HINT.search(body) and _hides(_declarations(body), sheet=True):
            hiding.update(match[1] for match in map(_SIMPLE.match, map(str.strip, selectors.split(","))) if match)
        dark = dark or ("background" in body and _PAGE.search(selectors) is not None)
    for selectors, body in rules if hiding else ():
        if hiding.intersection(_NAMES.findall(selectors)):
            declared = _declarations(body)
            if any(name in declared for name in _SHOWING) and not _hides(declared, sheet=True):
                hiding.difference_update(_NAMES.findall(selectors))
    return _Sheet(
        classes=frozenset(name[1:] for name in hiding if name[0] == "."),
        ids=frozenset(name[1:] for name in hiding if name[0] == "#"),
        dark=dark,
    )


def _split_rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield selectors and declarations of the rules outside of conditions such as `@media`."""
    depth = 0
    for part in css.split("}"):
        opened = part.count("{")
        selectors, _, body = part.partition("{")
        if depth == 0 and opened == 1 and "@" not in selectors.rpartition(";")[2]:
            yield selectors.rpartition(";")[2], body
        depth = max(0, depth + opened - 1)


def _declarations(style: str) -> dict[str, str]:
    found: dict[str, str] = {}
    style = _COMMENT.sub("", style[:4000])
    if "\\" in style:
        style = _ESCAPE.sub(_escaped, style)
    for part in style.lower().split(";"):
        name, _, value = part.partition(":")
        if value:
            found[name.strip()] = value.replace("!important", "").strip()
    return found


def _escaped(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if 0 < code < 0x110000 else ""


def _hides(style: Mapping[str, str], *, sheet: bool = False) -> bool:
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return True
    if (
        style.get("content-visibility") == "hidden"
        or _is_tiny(style.get("zoom", ""), 0.06)
        or _FILTERED.search(style.get("filter", ""))
    ):
        return True
    if any(map(_is_far, (style.get("margin-left", ""), style.get("margin-top", ""), *_find_shifts(style)))):
        return True
    if _is_tiny(style.get("opacity", ""), 0.06):
        # Fade-in effects set the opacity in a style sheet, or with a transition.
        return not sheet and not any(name in style for name in _MOVING)
    if style.get("overflow", "") in ("hidden", "clip") and any(
        _is_tiny(style.get(name, ""), 1.5) for name in ("height", "width", "max-height", "max-width")
    ):
        return True
    if style.get("position") in ("absolute", "fixed") and any(
        _is_far(style.get(name, "")) for name in ("left", "top", "right", "bottom", "margin-left", "margin-top")
    ):
        return True
    if _is_far(style.get("text-indent", "")) or re.search(r"scale\(\s*0(?:\.0+)?\s*[,)]", style.get("transform", "")):
        return True
    clip = style.get("clip", "") + style.get("clip-path", "")
    return bool(re.search(r"rect\(\s*(?:0|1)(?:px)?[ ,]|inset\(\s*(?:50|100)%|circle\(\s*0", clip))


def _font_size(style: Mapping[str, str]) -> str:
    short = _SHORT_FONT.search(style.get("font", ""))
    return style.get("font-size", "") or (short[1] if short else "")


def _find_shifts(style: Mapping[str, str]) -> list[str]:
    return [*style.get("translate", "").split(), *_MOVED.findall(style.get("transform", ""))]


def _is_tiny(value: str, maximum: float) -> bool:
    match = _NUMBER.match(value)
    if not match:
        return False
    unit = match.group(2) or ""
    maximum = {"em": 0.16, "rem": 0.16, "%": 10.0, "vw": 0.1, "vh": 0.1}.get(unit, maximum)
    return abs(float(match.group(1))) <= maximum


def _is_far(value: str) -> bool:
    match = _NUMBER.match(value)
    if not match:
        return False
    number = float(match.group(1))
    return number <= -500 or (number <= -50 and match.group(2) in ("em", "rem", "vw", "vh")) or number <= -999


def _is_unreadable(node: Node, style: Mapping[str, str], sheet: _Sheet) -> bool:
    """Return whether text has the color of its background."""
    color = _color(style.get("color", ""))
    fill = style.get("-webkit-text-fill-color", "")
    if "transparent" in (style.get("color", ""), fill) or re.search(
        r"rgba?\([^)]*,\s*0(?:\.0+)?\s*\)", style.get("color", "")
    ):
        return "background-clip" not in style and "-webkit-background-clip" not in style
    if not color:
        return False
    behind = _background(node, style)
    if behind is not None:
        return bool(behind) and _distance(color, behind) < 24
    if _distance(color, "ffffff") >= 24 or sheet.dark:
        return False
    # White on an unknown background: headings and buttons usually have an image behind them, paragraphs do not.
    shown = ("h1", "h2", "h3", "h4", "h5", "h6", "a", "button", "th", "header", "figure")
    return node.tag not in shown and next(node.iterancestors(*shown), None) is None


def _background(node: Node, style: Mapping[str, str]) -> str | None:
    """Return the nearest background color; empty for an image, None when it is unknown."""
    at: Node | None = node
    declared = style
    for _ in range(30):
        value = declared.get("background-color") or declared.get("background") or ""
        if at is not None and not value:
            value = attr(at, "bgcolor")
        if value and value not in ("transparent", "none", "inherit"):
            return _color(value.split()[0]) if "url(" not in value and "gradient" not in value else ""
        at = at.getparent() if at is not None else None
        if at is None:
            return None
        declared = _declarations(attr(at, "style"))
    return None


def _color(value: str) -> str:
    value = value.strip()
    if value in _COLORS:
        return _COLORS[value]
    if re.fullmatch(r"#[0-9a-f]{3,4}", value):
        return "".join(digit * 2 for digit in value[1:4])
    if re.fullmatch(r"#[0-9a-f]{6}(?:[0-9a-f]{2})?", value):
        return value[1:7]
    match = re.match(r"rgba?\(\s*(\d+)\s*[, ]\s*(\d+)\s*[, ]\s*(\d+)", value)
    return "".join(f"{min(255, int(part)):02x}" for part in match.groups()) if match else ""


def _distance(one: str, other: str) -> int:
    return sum(abs(int(one[at : at + 2], 16) - int(other[at : at + 2], 16)) for at in (0, 2, 4))
