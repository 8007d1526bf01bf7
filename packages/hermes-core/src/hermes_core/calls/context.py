"""The context that a handler or hook gets during a call."""

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
    """Passed to tools with a parameter annotated `ToolContext`, and to hooks as `ctx`; `call` is the current call."""

    __slots__ = ("_owner", "_plugin", "call")

    def __init__(self, call: ToolCall, plugin: str | None = None, owner: Dispatcher | None = None) -> None:
        self.call = call
        self._plugin = plugin
        self._owner = owner

    @property
    def session(self) -> Session:
        """The session of the call."""
        return self.call.session

    @property
    def _host(self) -> Dispatcher:
        """The host of the hook, which may be a parent of the host that is called; for a tool, the host of the call."""
        return self._owner or self.session.dispatcher

    @property
    def timeout(self) -> float | None:
        """The deadline in seconds that the caller chose for this call. A tool can return partial results before it."""
        return self.call.timeout

    @overload
    def service(self, key: type[Service]) -> Service: ...

    @overload
    def service(self, key: str) -> Any: ...

    def service(self, key: type[Any] | str) -> Any:
        """Return the service of a type from the session or the host.

        Raises:
            ToolUnavailableError: The service is not provided.
        """
        try:
            host = self._host
            return (self.session.services if host is self.session.dispatcher else host.services).get(key)
        except KeyError as error:
            raise missing_service(self.call.name, key) from error

    def providers(self, point: str) -> Mapping[str, Any]:
        """The providers that plugins registered for an extension point, by name."""
        return self._host.providers.of(point)

    @overload
    def settings(self, section: str) -> dict[str, Any]: ...

    @overload
    def settings(self, section: str, model: type[Model]) -> Model: ...

    def settings(self, section: str, model: type[Any] | None = None) -> Any:
        """Return a section of the user's settings: defaults, overridden by `config.yaml` and then the environment.

        A plugin can read the sections that it declares with `hermes_settings`, and the section with the name of a
        provider.

        Args:
            section: The section's name.
            model: A dataclass or pydantic model to convert the section to; a dict by default.

        Raises:
            ToolUnavailableError: The plugin may not read the section, or the section is invalid.
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
        """The directory for persistent state: `$HERMES_HOME`."""
        return self._host.home

    @property
    def watched(self) -> bool:
        """True if a plugin observes progress. Otherwise a tool need not report any."""
        return bool(self.session.dispatcher.hooks.of("hermes_tool_progress"))

    def progress(self, message: str, **facts: Any) -> None:
        """Report progress to plugins; `facts` are the fields of `Progress`."""
        dispatcher = self.session.dispatcher
        drive(dispatcher.report_progress(self.call, Progress(message=message, **facts), dispatcher.blocking))

    async def aprogress(self, message: str, **facts: Any) -> None:
        """Report progress from async code."""
        dispatcher = self.session.dispatcher
        await dispatcher.report_progress(self.call, Progress(message=message, **facts), dispatcher.looping)

    def call_tool(self, name: str, args: object = None, **options: Any) -> str:
        """Call another tool within the scope of this call."""
        text: str = self.session.dispatcher.call(name, args, self._within(options))
        return text

    async def acall(self, name: str, args: object = None, **options: Any) -> str:
        """Call another tool from async code, within the scope of this call."""
        text: str = await self.session.dispatcher.acall(name, args, self._within(options))
        return text

    def batch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """Run several other tools within the scope of this call."""
        return self.session.dispatcher.batch(calls, self._within(options))

    async def abatch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """Run several other tools from async code, within the scope of this call."""
        return await self.session.dispatcher.abatch(calls, self._within(options))

    def allowed_tools(self) -> frozenset[str]:
        """The names of the tools within the scope of this call."""
        return self.session.dispatcher.visibility.allowed_names(self.call.scope)

    def definitions(self) -> list[dict[str, Any]]:
        """The definitions of all tools within the scope of this call, in OpenAI's format, without tool search."""
        return self.session.dispatcher.definitions(self.call.scope, self.session, everything=True)

    def spec(self, name: str) -> ToolSpec | None:
        """Return the specification of a tool by name or alias; None if it is not within the scope of this call."""
        dispatcher = self.session.dispatcher
        snapshot = dispatcher.registry.snapshot
        canonical = snapshot.canonical(name)
        if canonical is None or canonical not in dispatcher.visibility.allowed_names(self.call.scope, snapshot):
            return None
        return dispatcher.registry.get(canonical)

    def _within(self, options: dict[str, Any]) -> dict[str, Any]:
        """Make this call the parent, even if another one is running in this thread."""
        return {**options, "parent": self.call}
