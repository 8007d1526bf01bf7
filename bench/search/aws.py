"""Operations of AWS as tools; the titles of the examples that its command line ships as questions about them."""

from __future__ import annotations

import gzip
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.search.sets import HELD_OUT, TUNING, EvalSet, Question, definition, half_of, thinned

_TITLE = re.compile(r"^\*\*(?:Example \d+[:.]? ?)?(?:To )?(.+?)\*\*", re.MULTILINE)
_TAG = re.compile(r"<[^>]+>")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+")


def sets(wheels: Path) -> Iterator[EvalSet]:
    """One set for each half of the services."""
    examples = wheels / "awscli" / "examples"
    services = sorted(folder.name for folder in examples.iterdir() if folder.is_dir())
    for half in (TUNING, HELD_OUT):
        definitions: list[dict[str, Any]] = []
        questions: list[Question] = []
        for service in services:
            if half_of(service) != half:
                continue
            tools = list(_operations(wheels / "botocore" / "data" / service, service))
            definitions += tools
            known = {tool["function"]["name"] for tool in tools}
            questions += _questions(examples / service, service, known)
        bare = thinned([it for it in questions if it.kind == "title"], 700)
        named = thinned([it for it in questions if it.kind == "title and service"], 700)
        yield EvalSet("aws", half, definitions, bare + named)


def _operations(folder: Path, service: str) -> Iterator[dict[str, Any]]:
    versions = sorted(folder.glob("*/service-2.json*"))
    if not versions:
        return
    raw = versions[-1].read_bytes()
    model = json.loads(gzip.decompress(raw) if versions[-1].suffix == ".gz" else raw)
    for name, operation in model["operations"].items():
        members = model["shapes"].get(operation.get("input", {}).get("shape"), {}).get("members", {})
        parameters = [(key, _plain(member.get("documentation", ""))[:200]) for key, member in members.items()]
        yield definition(_snake(service, name), _plain(operation.get("documentation", ""))[:600], parameters)


def _questions(folder: Path, service: str, known: set[str]) -> Iterator[Question]:
    for file in sorted(folder.glob("*.rst")):
        name = f"{service}_{file.stem}".replace("-", "_")
        if name not in known:
            continue
        titles = [it.strip().rstrip(":.") for it in _TITLE.findall(file.read_text(encoding="utf-8"))][:2]
        for title in titles:
            if len(title.split()) < 3:
                continue
            yield Question(title, frozenset({name}), "title")
            yield Question(f"{title} in {service}", frozenset({name}), "title and service")


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())


def _snake(service: str, operation: str) -> str:
    return "_".join([service.replace("-", "_"), *(word.lower() for word in _WORD.findall(operation))])
