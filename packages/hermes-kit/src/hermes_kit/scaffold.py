"""The files of a new plugin project."""

from __future__ import annotations

import keyword
import re

from hermes_core import ConfigError
from hermes_core.inspection import RESERVED, default_range

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

_PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{distribution}"
version = "0.1.0"
description = "Tools for {word}."
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["hermes-core{api}"]

# This makes it a plugin: its name for users, and the module with the hooks.
[project.entry-points."hermes.plugins"]
{name} = "{package}"

[dependency-groups]
test = ["hermes-kit{api}", "pytest>=8.0"]

[tool.hatch.build.targets.wheel]
packages = ["src/{package}"]
"""

_README = """\
# {distribution}

Tools for {word}: a plugin for Hermes tools.

## Use it

Hermes tools has no release yet, and the package `hermes-core` of the public index is another project. Install the core
from a checkout of Hermes tools, whose directory is `$HERMES_TOOLS` here, and then this plugin:

    pip install "$HERMES_TOOLS"/packages/hermes-{{files,schemas,text,core}}
    pip install .
    hermes tools --toolset {name}
    hermes call {word}_hello name=Ada

## Work on it

    pip install "$HERMES_TOOLS/packages/hermes-kit"
    pip install -e . build
    pytest
    hermes plugin manifest      # after every change of a tool, a setting or a hook
    hermes plugin check         # review it before you publish it
    python -m build --wheel     # what you publish
"""

_PACKAGE = '''\
"""Tools for {word}: the plugin's hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_core import hookimpl
from {package}.settings import Settings
from {package}.tools import {word}_hello

if TYPE_CHECKING:
    from hermes_core import Tool

hermes_api = "{api}"


@hookimpl
def hermes_tools() -> list[Tool]:
    """Return the tools."""
    return [{word}_hello]


@hookimpl
def hermes_settings() -> dict[str, type[Settings]]:
    """Return the section of config.yaml."""
    return {{"{name}": Settings}}
'''

_SETTINGS = '''\
"""The section `{name}` of config.yaml."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """The greeting."""

    model_config = ConfigDict(extra="forbid")

    greeting: str = Field(default="Hello", min_length=1, description="The word before the name.")
'''

_TOOLS = '''\
"""The tools: typed functions, which also define the schemas for models."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hermes_core import ToolContext, tool
from {package}.settings import Settings


@tool(toolset="{name}", effects=["read"])
def {word}_hello(name: Annotated[str, Field(description="The name of the person to greet.")], ctx: ToolContext) -> str:
    """Greet a person by name. Replace this with what your tool does, and when to use it."""
    greeting = ctx.settings("{name}", Settings).greeting
    return f"{{greeting}}, {{name}}!"
'''

_TESTS = '''\
"""Tests of the plugin in a host."""

from __future__ import annotations

import {package}
from hermes_kit import check_manifest, check_plugin, load_plugin


def test_it_greets() -> None:
    with load_plugin({package}, name="{name}") as kit:
        assert kit.call("{word}_hello", {{"name": "Ada"}}).assert_ok().value == "Hello, Ada!"


def test_the_greeting_is_a_setting() -> None:
    with load_plugin({package}, name="{name}", config={{"{name}": {{"greeting": "Ahoy"}}}}) as kit:
        assert kit.call("{word}_hello", {{"name": "Ada"}}).value == "Ahoy, Ada!"


def test_the_review_has_no_remarks() -> None:
    assert check_plugin({package}, "{name}") == []


def test_the_manifest_matches_the_code() -> None:
    assert check_manifest({package}, "{name}") == []
'''


def project_files(name: str) -> dict[str, str]:
    """Return every file of a new project except its manifest, by path.

    Args:
        name: The plugin's name: lower-case words with dashes between them. The name of the distribution works, too.

    Raises:
        ConfigError: it cannot be the name of a plugin.
    """
    name = name.removeprefix("hermes-tools-")
    word = name.replace("-", "_")
    if not _NAME.fullmatch(name) or keyword.iskeyword(word) or len(name) > 40:
        raise ConfigError(
            f"{name!r} cannot be the name of a plugin: use lower-case words, joined with '-'.", example="dice"
        )
    owner = RESERVED.get(name, f"hermes-tools-{name}")
    if owner != f"hermes-tools-{name}":
        raise ConfigError(f"the name {name!r} is reserved for the plugin of {owner}.", example=f"my-{name}")
    facts = {
        "name": name,
        "word": word,
        "distribution": f"hermes-tools-{name}",
        "package": f"hermes_tools_{word}",
        "api": default_range(),
    }
    source = f"src/{facts['package']}"
    templates = {
        "pyproject.toml": _PROJECT,
        "README.md": _README,
        f"{source}/__init__.py": _PACKAGE,
        f"{source}/settings.py": _SETTINGS,
        f"{source}/tools.py": _TOOLS,
        f"tests/test_{word}.py": _TESTS,
    }
    files = {path: template.format(**facts) for path, template in templates.items()}
    return {**files, f"{source}/py.typed": ""}
