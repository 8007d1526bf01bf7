"""Skills of open voice assistants as tools; what their authors expect users to say as questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.search.sets import HELD_OUT, TUNING, EvalSet, Question, definition, half_of

_EXAMPLE = re.compile(r'^\s*[-*] *["“]?([^"”\n]{8,120}?)["”]?\s*$', re.MULTILINE)
_NOISE = re.compile(r"<[^>]*>|!?\[([^\]]*)\]\([^)]*\)|[*_`#>]|https?://\S+")
_CHOICE = re.compile(r"\(([^()|]*)\|[^()]*\)|\[[^\[\]]*\]|\{[^}]*\}")
_LIMIT = 8
"""Sentences of one skill, so that none outweighs the others."""


def sets(folder: Path) -> Iterator[EvalSet]:
    """Both halves of the skills, asked of the whole catalogue. Skills of one subject by two authors both count."""
    tools: list[dict[str, Any]] = []
    sayings: dict[str, list[str]] = {}
    names: dict[str, set[str]] = {}
    for own in sorted(it for it in folder.iterdir() if "skill" in it.name):
        subject = re.sub(r"^(ovos|neon)_|_?skill_?", "", own.name)
        said = _read_questions(own)
        about = _about(own)
        if not said or len(about) < 15:
            continue
        tools.append(definition(own.name.replace("ovos_", "").replace("neon_", "neon_"), about))
        names.setdefault(subject, set()).add(tools[-1]["function"]["name"])
        sayings.setdefault(subject, []).extend(said[:_LIMIT])
    for half in (TUNING, HELD_OUT):
        questions = [
            Question(text, frozenset(names[subject]), "utterance")
            for subject, texts in sayings.items()
            if half_of(subject) == half
            for text in dict.fromkeys(texts)
        ]
        yield EvalSet("skills", half, tools, questions)


def _readme(own: Path) -> str:
    text = next(own.glob("*.dist-info/METADATA")).read_text(encoding="utf-8")
    return text.partition("\n\n")[2]


def _about(own: Path) -> str:
    text = _NOISE.sub(r"\1", _readme(own).split("## Examples")[0])
    text = re.sub(r"\b(Summary|Description|About)\b\s*\n", "", text)
    return " ".join(text.split())[:400]


def _read_questions(own: Path) -> list[str]:
    """Return the sentences from the examples of the readme, then from the training files of the assistant."""
    examples = _readme(own).partition("## Examples")[2].split("\n## ")[0]
    found = [it.replace("_", "").strip() for it in _EXAMPLE.findall(_NOISE.sub(r"\1", examples))]
    for file in sorted(own.rglob("*.intent")):
        if "en-us" in str(file).lower():
            lines = file.read_text(encoding="utf-8").splitlines()
            found += [" ".join(_CHOICE.sub(r"\1", line).split()) for line in lines[:2]]
    return [it for it in found if len(it.split()) >= 3]
