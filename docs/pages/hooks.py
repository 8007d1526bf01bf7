"""Every hook, in the order in which a run calls them."""

from __future__ import annotations

import inspect
import re

from docs.pages.docstrings import module_doc, signature
from docs.pages.pieces import table

from hermes_core import hookspecs as specs
from hermes_core.plugins.manager import HOOKS

_HOOK_FIELDS = ("When", "Args", "Returns", "Errors", "Since")


def page() -> str:
    """Generate the page."""
    phase_of = _phases()
    sections = [f"# Hooks\n\n{module_doc(specs)}"]
    overview = ((f"[`{name}`](#{name})", phase_of[name][0], _hook_fields(name)["What"]) for name in HOOKS)
    sections.append(table(["hook", "phase", "purpose"], overview))
    for name in HOOKS:
        if phase_of[name][1]:
            title, remark = phase_of[name]
            sections.append(f"## {title}\n\nThese hooks are {remark}.")
        fields = _hook_fields(name)
        returns = inspect.signature(getattr(specs, name)).return_annotation
        written = f"```text\n{name}{signature(getattr(specs, name))} -> {returns}\n```"
        rows = ((field, fields[field]) for field in _HOOK_FIELDS)
        sections.append(f"### {name}\n\n{fields['What']}\n\n{written}\n\n{table(['field', 'meaning'], rows)}")
    return "\n\n".join(sections)


def _phases() -> dict[str, tuple[str, str]]:
    """Return the phase of each hook, and the remark in the banner for the first hook of each phase."""
    source = inspect.getsource(specs)
    banner = re.compile(r"^# -- (?P<title>[^:\n]+): (?P<remark>.+?) -{5,}$|^def (?P<hook>\w+)", re.MULTILINE)
    found: dict[str, tuple[str, str]] = {}
    title = remark = ""
    for match in banner.finditer(source):
        if match["hook"]:
            found[match["hook"]] = (title, remark)
            remark = ""
        else:
            title, remark = match["title"], match["remark"]
    return found


def _hook_fields(name: str) -> dict[str, str]:
    doc = inspect.getdoc(getattr(specs, name)) or ""
    what, *rest = re.split(rf"^({'|'.join(_HOOK_FIELDS)}): ", doc, flags=re.MULTILINE)
    fields = {"What": what.strip(), **dict(zip(rest[::2], rest[1::2], strict=True))}
    missing = [field for field in _HOOK_FIELDS if field not in fields]
    if missing:
        raise SystemExit(f"The docstring of {name} does not say {', '.join(missing)}.")
    return fields
