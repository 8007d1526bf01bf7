"""PUBLIC: what a plugin with state learns about the host that it is created for.

An entry point, or an object from the application, may have two names besides its registration hooks:

- `hermes_factory(context)` is called once for each host, before its first call, and returns the object with the hooks
  of calls and sessions. If it raises `ConfigError`, the host runs no calls. Any other failure disables the plugin, like
  a failed import; if the plugin has a hook that may deny calls, all calls are then denied.
- `hermes_hooks` lists all hooks that this object may have, for the manifest: `("hermes_post_tool_call",)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_core.errors import PluginError

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_core.config.config import Config
    from hermes_core.plugins.lazy_parts import LazyConfig, LazyPlugins
    from hermes_core.tools.registry import Registry
    from hermes_core.tools.tool_spec import ToolSpec

Kind = TypeVar("Kind")


@dataclass(kw_only=True, eq=False, repr=False)
class PluginContext:
    """One host, as the factory of a plugin sees it.

    Attributes:
        home: The directory for settings and state.
        environ: The environment with the keys of tools.
        parent: The host that this one works for, which must agree to waivers; None if there is none.
        is_loaded: Whether `Hermes.load` created the host, so that it uses the user's settings and state.
        is_probe: Whether calls only test the installation: then plugins store nothing about them.
        is_inside_tool: Whether a tool started this process: then no user can be asked.
        approval_timeout: The deadline of approvals in seconds. A factory may set it; values from the application or the
            user take precedence.
    """

    home: Path
    environ: Mapping[str, str]
    parent: PluginContext | None
    is_loaded: bool
    is_probe: bool
    is_inside_tool: bool
    approval_timeout: float | None = None
    _config: LazyConfig
    _registry: Registry
    _plugins: LazyPlugins

    @property
    def configs(self) -> tuple[Config, ...]:
        """The settings of the user, then those of the application. Either may be missing.

        In a process started by a tool, only the user's settings count.
        """
        return self._config.sources

    @property
    def config(self) -> Config:
        """The settings for most plugins: those of the application, or else of the user."""
        return self._config.now

    @property
    def tools(self) -> Mapping[str, ToolSpec]:
        """The tools that are registered now, by name."""
        specs = ((name, self._registry.get(name)) for name in self._registry.names())
        return {name: spec for name, spec in specs if spec is not None}

    def plugin(self, kind: type[Kind]) -> Kind | None:
        """Return the plugin of this host that is an instance of a class, or None."""
        return next((each for each in self._plugins.now.objects() if isinstance(each, kind)), None)


def declared_hooks(plugin: object, name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the `hermes_hooks` of a factory. Raises `PluginError` if they are not names of hooks."""
    declared: Any = getattr(plugin, "hermes_hooks", ())
    if isinstance(declared, tuple | list) and set(declared) <= set(known):
        return tuple(declared)
    raise PluginError(f"its hermes_hooks are {declared!r}, not names of hooks.", plugin=name, remedy="List the hooks.")
