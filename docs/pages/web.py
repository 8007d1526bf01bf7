"""The web family, from its manifest: tools with their parameters, providers, settings and commands."""

from __future__ import annotations

from collections.abc import Iterator

from docs.pages.family import commands_of, manifest_of, settings_of, tools_of
from docs.pages.pieces import code, table

from hermes_tools_web.plugin import hermes_commands
from hermes_tools_web.providers.selection import get_setup, provider_factories, sort_providers


def page() -> str:
    """Generate the page."""
    manifest = manifest_of("hermes_tools_web")
    sections = [
        "# The web family\n\nThis page describes the tools, providers, settings and commands of `hermes-tools-web`. "
        "[Search and read the web](../how-to/search-the-web.md) and "
        "[Add a web provider](../how-to/add-a-web-provider.md) show how to use them. "
        "[The web](../explanation/web.md) explains the design.",
        *tools_of(manifest),
        "## Providers\n\nUnless the user chooses one, providers are asked in this order.\n\n"
        + table(["name", "description", "searches", "reads pages", "requires"], _providers()),
        settings_of(manifest, "These keys are in the section `web` of `config.yaml`."),
        *commands_of(hermes_commands()),
    ]
    return "\n\n".join(sections)


def _providers() -> Iterator[tuple[str, str, str, str, str]]:
    points = provider_factories()
    search, extract = points["web_search"], points["web_extract"]
    for each in sort_providers({name: make() for name, make in {**extract, **search}.items()}):
        setup = get_setup(each)
        needs = code((*setup.settings[:1], *setup.variables[:1])) or "nothing"
        does = ["yes" if each.name in point else "" for point in (search, extract)]
        yield f"`{each.name}`", setup.about, does[0], does[1], needs
