"""PUBLIC: what a plugin contributes to `hermes doctor`: health checks, and the problems that they find."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args, overload

from hermes_core.errors import PluginError

if TYPE_CHECKING:
    from typing import TypeVar

    Model = TypeVar("Model")

Level = Literal["skipped", "note", "warning", "error"]

HEALTH_SECONDS = 30.0
"""The default deadline of a check: long enough for a busy machine, short enough for a user to wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthProblem:
    """One problem that a health check found.

    Attributes:
        message: What is wrong.
        remedy: How to fix it.
        level: `error` if something does not work, `warning` if it may stop working, `note` for information, and
            `skipped` if the check could not run, for the reason in the message.
    """

    message: str
    remedy: str = ""
    level: Level = "error"

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise ValueError(f"{self.level!r} is not a level; use one of {', '.join(get_args(Level))}.")


class HealthContext(Protocol):
    """Passed to each health check.

    Attributes:
        home: The user's `$HERMES_HOME`. Read it, but change nothing in it.
        scratch: An empty directory for the check, removed afterwards.
        online: True if the user allowed the network with `--online`.
    """

    home: Path
    scratch: Path
    online: bool

    def providers(self, point: str) -> Mapping[str, Any]:
        """Return the providers that plugins registered for an extension point, by name."""

    def call(
        self, name: str, args: Mapping[str, Any] | None = None, settings: Mapping[str, Mapping[str, Any]] | None = None
    ) -> Any:
        """Call a tool and return its result, decoded from JSON.

        The call runs in a host whose home is `scratch / "home"`. It uses the user's settings for plugins, but neither
        their policy nor their approvals, and it is not logged.

        Args:
            name: The tool.
            args: The arguments.
            settings: Sections of `config.yaml` that replace the user's for this call.
        """

    @overload
    def settings(self, section: str) -> dict[str, Any]: ...

    @overload
    def settings(self, section: str, model: type[Model]) -> Model: ...

    def settings(self, section: str, model: type[Any] | None = None) -> Any:
        """Return a section of the user's settings, like `ToolContext.settings`.

        Raises:
            ConfigError: The section contains an invalid value.
        """


Found = HealthProblem | str
Answer = Iterable[Found] | AsyncIterable[Found] | Found | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """One check that `hermes doctor` runs.

    Attributes:
        name: A short description: "extract a sample page".
        run: Takes a `HealthContext` and returns or yields problems, sync or async; nothing if all is well. A string is
            the message of an error. An exception is reported as an error.
        tools: The tools that depend on it.
        timeout: The deadline in seconds.
        online: Whether it needs the network beyond loopback, or costs money. It then runs with `--online` only.
    """

    name: str
    run: Callable[[HealthContext], Answer | Awaitable[Answer]]
    tools: tuple[str, ...] = ()
    timeout: float = HEALTH_SECONDS
    online: bool = False


def checked_health_checks(plugin: str, answer: object) -> list[HealthCheck]:
    """Return the answer of an implementation of `hermes_health_checks` as a list.

    Raises:
        PluginError: It is not a list of health checks.
    """
    items: list[Any] = list(answer) if isinstance(answer, Iterable) else [answer] if answer is not None else []
    for item in items:
        if not isinstance(item, HealthCheck):
            raise PluginError(
                f"hermes_health_checks returned a {type(item).__name__}, not a HealthCheck.",
                plugin=plugin,
                remedy="Return a list: [HealthCheck(name=..., run=...)].",
            )
    return items
