"""Commands of the CLI for Microsoft 365 as tools; what its manual says above the examples as questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.search.sets import HELD_OUT, TUNING, EvalSet, Question, definition, half_of, merged, plain

_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_OPTIONS = re.compile(r"## Options\s*```md definition-list\n(.*?)```", re.DOTALL)
_OPTION = re.compile(r"`(?:-\w, )?--([\w-]+)[^`]*`\n: (.*?)(?=\n\n|\Z)", re.DOTALL)
_EXAMPLES = re.compile(r"^## Examples\s*$(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_NOTE = re.compile(r":::.*?:::", re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NOISE = re.compile(r"[`*]|<[^>]+>")
_ITALIC = re.compile(r"(?<!\w)_([^_]+)_(?!\w)")


def sets(folder: Path) -> Iterator[EvalSet]:
    """Both halves of the examples, asked of the whole catalogue."""
    tools: list[dict[str, Any]] = []
    questions: list[Question] = []
    for file in sorted((folder / "pnp-cli-microsoft365" / "package" / "docs" / "docs" / "cmd").glob("**/*.mdx")):
        text = file.read_text(encoding="utf-8")
        title = _TITLE.search(text)
        if title is None or "## Usage" not in text:
            continue
        name = title[1].strip().replace(" ", "_")
        about = _clean(text[title.end() : text.index("## Usage")].split(":::")[0])
        tools.append(definition(name, about, _parameters(text)))
        asked = [it for it in _examples(text) if plain(it) != plain(about)]
        questions += [Question(it, frozenset({name}), "example") for it in asked]
    for half in (TUNING, HELD_OUT):
        yield EvalSet("m365", half, tools, [it for it in merged(questions) if half_of(domain(min(it.wanted))) == half])


def domain(name: str) -> str:
    """What a command is about: `spo_site_add` is about `spo_site`."""
    return "_".join(name.split("_")[:2])


def _parameters(text: str) -> list[tuple[str, str]]:
    options = _OPTIONS.search(text)
    return [(name, _clean(about)) for name, about in _OPTION.findall(options[1])] if options else []


def _examples(text: str) -> Iterator[str]:
    """The paragraph above each command line."""
    examples = _EXAMPLES.search(text)
    blocks = _NOTE.sub("", examples[1]).split("```") if examples else []
    for prose, code in zip(blocks[::2], blocks[1::2], strict=False):
        said = _clean(prose.strip().split("\n\n")[-1]).rstrip(":. ")
        if code.startswith("sh") and len(said.split()) >= 4 and len(said) <= 300:
            yield said


def _clean(text: str) -> str:
    return " ".join(_NOISE.sub("", _ITALIC.sub(r"\1", _LINK.sub(r"\1", text))).split())
