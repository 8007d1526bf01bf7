"""Tools that were shared for agents of LlamaIndex; what their readmes and notebooks ask of an agent as questions.

A tool is a package. The functions that it offers are its parameters.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.search.sets import EvalSet, Question, definition, halved, merged

_CALL = re.compile(r"""(?s)(?:agent|chat|query)\w*\.(?:chat|query|run)\(\s*f?(\"""|"|')(.+?)\1\s*(?:,[^)]*)?\)""")
_SEAM = re.compile(r"""["']\s*\n\s*["']""")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_UNCLEAR = re.compile(
    r"\b(it|he|his|she|they|these|those|that table|the draft|the second|second image|send the email|already loaded|"
    r"previous|the conversation|a few reviews|the page|else|same but|2nd-longest|this file|the first table)\b|"
    r"[{}]|cogniswitch$",
    re.IGNORECASE,
)
"""Questions that make no sense without what was said before them."""
_LEFT_OUT = {"metaphor", "zapier"}
"""One is called `exa` now, the other offers nothing before it is connected."""
_MISPLACED = {"chatgpt_plugin": "", "google_search": "calendar|event"}
"""Questions in the readme of a tool that are about another one: about any plugin, and about the calendar."""
_NOTEBOOKS = {
    "azure_vision": "azure_cv",
    "openai_image_generation_agent": "openai_image_generation",
    "tavily": "tavily_research",
    "text_to_image-pg": "text_to_image",
}
"""Notebooks that are not named after their tool."""
_WEB = frozenset({"bing_search", "exa", "google_search", "tavily_research"})
"""Each of these answers what the others are asked."""


def sets(folder: Path) -> Iterator[EvalSet]:
    """Both halves of the questions, asked of the whole catalogue."""
    hub = folder / "llama_hub" / "llama_hub" / "tools"
    homes = {it.parent.name: it.parent for it in sorted(hub.glob("*/base.py"))}
    homes |= {it.name.removeprefix("llama_index_tools_"): it for it in sorted(folder.glob("llama_index_tools_*"))}
    readmes = {name: _readme(own) for name, own in homes.items() if name not in _LEFT_OUT}
    tools = [definition(name, _about(text), _functions(homes[name])) for name, text in readmes.items()]
    texts = [*readmes.items(), *_notebooks(hub)]
    questions = merged(it for name, text in texts if name in readmes for it in _questions(name, text))
    shared = [it if it.wanted.isdisjoint(_WEB) else replace(it, wanted=it.wanted | _WEB) for it in questions]
    yield from halved("llamahub", tools, shared)


def _readme(own: Path) -> str:
    file = own / "README.md"
    if file.exists():
        return file.read_text(encoding="utf-8")
    return next(own.glob("*.dist-info/METADATA")).read_text(encoding="utf-8").partition("\n\n")[2]


def _notebooks(hub: Path) -> Iterator[tuple[str, str]]:
    for file in sorted((hub / "notebooks").glob("*.ipynb")):
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        code = ("".join(it["source"]) for it in cells if it["cell_type"] == "code")
        yield _NOTEBOOKS.get(file.stem, file.stem), "\n".join(code)


def _questions(name: str, text: str) -> Iterator[Question]:
    for _, found in _CALL.findall(text):
        said = " ".join(_SEAM.sub("", found).split())
        misplaced = name in _MISPLACED and re.search(_MISPLACED[name], said)
        if len(said.split()) >= 3 and not misplaced and not _UNCLEAR.search(said):
            yield Question(said, frozenset({name}), "request")


def _about(readme: str) -> str:
    """The first paragraph that tells something."""
    for paragraph in re.split(r"\n\s*\n", readme):
        said = _LINK.sub(r"\1", paragraph).strip()
        if len(said.split()) > 5 and not said.startswith(("#", "```", "!", "[")) and "pip install" not in said:
            return " ".join(said.split())[:400]
    return ""


def _functions(own: Path) -> Iterator[tuple[str, str]]:
    """The functions that an agent is shown, and the first paragraph of each docstring."""
    for file in sorted(own.rglob("base.py")):
        for spec in ast.parse(file.read_text(encoding="utf-8")).body:
            if not isinstance(spec, ast.ClassDef) or "ToolSpec" not in spec.name:
                continue
            offered = _offered(spec)
            for it in spec.body:
                if isinstance(it, ast.FunctionDef | ast.AsyncFunctionDef) and it.name in offered:
                    doc = re.split(r"\n\s*\n|Args:|Returns:|Parameters", ast.get_docstring(it) or "")[0]
                    yield it.name, " ".join(doc.split())[:300]


def _offered(spec: ast.ClassDef) -> set[object]:
    for it in spec.body:
        if isinstance(it, ast.Assign) and ast.unparse(it.targets[0]) == "spec_functions":
            return {name.value for name in ast.walk(it.value) if isinstance(name, ast.Constant)}
    return set()
