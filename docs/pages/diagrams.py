"""The diagrams of the architecture page, drawn from the packages' dependencies and the stages of the pipeline.

They are 400 units wide, so that a phone shows them at full size. Their colors follow the page that includes them, and
elsewhere the reader's light or dark mode.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path

from docs.sizes import Package
from docs.sizes import packages as measure

from hermes_core.calls.pipeline import Pipeline

FOLDER = Path(__file__).parents[1] / "explanation"
WIDTH = 400
STYLE = """<style>
.drawn { color-scheme: light dark; font: 13px system-ui, sans-serif }
.drawn text { fill: light-dark(#212529, #e9ecef) }
.drawn .small { font-size: 11px }
.drawn .name { font-size: 12px; font-weight: 600 }
.drawn .band { fill: light-dark(#f1f3f5, #2b2f3a) }
.drawn .box { fill: light-dark(#ffffff, #1e2129) }
.drawn .box, .drawn .line { stroke: light-dark(#4c5fbf, #97a4ee); stroke-width: 1.2 }
.drawn .line { fill: none }
.drawn .head { fill: light-dark(#4c5fbf, #97a4ee) }
</style>"""

STAGES = {
    "resolve": ("find the tool within the caller's scope", "unknown tool"),
    "repair": ("make the arguments fit the schema", ""),
    "validate": ("check the arguments", "invalid arguments"),
    "pre hooks": ("ask every policy hook", "denied by policy"),
    "assess": ("collect findings about the call", "refused"),
    "approve": ("apply rules and grants, then ask", "denied or timed out"),
    "execute": ("run the handler under a deadline", "failed or timed out"),
    "transform": ("let plugins replace the result", ""),
    "limit": ("store long results in a file", ""),
    "post hooks": ("report every call to observers", ""),
}
"""What each stage does, and the outcome of a call that ends there."""


def packages() -> str:
    """Draw the packages in layers, and the packages they require besides the core and its libraries."""
    measured = list(measure())
    core = next(each for each in measured if each.name == "hermes-core")
    plugins = [each for each in measured if core.name in each.ours]
    layers = {
        "Families: tools": [each for each in plugins if each.name.startswith("hermes-tools-")],
        "Features: plugins around calls": [each for each in plugins if not each.name.startswith("hermes-tools-")],
        "Core": [core],
        "Libraries: independent of the core": [each for each in measured if each != core and each not in plugins],
    }
    libraries = layers["Libraries: independent of the core"]
    assert not any(name != "hermes-text" for each in libraries for name in each.ours)
    parts, y, bands = [], 4, []
    for number, (title, members) in enumerate(layers.items()):
        height = 30 + 50 * ((len(members) + 1) // 2)
        bands.append(y)
        parts.append(f'<rect class="band" x="0" y="{y}" width="374" height="{height}" rx="6"/>')
        parts.append(_text(10, y + 19, title, "name"))
        for index, each in enumerate(members):
            wide = 356 if len(members) == 1 else 174
            parts += _box(9 + 182 * (index % 2), y + 28 + 50 * (index // 2), wide, each.name, _needs(each, core))
        y += height
        if number in {1, 2}:
            parts += _arrow(187, y, y + 32)
            parts.append(_text(196, y + 20, "imports public modules" if number == 1 else "imports", "small"))
            y += 32
        else:
            y += 8
    parts.append(f'<path class="line" d="M374 {bands[0] + 15}H388V{bands[3] + 15}H380M374 {bands[1] + 15}H388"/>')
    parts.append(f'<path class="head" d="M374 {bands[3] + 15}l8 -4v8z"/>')
    return _svg("Packages and their imports", y, parts)


def _needs(package: Package, core: Package) -> str:
    ours = [name for name in package.ours if package == core or name not in {core.name, *core.ours}]
    return "requires " + ", ".join(name.removeprefix("hermes-") for name in ours) if ours else ""


def call() -> str:
    """Draw the stages of the pipeline, and where a call can end before the last of them."""
    found = re.search(r"stages: ([^.]+)\.", Pipeline.__doc__ or "")
    assert found is not None
    stages = found[1].split(", ")
    assert stages == list(STAGES), f"the pipeline has other stages than the diagram: {stages}"
    parts = [_text(8, 16, "A call: name and arguments", "name"), *_arrow(120, 22, 40)]
    ends = []
    for number, stage in enumerate(stages):
        y = 40 + 56 * number
        does, outcome = STAGES[stage]
        parts += _box(4, y, 236, f"{number + 1}. {stage}", does)
        parts += _arrow(120, y + 40, y + 56)
        if outcome:
            ends.append(y + 20)
            parts.append(f'<path class="line" d="M240 {y + 20}H256M384 {y + 20}H392"/>')
            parts.append(_text(261, y + 24, outcome, "small"))
    bottom = 40 + 56 * (len(stages) - 1) + 20
    parts.append(f'<path class="line" d="M392 {ends[0]}V{bottom}H248"/>')
    parts.append(f'<path class="head" d="M240 {bottom}l8 -4v8z"/>')
    parts.append(_text(276, bottom - 8, "as a JSON error", "small"))
    parts.append(_text(8, bottom + 50, "Always JSON text for the model", "name"))
    return _svg("The life of a call", bottom + 60, parts)


def _box(x: int, y: int, width: int, name: str, note: str) -> list[str]:
    """Draw a box with a name, and a note below it."""
    box = f'<rect class="box" x="{x}" y="{y}" width="{width}" height="40" rx="4"/>'
    return [
        box,
        _text(x + 8, y + (17 if note else 25), name, "name"),
        *([_text(x + 8, y + 32, note, "small")] if note else ()),
    ]


def _arrow(x: int, top: int, bottom: int) -> list[str]:
    line = f'<path class="line" d="M{x} {top}V{bottom - 7}"/>'
    return [line, f'<path class="head" d="M{x} {bottom}l-4 -8h8z"/>']


def _text(x: int, y: int, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{escape(text)}</text>'


def _svg(title: str, height: int, parts: Iterable[str]) -> str:
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" class="drawn" viewBox="0 0 {WIDTH} {height}" role="img">'
    return "\n".join([opening, f"<title>{title}</title>", STYLE, *parts, "</svg>\n"])


DIAGRAMS: dict[Path, Callable[[], str]] = {FOLDER / "packages.svg": packages, FOLDER / "call.svg": call}
"""The function that draws each diagram, by file."""
