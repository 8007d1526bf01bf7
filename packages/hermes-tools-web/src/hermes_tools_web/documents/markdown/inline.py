"""Write inline elements: text, emphasis, code, links, images, formulas and footnote references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from hermes_tools_web.documents.html_tree import Node, attr, get_text
from hermes_tools_web.documents.links import escape_url
from hermes_tools_web.documents.markdown.context import PageContext
from hermes_tools_web.documents.markdown.escaping import code_span, escape, escape_starts
from hermes_tools_web.documents.markdown.formulas import is_formula_image, write_formula
from hermes_tools_web.text import word_set

_MARKS = dict.fromkeys(("b", "strong"), "**") | dict.fromkeys(("i", "em", "cite", "dfn"), "*")
_MARKS |= dict.fromkeys(("del", "s", "strike"), "~~")
_CODE = frozenset(("code", "kbd", "samp", "tt", "var"))
_NOTHING = word_set("input select textarea script style iframe object template progress meter rp option head")
_SPACES = re.compile(r"[ \t\n\r\f\v\u00a0\u2007\u202f]+")
_AROUND_BREAKS = re.compile(r"[ \t]*\n[ \t]*")
_MANY_BLANKS = re.compile(" {2,}")
_MANY_BREAKS = re.compile(r"\n{2,}")
_ORDINALS = frozenset(("st", "nd", "rd", "th", "e", "er", "re", "º", "ª", "tm", "®", "™", "sm"))
_BACK = word_set("↩ ↩︎ ^ ↑ ⏎ ↵ ⤴ [return] return back")
_ANCHORS = frozenset(("¶", "#", "§", "🔗", "⚓", "∞", "link", "permalink", "[edit]", "edit"))
_MAX_IMAGE_URL = 500
_CONTACT = re.compile(r"(mailto|tel):([^\s?<>\"()]{4,254})(?:\?.*)?", re.IGNORECASE | re.DOTALL)
_NO_NUMBER = re.compile(r"[^0-9]")
_MAX_ALT = 300


def write_line(node: Node, page: PageContext) -> str:
    """Write the content of an element as lines."""
    return finish_lines(write_children(node, page))


def finish_lines(text: str) -> str:
    """Normalize whitespace, and escape line starts."""
    text = text.strip()
    if "\n" in text:
        text = _MANY_BREAKS.sub("\n\n", _AROUND_BREAKS.sub("\n", text))
    elif text[:1].isalpha():  # an ordinary line
        return text.replace("  ", " ")
    return escape_starts(text).replace("  ", " ")


def write_children(node: Node, page: PageContext) -> str:
    """Write the content of an element without its own markup."""
    parts = [plain(node.text)]
    for child in node:
        add_inline(parts, child, page)
        parts.append(plain(child.tail))
    return _joined(parts)


def add_inline(parts: list[str], node: Node, page: PageContext) -> None:
    """Append an inline element, with a space where a style sheet separates it."""
    written = write_inline(node, page)
    if written and _are_apart(node) and parts and _ends_word(parts) and written[:1].isalnum():
        parts.append(" ")
    elif written.startswith("`") and next(filter(None, reversed(parts)), "").endswith("`"):
        parts.append(" ")  # two code spans would merge
    parts.append(written)


def write_inline(node: Node, page: PageContext) -> str:
    """Write an inline element with its markup."""
    tag = node.tag
    if tag == "br":
        return "\n"
    if tag in ("math", "script"):
        return write_formula(node)
    if tag in _NOTHING:
        return _of_form(node)
    if tag == "img":
        return image(node, page)
    if tag == "wbr":
        return ""
    if tag == "a":
        return _link(node, page)
    if tag in _CODE:
        return code_span(get_text(node)) if len(node) == 0 or tag != "var" else write_children(node, page)
    if tag in ("sup", "sub"):
        return _raised(node, page)
    text = write_children(node, page)
    if tag == "rt":
        return f"({text.strip()})" if text.strip() else ""
    if tag == "q":
        return f"“{text.strip()}”"
    if page.is_block(node):
        return f"\n{text}\n"
    return emphasize(text, _MARKS[tag]) if tag in _MARKS else text


def emphasize(text: str, mark: str) -> str:
    """Enclose text in emphasis markers, with whitespace outside."""
    body = text.strip()
    if not body or mark in body or "\n" in body or not any(char.isalnum() for char in body):
        return text
    start = len(text) - len(text.lstrip())
    return f"{text[:start]}{mark}{body}{mark}{text[start + len(body) :]}"


def plain(text: str | None) -> str:
    """Collapse whitespace and escape text."""
    if not text or (text.isascii() and text.isalnum()):
        return text or ""
    return escape(_SPACES.sub(" ", text))


def image(node: Node, page: PageContext) -> str:
    """Write an image that has a description, without inline data."""
    alt = _SPACES.sub(" ", attr(node, "alt")).strip()[:_MAX_ALT]
    if is_formula_image(node) and alt:
        return write_formula(node)
    if not alt or alt.lower() in ("image", "photo", "picture", "img", "icon", "logo", "avatar", "spacer"):
        return ""
    if not any(char.isalnum() for char in alt) or "emoji" in attr(node, "class"):
        return escape(alt)
    url = page.addresses.absolute(_source(node))
    text = escape(alt).replace("[", "\\[").replace("]", "\\]").replace("\\\\", "\\")
    return f"![{text}]({escape_url(url)})" if url and len(url) <= _MAX_IMAGE_URL else f"\\[image: {escape(alt)}]"


def _source(node: Node) -> str:
    for name in ("src", "data-src", "data-original", "data-lazy-src"):
        value = attr(node, name)[:3000]
        if value and value.lstrip()[:5].lower() != "data:":
            return value
    first = (attr(node, "srcset")[:3000] or attr(node, "data-srcset")[:3000]).split(",")[0].split()
    return first[0] if first else ""


def _link(node: Node, page: PageContext) -> str:
    text = write_children(node, page)
    href = attr(node, "href")
    if page.addresses.is_same_page(href):
        return _inner_link(node, text, href, page)
    url = page.addresses.absolute(href) or _contact_url(href, text)
    return write_link(text, url)


def _contact_url(href: str, text: str) -> str:
    """Return a `mailto:` or `tel:` URL, unless the text already shows it."""
    found = _CONTACT.match("".join(unquote(href[:_MAX_IMAGE_URL]).split()))
    if found is None:
        return ""
    plain_number = _NO_NUMBER.sub("", found[2])
    said = found[2] in text or (found[1].lower() == "tel" and plain_number[-6:] in _NO_NUMBER.sub("", text))
    return "" if said else f"{found[1].lower()}:{found[2]}"


def write_link(text: str, url: str) -> str:
    """Write a link; only the text when the URL is empty."""
    body = " ".join(text.split())
    if not body or not url or _has_link(body):
        return text
    start, end = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{_edge(start)}[{_escape_brackets(body)}]({escape_url(url)}){_edge(end)}"


def _edge(blank: str) -> str:
    return "\n" if "\n" in blank else blank[:1]


def _has_link(body: str) -> bool:
    return (
        "](" in body
        and re.search(r"(?<!\\)\]\(", body) is not None
        and not re.fullmatch(r"!\[[^\]]*\]\([^()\s]*\)", body)
    )


def _escape_brackets(body: str) -> str:
    if body.startswith("!["):
        return body
    return re.sub(r"(?<!\\)([\[\]])", r"\\\1", body) if "[" in body or "]" in body else body


def _inner_link(node: Node, text: str, href: str, page: PageContext) -> str:
    label = page.notes.get(href.partition("#")[2])
    if label:
        return f"[^{label}]"
    bare = text.strip().lower()
    if bare in _BACK or bare in _ANCHORS or "backref" in attr(node, "class") or "doc-backlink" in attr(node, "role"):
        return ""
    return text


def _raised(node: Node, page: PageContext) -> str:
    text = write_children(node, page)
    body = text.strip()
    if not body or body.startswith("[^") or len(body) > 30 or body.lower() in _ORDINALS:
        return "" if body.lower() in _ANCHORS else text
    if node.tag == "sub":
        return body if body.isdigit() else f"_{body}" if body.isalnum() else f"_({body})"
    return f"^{body}" if re.fullmatch(r"[-+−]?\w+", body) else f"^({body})"


def _of_form(node: Node) -> str:
    if node.tag == "input" and attr(node, "type").lower() == "checkbox":
        parent = node.getparent()
        if parent is not None and (parent.tag == "li" or any(True for _ in node.iterancestors("li"))):
            return "[x] " if node.get("checked") is not None else "[ ] "
    return ""


def _are_apart(node: Node) -> bool:
    """Return whether a style sheet separates two adjacent elements."""
    before = node.getprevious()
    if before is None or before.tail or before.tag in ("b", "i", "em", "strong", "sup", "sub", "br", "wbr"):
        return False
    if node.tag in ("a", "time", "label"):
        return True
    return node.tag in ("span", "small") and bool(node.get("class"))


def _ends_word(parts: list[str]) -> bool:
    last = next((part for part in reversed(parts) if part), "")
    return last[-1:].isalnum() or last[-1:] in ")]*%"


def _joined(parts: Iterable[str]) -> str:
    text = "".join(parts)
    return _MANY_BLANKS.sub(" ", text) if "  " in text else text
