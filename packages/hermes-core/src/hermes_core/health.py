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
"""How long a check may take when it does not say: long enough for a busy machine, short enough to wait for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthProblem:
    """One problem that a health check found.

    Attributes:
        message: What is wrong, and with what.
        remedy: What to do about it.
        level: `error` when something does not work, `warning` when it soon will not, `note` when it is only worth
            knowing, and `skipped` when the check could not exercise anything, for the reason in the message.
    """

    message: str
    remedy: str = ""
    level: Level = "error"

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise ValueError(f"{self.level!r} is not a level; use one of {', '.join(get_args(Level))}.")


class HealthContext(Protocol):
    """What a health check gets to work with.

    Attributes:
        home: The user's `$HERMES_HOME`. Look at it, but change nothing in it.
        scratch: An empty directory for the check, removed afterwards.
        online: True when the user allowed the network with `--online`.
    """

    home: Path
    scratch: Path
    online: bool

    def providers(self, point: str) -> Mapping[str, Any]:
        """Return what plugins registered for an extension point: name to provider."""

    def call(
        self, name: str, args: Mapping[str, Any] | None = None, settings: Mapping[str, Mapping[str, Any]] | None = None
    ) -> Any:
        """Call a tool and return its result, decoded from JSON.

        The call goes through the pipeline of a host whose home is `scratch / "home"`: it uses the user's settings for
        plugins, but neither their policy nor their approvals, and is not logged.

        Args:
            name: The tool.
            args: Its arguments.
            settings: Sections of `config.yaml` that replace the user's for this call.
        """

    @overload
    def settings(self, section: str) -> dict[str, Any]: ...

    @overload
    def settings(self, section: str, model: type[Model]) -> Model: ...

    def settings(self, section: str, model: type[Any] | None = None) -> Any:
        """Return a section of the user's settings, as `ToolContext.settings` does.

        Raises:
            ConfigError: the section contains an invalid value.
        """


Found = HealthProblem | str
Answer = Iterable[Found] | AsyncIterable[Found] | Found | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """One check that `hermes doctor` runs.

    Attributes:
        name: What it does, in a few words: "extract a sample page".
        run: Takes a `HealthContext` and returns or yields problems, sync or async; nothing when all is well. A text
            is the message of an error. An exception is reported as an error.
        tools: The tools that depend on it.
        timeout: Seconds it may take.
        online: Whether it needs the network beyond loopback, or costs money. It then runs with `--online` only.
    """

    name: str
    run: Callable[[HealthContext], Answer | Awaitable[Answer]]
    tools: tuple[str, ...] = ()
    timeout: float = HEALTH_SECONDS
    online: bool = False


def checked_health_checks(plugin: str, answer: object) -> list[HealthCheck]:
    """Return what an implementation of `hermes_health_checks` answered, as a list.

    Raises:
        PluginError: it is not a list of health checks.
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
