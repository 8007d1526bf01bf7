"""The registry for tool files written for Hermes Agent: its methods, with a host behind them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hermes_compat import plugin
from hermes_compat.declaration import Check, DynamicSchema, Handler, declare, handler_facts, thaw
from hermes_core import Hermes, Tool, Toolset, ToolSpec
from hermes_core.errors import ToolConflictError
from hermes_core.inspection import open_sessions, toolset_verdict

if TYPE_CHECKING:
    from hermes_core import Session

log = logging.getLogger("hermes")

_MAX_SESSIONS = 1000
"""How many sessions named by callers stay open: callers never report the end of a session."""


class ToolRegistry:
    """Registers, lists and runs tools with the methods of Hermes Agent. No method returns a handler.

    Args:
        host: The host with the tools; one is made when it is first needed.
    """

    def __init__(self, host: Hermes | None = None) -> None:
        self._lock = threading.RLock()
        self._host = host
        self._is_own = False
        self._tools: dict[str, tuple[Tool, bool]] = {}
        self._requires_env: dict[str, tuple[str, ...]] = {}
        self._aliases: dict[str, str] = {}
        self._toolsets: dict[str, Toolset] = {}
        self._sessions: dict[str, Session] = {}

    # -- the host behind it ----------------------------------------------------------------------------------

    @property
    def host(self) -> Hermes:
        """The host with the tools."""
        with self._lock:
            if self._host is None:
                self._host, self._is_own = Hermes(plugins=[plugin]), True
            return self._host

    def use(self, host: Hermes) -> None:
        """Use an application's host, and move to it what was registered here."""
        with self._lock:
            if host is self._host:
                return
            self._leave()
            self._host = host
            for tool, override in list(self._tools.values()):
                self._put(tool, override=override)
            for alias, toolset in self._aliases.items():
                host.registry.register_toolset_alias(alias, toolset)
            host.toolsets.add(*self._toolsets.values(), replace=True)
            host.toolsets.add(*(each for each in plugin.hermes_toolsets() if host.toolsets.get(each.name) is None))

    def close(self) -> None:
        """Remove everything that was registered here, and close the host if this registry made it."""
        with self._lock:
            for name in list(self._tools):
                self.deregister(name)
            self._leave()
            for registered in (self._requires_env, self._aliases, self._toolsets):
                registered.clear()

    def _leave(self) -> None:
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()
        if self._host is not None and self._is_own:
            self._host.close()
        self._host, self._is_own = None, False

    # -- registering -----------------------------------------------------------------------------------------

    def register(
        self,
        name: str,
        toolset: str,
        schema: Mapping[str, Any],
        handler: Handler,
        check_fn: Check | None = None,
        requires_env: Iterable[str] | None = None,
        is_async: bool = False,
        description: str = "",
        emoji: str = "",
        max_result_size_chars: float | None = None,
        dynamic_schema_overrides: DynamicSchema | None = None,
        override: bool = False,
    ) -> None:
        """Add a tool, or replace the one with that name in the same toolset.

        A name of another toolset is refused and logged, unless `override` is set or both toolsets are those of MCP
        servers.

        Raises:
            ToolDefinitionError: the declaration is invalid.
        """
        env = tuple(requires_env or ())
        tool = declare(
            name,
            toolset,
            schema,
            handler,
            check_fn=check_fn,
            requires_env=env,
            is_async=is_async,
            description=description,
            emoji=emoji,
            max_result_size_chars=max_result_size_chars,
            dynamic_schema_overrides=dynamic_schema_overrides,
        )
        with self._lock:
            if self._put(tool, override=override):
                self._tools[name] = (tool, override)
                self._requires_env[name] = env

    def _put(self, tool: Tool, *, override: bool) -> bool:
        owner = self.host.registry.toolset_of(tool.name)
        try:
            self.host.registry.register(tool, override=override)
        except ToolConflictError as error:
            log.error("Tool %s was not registered: %s", tool.name, error)  # noqa: TRY400 - a traceback adds nothing
            return False
        if owner is not None and owner != tool.toolset:
            level = logging.INFO if override else logging.DEBUG
            log.log(level, "Tool %s of toolset %s now belongs to %s", tool.name, owner, tool.toolset)
        return True

    def deregister(self, name: str) -> None:
        """Remove a tool; with the last one of a toolset, also its check and aliases. Ignores unknown names."""
        with self._lock:
            toolset = self.get_toolset_for_tool(name)
            self.host.registry.deregister(name)
            self._tools.pop(name, None)
            self._requires_env.pop(name, None)
            if toolset is not None and not self.get_tool_names_for_toolset(toolset):
                self._aliases = {alias: target for alias, target in self._aliases.items() if target != toolset}

    def register_toolset_alias(self, alias: str, toolset: str) -> None:
        """Add another name for a toolset."""
        with self._lock:
            before = self._snapshot.toolset_aliases.get(alias)
            if before is not None and before != toolset:
                log.warning("The toolset alias %s meant %s and now means %s", alias, before, toolset)
            self.host.registry.register_toolset_alias(alias, toolset)
            self._aliases[alias] = toolset

    def create_custom_toolset(
        self, name: str, description: str, tools: Iterable[str] | None = None, includes: Iterable[str] | None = None
    ) -> None:
        """Add or change a toolset for as long as the process runs."""
        toolset = Toolset(name, description=description, tools=tools or (), includes=includes or ())
        with self._lock:
            self.host.toolsets.add(toolset, replace=True)
            self._toolsets[name] = toolset

    # -- running ---------------------------------------------------------------------------------------------

    def dispatch(self, name: str, args: object, **info: Any) -> str:
        """Run a tool through the host's pipeline, and return JSON text.

        Args:
            name: The tool.
            args: Its arguments.
            **info: Facts for the handler, if it accepts them: `task_id`, `session_id`, `tool_call_id`, and others. The
                host and its hooks know the first three, too.
        """
        return self.run(name, args, info, {})

    def run(self, name: str, args: object, info: dict[str, Any], options: dict[str, Any]) -> str:
        """Call a tool through the host.

        Args:
            name: Its name.
            args: Its arguments.
            info: Facts for the handler.
            options: The options of `Hermes.call`.
        """
        if info.get("task_id") is not None:
            options["task_id"] = info["task_id"]
        if info.get("tool_call_id"):
            options["id"] = info["tool_call_id"]
        if info.get("session_id"):
            options["session"] = self._session(str(info["session_id"]))
        with handler_facts(name, info):
            return self.host.call(name, args, **options)

    def _session(self, id: str) -> Session:
        with self._lock:
            session = self._sessions.pop(id, None)
            if session is None or session.closed:
                session = next((each for each in open_sessions(self.host) if each.id == id), None)
                if session is not None:
                    return session
                session = self.host.session(id=id)
            self._sessions[id] = session  # the newest last
            if len(self._sessions) > _MAX_SESSIONS:
                self._sessions.pop(next(iter(self._sessions))).close()
            return session

    # -- definitions -----------------------------------------------------------------------------------------

    def get_definitions(self, names: Iterable[str], quiet: bool = False) -> list[dict[str, Any]]:
        """Return the definitions of the named tools that are available, sorted."""
        known = {name: toolset for name in names if (toolset := self.get_toolset_for_tool(name)) is not None}
        # By toolset, since a toolset may have the name of a tool.
        found = self.host.definitions(enabled=sorted(set(known.values())), everything=True)
        shown = [definition for definition in found if definition["function"]["name"] in known]
        if not quiet and len(shown) < len(known):
            missing = known.keys() - {definition["function"]["name"] for definition in shown}
            log.debug("Tools that are not available: %s", ", ".join(sorted(missing)))
        return shown

    def get_schema(self, name: str) -> dict[str, Any] | None:
        """Return a tool's declared name, description and parameters; None for an unknown tool."""
        spec = self.get_entry(name)
        if spec is None:
            return None
        return {"name": spec.name, "description": spec.description, "parameters": thaw(spec.parameters)}

    def get_entry(self, name: str) -> ToolSpec | None:
        """Return the declaration of a tool, without its handler."""
        return self.host.registry.get(name)

    # -- names -----------------------------------------------------------------------------------------------

    @property
    def _snapshot(self) -> Any:
        return self.host.registry.snapshot

    def get_all_tool_names(self) -> list[str]:
        """Return every tool, sorted."""
        return list(self._snapshot.names)

    def get_toolset_for_tool(self, name: str) -> str | None:
        """Return the toolset of a tool."""
        return self.host.registry.toolset_of(name)

    def get_tool_to_toolset_map(self) -> dict[str, str]:
        """Return every tool with its toolset."""
        grouped = self._snapshot.by_toolset
        return {name: toolset for toolset, names in sorted(grouped.items()) for name in sorted(names)}

    def get_registered_toolset_names(self) -> list[str]:
        """Return every toolset with a tool, sorted."""
        return list(self.host.registry.toolsets())

    def get_tool_names_for_toolset(self, toolset: str) -> list[str]:
        """Return the tools of a toolset, sorted."""
        return sorted(self._snapshot.by_toolset.get(toolset, ()))

    def get_emoji(self, name: str, default: str = "⚡") -> str:
        """Return a tool's emoji, or the default."""
        spec = self.host.registry.get(name)
        return (spec.emoji if spec else "") or default

    def get_max_result_size(self, name: str, default: float | None = None) -> float:
        """Return the maximum length of a tool's result, in characters."""
        spec = self.host.registry.get(name)
        if spec is not None:
            return spec.max_result_size_chars
        return 100_000 if default is None else default

    # -- toolsets and their requirements ---------------------------------------------------------------------

    def is_toolset_available(self, toolset: str) -> bool:
        """Return True if a toolset's check passes, or it has none."""
        return toolset_verdict(self.host, toolset).available

    def check_toolset_requirements(self) -> dict[str, bool]:
        """Return for every toolset with a tool whether its check passes."""
        return {toolset: self.is_toolset_available(toolset) for toolset in self.get_registered_toolset_names()}

    def get_available_toolsets(self) -> dict[str, dict[str, Any]]:
        """Return every toolset with a tool: its availability, tools and requirements."""
        return {
            toolset: {
                "available": self.is_toolset_available(toolset),
                "tools": self.get_tool_names_for_toolset(toolset),
                "description": "",
                "requirements": self._env_of(toolset),
            }
            for toolset in self.get_registered_toolset_names()
        }

    def get_toolset_requirements(self) -> dict[str, dict[str, Any]]:
        """Return every toolset with a tool: its variables, its check and its tools."""
        checks: Mapping[str, Callable[[], object]] = self._snapshot.toolset_checks
        return {
            toolset: {
                "name": toolset,
                "env_vars": self._env_of(toolset),
                "check_fn": checks.get(toolset),
                "setup_url": None,
                "tools": self.get_tool_names_for_toolset(toolset),
            }
            for toolset in self.get_registered_toolset_names()
        }

    def check_tool_availability(self, quiet: bool = False) -> tuple[list[str], list[dict[str, Any]]]:
        """Return the available toolsets, and the others with their variables and tools."""
        del quiet  # it never prints anything
        available: list[str] = []
        unavailable: list[dict[str, Any]] = []
        for toolset, passes in self.check_toolset_requirements().items():
            if passes:
                available.append(toolset)
            else:
                tools = self.get_tool_names_for_toolset(toolset)
                unavailable.append({"name": toolset, "env_vars": self._env_of(toolset), "tools": tools})
        return available, unavailable

    def _env_of(self, toolset: str) -> list[str]:
        found: dict[str, None] = {}
        for name in self.get_tool_names_for_toolset(toolset):
            spec = self.get_entry(name)
            declared = spec.requires_env if spec else ()
            found.update(dict.fromkeys(self._requires_env.get(name) or declared))
        return list(found)
