"""PUBLIC: what a plugin with state of its own learns about the host that it is made for.

An entry point, or an object that an application gives, may have two names beside its registration hooks:

- `hermes_factory(context)` is called once for each host, before its first call, and returns the object with the hooks
  of calls and sessions. `ConfigError` keeps the host from running any call. If it does anything else instead, that
  disables the plugin, as an import that fails does; one with a hook that may deny calls then denies them all.
- `hermes_hooks` names all hooks that this object may have, for the manifest: `("hermes_post_tool_call",)`.
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
        home: The folder for settings and state.
        environ: Where keys are looked up.
        parent: The host that this one works for, which has to agree to what it waives; None without one.
        is_loaded: Whether `Hermes.load` made the host, so that it goes by the user's settings and state.
        is_probe: Whether calls only test the installation: then plugins store nothing about them.
        is_inside_tool: Whether a tool started this process: then nobody is asked in it.
        approval_timeout: How many seconds approvals are waited for. A factory may set it; it counts where neither the
            application nor the user chose another.
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
        """The settings: what the user wrote, then what the application gives. Either may be missing.

        In a process that a tool started, only the user's settings count.
        """
        return self._config.sources

    @property
    def config(self) -> Config:
        """The settings that count for most plugins: those of the application, or else the user's."""
        return self._config.now

    @property
    def tools(self) -> Mapping[str, ToolSpec]:
        """The tools that are registered now, by name."""
        specs = ((name, self._registry.get(name)) for name in self._registry.names())
        return {name: spec for name, spec in specs if spec is not None}

    def plugin(self, kind: type[Kind]) -> Kind | None:
        """Return the plugin of this host that is an instance of a class; None when there is none."""
        return next((each for each in self._plugins.now.objects() if isinstance(each, kind)), None)


def declared_hooks(plugin: object, name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the hooks that a factory says its plugin may have.

    Raises:
        PluginError: it names something else than hooks.
    """
    declared: Any = getattr(plugin, "hermes_hooks", ())
    if isinstance(declared, tuple | list) and set(declared) <= set(known):
        return tuple(declared)
    raise PluginError(f"its hermes_hooks are {declared!r}, not names of hooks.", plugin=name, remedy="List the hooks.")
