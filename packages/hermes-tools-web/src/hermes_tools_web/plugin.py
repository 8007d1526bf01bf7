"""Hook implementations of the web family; everything heavy is imported when a hook is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_core import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    import click
    from pydantic import BaseModel

    from hermes_core import Tool
    from hermes_core.demo import DemoStep
    from hermes_core.health import HealthCheck

hermes_api = ">=1.0,<2"


@hookimpl
def hermes_tools() -> list[Tool]:
    """Return the tools of the family."""
    from hermes_tools_web.tools.web_crawl import web_crawl
    from hermes_tools_web.tools.web_extract import web_extract
    from hermes_tools_web.tools.web_search import web_search

    return [web_search, web_extract, web_crawl]


@hookimpl
def hermes_settings() -> dict[str, type[BaseModel] | dict[str, Any]]:
    """Return the section `web` and the shared sections `auxiliary` and `security`."""
    from hermes_auxiliary import AUXILIARY_SCHEMA
    from hermes_net import SECURITY_SCHEMA
    from hermes_tools_web.settings import WebSettings

    return {"web": WebSettings, "auxiliary": AUXILIARY_SCHEMA, "security": SECURITY_SCHEMA}


@hookimpl
def hermes_commands() -> list[click.Command]:
    """Return `hermes web`."""
    from hermes_tools_web.cli.commands import web

    return [web]


@hookimpl
def hermes_providers() -> dict[str, dict[str, Callable[[], object]]]:
    """Return the factories of the built-in search and extract providers."""
    from hermes_tools_web.providers.selection import provider_factories

    return provider_factories()


@hookimpl
def hermes_health_checks() -> list[HealthCheck]:
    """Return the checks that `hermes doctor` runs."""
    from hermes_tools_web.health import health_checks

    return health_checks()


@hookimpl
def hermes_demo_steps() -> list[DemoStep]:
    """Return the steps that `hermes demo` runs."""
    from hermes_tools_web.demo import demo_steps

    return demo_steps()
