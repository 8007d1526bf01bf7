"""The pages under docs/reference, one module for each."""

from __future__ import annotations

from collections.abc import Callable

from docs.pages import (
    api,
    commands,
    errors,
    features,
    guard_rules,
    guard_score,
    hooks,
    manifest,
    packages,
    page_score,
    plugins,
    settings,
    skills,
    terminal,
    testing,
    tool_fields,
    toolsets,
    web,
)

PAGES: dict[str, Callable[[], str]] = {
    "hooks": hooks.page,
    "commands": commands.page,
    "errors": errors.page,
    "toolsets": toolsets.page,
    "settings": settings.page,
    "tool-fields": tool_fields.page,
    "api": api.page,
    "packages": packages.page,
    "plugins": plugins.page,
    "manifest": manifest.page,
    "testing": testing.page,
    "guard-rules": guard_rules.page,
    "guard-score": guard_score.page,
    "features": features.page,
    "page-score": page_score.page,
    "skills": skills.page,
    "terminal": terminal.page,
    "web": web.page,
}
"""The function that generates each page, by name."""
