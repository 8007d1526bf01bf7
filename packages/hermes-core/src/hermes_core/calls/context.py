"""What a handler or hook can reach during one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from hermes_core.calls.call import Progress
from hermes_core.calls.deadlines import drive
from hermes_core.calls.services import missing_service
from hermes_core.errors import ConfigError, ToolUnavailableError
from hermes_core.plugins.lazy_parts import SHARED_KEYS
from hermes_core.tools.tool_spec import ContextMarker

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from hermes_core.calls.call import ToolCall
    from hermes_core.calls.dispatcher import Dispatcher
    from hermes_core.calls.session import Session
    from hermes_core.tools.tool_spec import ToolSpec

Model = TypeVar("Model")
Service = TypeVar("Service")


class ToolContext(ContextMarker):
    """Given to a tool that has a parameter annotated `ToolContext`, and to hooks as `ctx`; `call` is the call."""

    __slots__ = ("_owner", "_plugin", "call")

    def __init__(self, call: ToolCall, plugin: str | None = None, owner: Dispatcher | None = None) -> None:
        self.call = call
        self._plugin = plugin
        self._owner = owner

    @property
    def session(self) -> Session:
        """The session that the call belongs to."""
        return self.call._session

    @property
    def _host(self) -> Dispatcher:
        """The host of the hook, which may be above the one that is called; that of the call for a tool."""
        return self._owner or self.session._dispatcher

    @property
    def timeout(self) -> float | None:
        """The seconds that the caller chose for this call, for tools that can end early with what they have."""
        return self.call._seconds

    @overload
    def service(self, key: type[Service]) -> Service: ...

    @overload
    def service(self, key: str) -> Any: ...

    def service(self, key: type[Any] | str) -> Any:
        """Return the service of that type, from the session or the host.

        Raises:
            ToolUnavailableError: it is not provided.
        """
        try:
            host = self._host
            return (self.session.services if host is self.session._dispatcher else host.services).get(key)
        except KeyError as error:
            raise missing_service(self.call.name, key) from error

    def providers(self, point: str) -> Mapping[str, Any]:
        """What plugins registered for an extension point: name to provider."""
        return self._host.providers.of(point)

    @overload
    def settings(self, section: str) -> dict[str, Any]: ...

    @overload
    def settings(self, section: str, model: type[Model]) -> Model: ...

    def settings(self, section: str, model: type[Any] | None = None) -> Any:
        """Return a section of the user's settings, with defaults, `config.yaml` and the environment in it.

        A plugin reads the sections that it declares with `hermes_settings`, and the section of a provider, which is
        called like it.

        Args:
            section: The section's name.
            model: The dataclass or pydantic model to read it with; without one it comes as a dict.

        Raises:
            ToolUnavailableError: the section is not the plugin's, or the user wrote something there that cannot be.
        """
        dispatcher = self._host
        is_own = dispatcher.may_read(section, self._plugin, self.call.name)
        shared = None if is_own else SHARED_KEYS.get(section, ())
        if shared is not None and (model is not None or not shared):
            whose = "this hook" if self._plugin else self.call.name
            raise ToolUnavailableError(
                f"{whose} cannot read the section {section!r} of config.yaml: its plugin does not declare it",
                hint="The plugin's author must return it from hermes_settings.",
            )
        try:
            if model is not None:
                return dispatcher.config.now.model(section, model)
            found = dispatcher.config.now.section(section)
            return found if shared is None else {key: value for key, value in found.items() if key in shared}
        except ConfigError as error:
            raise ToolUnavailableError(
                f"{self.call.name} cannot read its settings: {error}", hint="Ask the user to run 'hermes config check'."
            ) from error

    @property
    def home(self) -> Path:
        """The directory for state that outlives the process: `$HERMES_HOME`."""
        return self._host.home

    @property
    def watched(self) -> bool:
        """True when a plugin observes progress: otherwise a tool need not collect any."""
        return bool(self.session._dispatcher.hooks.of("hermes_tool_progress"))

    def progress(self, message: str, **facts: Any) -> None:
        """Report progress to plugins; the facts are those of `Progress`."""
        dispatcher = self.session._dispatcher
        drive(dispatcher.report_progress(self.call, Progress(message=message, **facts), dispatcher.blocking))

    async def aprogress(self, message: str, **facts: Any) -> None:
        """Report progress from async code."""
        dispatcher = self.session._dispatcher
        await dispatcher.report_progress(self.call, Progress(message=message, **facts), dispatcher.looping)

    def call_tool(self, name: str, args: object = None, **options: Any) -> str:
        """Call another tool, within the scope of this call."""
        text: str = self.session._dispatcher.call(name, args, self._within(options))
        return text

    async def acall(self, name: str, args: object = None, **options: Any) -> str:
        """Call another tool from async code, within the scope of this call."""
        text: str = await self.session._dispatcher.acall(name, args, self._within(options))
        return text

    def batch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """Run several other tools, within the scope of this call."""
        return self.session._dispatcher.batch(calls, self._within(options))

    async def abatch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """Run several other tools from async code, within the scope of this call."""
        return await self.session._dispatcher.abatch(calls, self._within(options))

    def allowed_tools(self) -> frozenset[str]:
        """The names of the tools within the scope of this call."""
        return self.session._dispatcher.visibility.allowed_names(self.call._scope)

    def definitions(self) -> list[dict[str, Any]]:
        """The definitions of all tools within the scope of this call, in the format of OpenAI; nothing is hidden."""
        return self.session._dispatcher.definitions(self.call._scope, self.session, everything=True)

    def spec(self, name: str) -> ToolSpec | None:
        """What is known of a tool within the scope of this call, by its name or alias; None outside of it."""
        dispatcher = self.session._dispatcher
        snapshot = dispatcher.registry.snapshot
        canonical = snapshot.canonical(name)
        if canonical is None or canonical not in dispatcher.visibility.allowed_names(self.call._scope, snapshot):
            return None
        return dispatcher.registry.get(canonical)

    def _within(self, options: dict[str, Any]) -> dict[str, Any]:
        """Name this call as the one that asks, also where it is not the one running (a thread, a hook)."""
        return {**options, "parent": self.call}
