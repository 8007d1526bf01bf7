"""Splits Markdown and HTML into prose, code, comments, attributes and links, in one pass over the lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hermes_tools_skills.scanner.source import Lines

Kind = Literal["frontmatter", "prose", "fence", "inline", "hidden", "script"]

_FENCE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})[ \t]*\{?\.?([\w+#.-]*)([^`]*)$")
_INDENTED = re.compile(r"^(?: {4}|\t)[ \t]*\S")
_INLINE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n][^`]*?)(?<!`)\1(?!`)")
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_REFERENCE_COMMENT = re.compile(
    r"^[ \t]*\[[^\]\n]{1,80}\]:[ \t]*(?:#|<>|<#>|about:blank|/)?[ \t]*[(\"'](.+?)[)\"'][ \t]*$", re.MULTILINE
)
_IMAGE = re.compile(r"!\[([^\]]{8,2000})\]|\]\([^()\s]+[ \t]+[\"']([^\"'\n]{8,})[\"']\)")
_ATTRIBUTE = re.compile(
    r"\b(?:alt|title|aria-label|data-[\w-]+|content|placeholder|value)\s*=\s*(?:\"([^\"]{8,})\"|'([^']{8,})')",
    re.IGNORECASE,
)
_HIDDEN_ELEMENT = re.compile(
    r"<(\w+)[^<>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])|\bhidden\b|"
    r"color\s*[:=]\s*[\"']?(?:white|#fff(?:fff)?|transparent)\b|aria-hidden\s*=\s*[\"']?true|(?:left|top|"
    r"text-indent)\s*:\s*-\d{3,})[^<>]*>(.*?)(?:</\1|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_SCRIPT = re.compile(r"<script\b[^<>]*>(.*?)(?:</script|\Z)", re.IGNORECASE | re.DOTALL)
#: Words before a block of code that say not to run it.
_WARNING = re.compile(
    r"(?i)\b(?:never\s+(?:run|do|use|execute)|(?:do\s+not|don'?t)\s+(?:run|do|use|execute|ever)|avoid|malicious|"
    r"attack(?:er|s)?\b|unsafe|insecure|"
    r"vulnerab\w+|exploit\w*|red\s+flags?|anti-?patterns?|bad\s+(?:example|practice|pattern)|dangerous|"
    r"destructive|detect(?:s|ed|ion|ing)?|"
    r"flag(?:s|ged)?\s|block(?:s|ed|ing)?\b|den(?:y|ied|ies)|suspicious|forbidden|prohibited|reject\w*|refuse\w*|"
    r"❌|🚫|indicators?\s+of|"
    r"malware|wrong)"
)
_ORDERED = re.compile(
    r"(?i)\b(?:run|runs|running|execute|executing|type|paste|enter|install|invoke|launch|start with|then|"
    r"first)\b[^\n]{0,60}$"
    r"|\b(?:use|via|with|using|call|do)\s*$|:\s*$|^\s*(?:[-*]|\d+[.)])?\s*$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of a document."""

    kind: Kind
    text: str
    #: Counted from 0.
    line: int
    language: str = ""
    #: The text before a block of code warns of it.
    warned: bool = False


def split_markdown(text: str) -> Iterator[Segment]:
    """Yield the parts of a Markdown document. Hidden text comes again, on its own."""
    lines = text.split("\n")
    start = 0
    if lines and lines[0].lstrip("\ufeff").rstrip() == "---":
        end = next((at for at in range(1, len(lines)) if lines[at].rstrip() in {"---", "..."}), 0)
        if end:
            yield Segment(kind="frontmatter", text="\n".join(lines[1:end]), line=1)
            start = end + 1
    prose: list[str] = [""] * start
    before = ""
    at = start
    while at < len(lines):
        opened = _FENCE.match(lines[at])
        if opened:
            end = _fence_end(lines, at, opened.group(1))
            code = "\n".join(lines[at + 1 : end])
            warned = _WARNING.search(before) is not None
            yield Segment(kind="fence", text=code, line=at + 1, language=opened.group(2).lower(), warned=warned)
            prose += [""] * (min(end, len(lines) - 1) - at + 1)
            at = end + 1
        elif _INDENTED.match(lines[at]) and (at == 0 or not lines[at - 1].strip()) and not _in_list(lines, at):
            end = at
            while end < len(lines) and (_INDENTED.match(lines[end]) or not lines[end].strip()):
                end += 1
            code = "\n".join(line[4:] if line.startswith("    ") else line.lstrip("\t") for line in lines[at:end])
            yield Segment(kind="fence", text=code, line=at, language="", warned=_WARNING.search(before) is not None)
            # What is indented may also be a continuation that is read as prose.
            prose += lines[at:end]
            at = end
        else:
            prose.append(lines[at])
            stripped = lines[at].strip()
            if stripped:
                before = f"{before}\n{stripped}" if not stripped.startswith("#") else stripped
                before = before[-300:] if len(before) > 600 else before
            at += 1
    yield from _split_prose("\n".join(prose))


def _fence_end(lines: list[str], at: int, fence: str) -> int:
    closing = re.compile(rf"^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    return next((end for end in range(at + 1, len(lines)) if closing.match(lines[end])), len(lines))


def _in_list(lines: list[str], at: int) -> bool:
    """Return True when an indented line continues a list, up to a few lines before."""
    return any(re.match(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]", line) for line in lines[max(0, at - 6) : at])


def _split_prose(text: str) -> Iterator[Segment]:
    yield from split_html(text)
    lines = Lines(text)
    for found in _INLINE.finditer(text):
        sentence = text[max(0, found.start() - 160) : found.start()].rpartition("\n\n")[2]
        # What is named in a sentence is only a mention, unless the sentence says to run it.
        warned = _WARNING.search(sentence) is not None or not _ORDERED.search(sentence)
        yield Segment(kind="inline", text=found.group(2), line=lines.at(found.start()), warned=warned)
    yield Segment(kind="prose", text=_COMMENT.sub(lambda found: "\n" * found.group().count("\n"), text), line=0)


def split_html(text: str) -> Iterator[Segment]:
    """Yield the parts of a text that a reader of the rendered page does not see."""
    for pattern, kind in (
        (_COMMENT, "hidden"),
        (_REFERENCE_COMMENT, "hidden"),
        (_IMAGE, "hidden"),
        (_ATTRIBUTE, "hidden"),
        (_HIDDEN_ELEMENT, "hidden"),
        (_SCRIPT, "script"),
    ):
        last, line = 0, 0
        for found in pattern.finditer(text):
            line += text.count("\n", last, found.start())
            last = found.start()
            inner = (
                found.group(2) if pattern is _HIDDEN_ELEMENT else next((group for group in found.groups() if group), "")
            )
            if inner.strip():
                yield Segment(kind=kind, text=inner, line=line)  # type: ignore[arg-type]
