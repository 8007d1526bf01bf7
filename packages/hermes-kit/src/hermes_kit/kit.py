"""A host with the plugin under test."""

from __future__ import annotations

from collections.abc import Mapping
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from hermes_core import Hermes, Tool
from hermes_core.errors import did_you_mean
from hermes_core.inspection import HOOKS, LoadReport, hook_table
from hermes_kit.clock import FakeClock, set_clock
from hermes_kit.outcome import Outcome
from hermes_kit.review import find_object
from hermes_kit.trace import HookTrace
from hermes_schemas import nearest

APPROVAL_SECONDS = 1.0
"""How long the kit waits for an approver: in a test no one is at a prompt."""


def load_plugin(plugin: object, *, name: str | None = None, clock: FakeClock | None = None, **options: Any) -> Kit:
    """Load a plugin into its own host.

    Args:
        plugin: The plugin: an object, a class, a module, or the value of an entry point, `package.module:object`; or a
            single tool.
        name: Its name in reports and decisions.
        clock: The clock for the expiry of availability checks.
        **options: The options of `Hermes`: additional `plugins`, `tools`, `services`, `home`, ... The default home is a
            temporary directory that is removed when the kit is closed.

    Raises:
        PluginError: the plugin cannot be loaded, or a part of it was refused.
    """
    scratch = None
    if options.get("home") is None:
        scratch = TemporaryDirectory(prefix="hermes-kit-", ignore_cleanup_errors=True)
        options["home"] = scratch.name
    config = options.get("config") or {}
    if isinstance(config, Mapping):
        calls = {"approval_timeout": APPROVAL_SECONDS, **config.get("calls", {})}
        options["config"] = {**config, "calls": calls}
    kit = Kit(Hermes(**options), scratch)
    try:
        if clock is not None:
            set_clock(kit.host, clock)
        found = find_object(plugin)
        if isinstance(found, Tool):
            kit.host.registry.register(found)
        else:
            kit.host.add_plugin(found, name)
    except BaseException:
        kit.close()
        raise
    return kit


class Kit:
    """A host for a test, with short ways to use it. Use it in a `with` block, or close it.

    Attributes:
        host: The host.
        trace: What each call hook saw, in order.
    """

    def __init__(self, host: Hermes, scratch: TemporaryDirectory[str] | None = None) -> None:
        self.host = host
        self.trace = HookTrace()
        self._scratch = scratch
        host.add_plugin(self.trace)

    def call(self, name: str, args: object = None, **options: Any) -> Outcome:
        """Call a tool through the whole pipeline. The options are those of `Hermes.call`."""
        return Outcome(self.host.run(name, args, **options))

    async def acall(self, name: str, args: object = None, **options: Any) -> Outcome:
        """Call a tool from async code; see `call`."""
        return Outcome(await self.host.arun(name, args, **options))

    def definitions(self, **options: Any) -> list[dict[str, Any]]:
        """Return the definitions that a model would get. The options are those of `Hermes.definitions`."""
        return self.host.definitions(**options)

    def tool_names(self) -> list[str]:
        """Return every registered tool, available or not, sorted."""
        return list(self.host.registry.names())

    def hook_order(self, hook: str) -> list[str]:
        """Return the plugins that implement a hook in the order of their calls, without the kit's own.

        Raises:
            ValueError: there is no such hook.
        """
        if hook not in HOOKS:
            raise ValueError(f"there is no hook {hook!r}.{did_you_mean(nearest(hook, HOOKS, 1))}")
        found = hook_table(self.host).implementations(hook)
        return [each.plugin for each in found if each.plugin != self.trace.__name__]

    @property
    def report(self) -> LoadReport:
        """The load status of each plugin, without the kit's own."""
        return LoadReport(tuple(record for record in self.host.report if record.name != self.trace.__name__))

    def close(self) -> None:
        """Close the host and remove its temporary directory."""
        self.host.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
