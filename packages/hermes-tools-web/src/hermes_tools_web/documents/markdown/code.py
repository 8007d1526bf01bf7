"""Write fenced code blocks with their language, without line numbers."""

from __future__ import annotations

import re

from hermes_tools_web.documents.html_tree import Node, attr, name_words, walk
from hermes_tools_web.documents.text_formats import fence
from hermes_tools_web.text import word_set

_NAMED = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|code|src)[-:]|brush:?\s*)([A-Za-z][\w+#.-]{0,20})"
)
_LANGUAGES = word_set(
    "bash sh shell console zsh fish powershell python python3 py pycon ipython javascript js jsx typescript "
    "ts tsx json json5 yaml yml toml ini xml html css scss sass less sql c cpp c++ csharp cs c# java kotlin "
    "swift go golang rust ruby rb php perl lua r scala haskell elixir erlang clojure dart julia matlab latex "
    "tex makefile make cmake dockerfile docker nginx apache graphql protobuf diff patch markdown md rst text "
    "plaintext http objectivec objc vue svelte zig nim ocaml fsharp vb asm solidity terraform hcl groovy "
    "gradle awk sed vim regex svg csv jsonc proto"
)
_NO_LANGUAGE = word_set(
    "default none block text plaintext plain txt notranslate nohighlight no highlight auto wrapper container "
    "box area toolbar snippet example sample inline body view line lines pre hljs"
)
_NUMBERS = word_set("lineno linenos linenumber linenumbers gutter linenodiv lnt ln")
_LINE = frozenset(
    ("token-line", "code-line", "line", "cl", "view-line", "blob-code", "react-code-text", "CodeMirror-line", "row")
)
_ROWS = frozenset(("div", "li", "tr", "p"))


def fenced_code(node: Node) -> str:
    """Write a `pre` element as a fenced block; empty when it has no text."""
    text = extract_code(node)
    return fence(text, detect_language(node)) if text.strip() else ""


def extract_code(node: Node) -> str:
    """Return the lines of a preformatted element."""
    parts: list[str] = []
    skipped = 0
    for event, at in walk(node):
        if event == "start":
            if skipped or _is_number(at):
                skipped += 1
                continue
            _break_before(at, parts, node)
            parts.append(at.text or "")
            continue
        if skipped:
            skipped -= 1
        elif at is not node and _is_row(at) and not _ends_line(parts) and not _is_broken_after(at):
            parts.append("\n")
        if not skipped and at is not node:
            parts.append(_tail(at))
    text = "".join(parts).replace("\u00a0", " ")
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).strip("\n")


def _tail(node: Node) -> str:
    tail = node.tail or ""
    # Text between rows and items is only indentation.
    return "" if node.tag in ("tr", "td", "th", "li", "tbody") and not tail.strip() else tail


def _break_before(node: Node, parts: list[str], root: Node) -> None:
    if node.tag == "br" or (node is not root and _is_row(node) and not _ends_line(parts) and node.tag in _ROWS):
        parts.append("\n")


def _is_row(node: Node) -> bool:
    return node.tag in _ROWS or (node.tag in ("span", "code") and bool(_LINE & set(attr(node, "class").split())))


def _is_broken_after(node: Node) -> bool:
    """Return whether a line break follows an inline element that is a line."""
    return node.tag not in _ROWS and (node.tail or "").lstrip(" \t\r").startswith("\n")


def _ends_line(parts: list[str]) -> bool:
    for part in reversed(parts):
        if part:
            return part.endswith("\n")
    return True


def _is_number(node: Node) -> bool:
    if node.tag in ("button", "style", "script"):
        return True
    if node.tag in ("td", "span", "div", "a", "pre", "th") and (node.get("class") or node.get("data-line-number")):
        if node.get("data-line-number") is not None and not "".join(node.itertext()).strip():
            return True
        words = name_words(node)
        return (
            bool(words & _NUMBERS)
            or {"line", "number"} <= words
            or {"line", "numbers"} <= words
            or "blob-num" in attr(node, "class")
        )
    return False


def detect_language(node: Node) -> str:
    """Return the language of a code block; empty when it is unknown."""
    places = [node, *list(node.iter("code"))[:1]]
    for ancestor in node.iterancestors("div", "figure", "td", "section", "span", "code-block"):
        places.append(ancestor)
        if len(places) > 5:
            break
    for place in places:
        for name in ("data-lang", "data-language", "lang"):
            if _is_language(attr(place, name)):
                return attr(place, name).strip().lower()
        named = _language_in(attr(place, "class"), strict=place is not node and place.tag != "code")
        if named:
            return named
    return ""


def _is_language(name: str) -> bool:
    return name.strip().lower() in _LANGUAGES and name.strip().lower() not in _NO_LANGUAGE


def _language_in(names: str, *, strict: bool) -> str:
    for match in _NAMED.finditer(names[:500]):
        found = match.group(1).lower().rstrip(".,;")
        if found not in _NO_LANGUAGE and (not strict or found in _LANGUAGES):
            return found
    if not strict:
        for name in names[:500].lower().split():
            if name in _LANGUAGES and name not in _NO_LANGUAGE:
                return name
    return ""
