"""`AuxiliaryModel`: a model that a tool asks for help, by the protocol that OpenAI's API has made common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from hermes_core.auxiliary.client import client_for
from hermes_core.auxiliary.completion import Completion, NoAnswerError, read_completion
from hermes_core.auxiliary.errors import AuxiliaryError
from hermes_core.auxiliary.headers import place_of
from hermes_core.auxiliary.section import DEFAULT_URL, OTHER_SECONDS, TASK_SECONDS
from hermes_core.auxiliary.troubles import explained, said_by

_OTHER_NAMES = {"max_tokens": "max_completion_tokens"}
"""What models that think first want in the place of a parameter; others of these they want left out."""
_DISPENSABLE = ("max_tokens", "max_completion_tokens", "temperature")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuxiliaryModel:
    """A model for one task.

    Attributes:
        task: What it is asked for, such as `web_extract`.
        model: Its name.
        base_url: Where it is served.
        api_key: The key for it; empty for a server that wants none.
        seconds: How long an answer may take.
        extra_body: What else is sent with each request.
    """

    task: str
    model: str
    base_url: str = DEFAULT_URL
    api_key: str = field(default="", repr=False)
    seconds: float = OTHER_SECONDS
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    _unwanted: set[str] = field(default_factory=set, repr=False, compare=False)

    @classmethod
    def from_settings(cls, section: Mapping[str, Any], task: str) -> Self | None:
        """The model that the section `auxiliary` of the settings names for a task; None when it names none.

        Args:
            section: What stands there, such as `ctx.settings("auxiliary")`.
            task: The task, such as `web_extract`.
        """
        said = section.get(task)
        said = said if isinstance(said, Mapping) else {}
        model = _text(said.get("model"))
        if not model:
            return None
        shared = _text(section.get("base_url")) or DEFAULT_URL
        url = _text(said.get("base_url")) or shared
        key = _text(said.get("api_key"))
        if not key and place_of(url) == place_of(shared):  # a key is for one server, and another must not get it
            key = _text(section.get("api_key"))
        seconds = said.get("timeout")
        usable = isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and seconds > 0
        extra = said.get("extra_body")
        return cls(
            task=task,
            model=model,
            base_url=url,
            api_key=key,
            seconds=float(seconds) if usable and seconds else TASK_SECONDS.get(task, OTHER_SECONDS),
            extra_body=dict(extra) if isinstance(extra, Mapping) else {},
        )

    async def complete(
        self,
        *,
        system: str,
        user: str,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> str:
        """What the model says, cut off or not; see `ask`."""
        asked = self.ask(system=system, user=user, temperature=temperature, max_tokens=max_tokens, seconds=seconds)
        return (await asked).text

    async def ask(
        self,
        *,
        system: str,
        user: str,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> Completion:
        """Ask once.

        Args:
            system: What it is to do. Nothing of strangers belongs here.
            user: What it is to do it with.
            temperature: How freely it speaks; None leaves that to the server. So it is for models that want none.
            max_tokens: How much it may say.
            seconds: How long it may take, when that is less than the setting.

        Raises:
            AuxiliaryError: there is no answer that can be used. What may work a moment later is marked `again`.
        """
        import anyio

        allowed = self.seconds if seconds is None else min(seconds, self.seconds)
        openai = await anyio.to_thread.run_sync(self._openai)  # about a second when it is the first time
        fields = {"temperature": temperature, "max_tokens": max_tokens}
        body = {name: value for name, value in fields.items() if value is not None}
        messages = [{"role": "system", "content": _sendable(system)}, {"role": "user", "content": _sendable(user)}]
        try:
            with anyio.fail_after(allowed):
                async with client_for(openai, self.base_url, self.api_key, allowed) as client:
                    return read_completion(await self._send(client, openai, messages, body))
        except NoAnswerError as error:
            raise AuxiliaryError(
                self.task, f"The model {self.model} gave no answer: {error}.", again=error.again
            ) from None
        except Exception as error:  # foreign code; whatever it raises becomes one sentence without a key in it
            raise explained(error, self, openai, allowed) from None

    async def _send(self, client: Any, openai: Any, messages: list[dict[str, str]], body: dict[str, Any]) -> Any:
        """Ask, and once more for each parameter that the model does not take."""
        while True:
            sent = self._wanted(body)
            try:
                return await client.chat.completions.create(
                    model=self.model, messages=messages, extra_body=dict(self.extra_body) or None, **sent
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                unwanted = _complained_of(error, sent)
                if unwanted is None:
                    raise
                self._unwanted.add(unwanted)

    def _wanted(self, body: Mapping[str, Any]) -> dict[str, Any]:
        wanted: dict[str, Any] = {}
        for name, value in body.items():
            other = _OTHER_NAMES.get(name) if name in self._unwanted else name
            if other and other not in self._unwanted:
                wanted[other] = value
        return wanted

    def _openai(self) -> Any:
        from importlib import import_module

        try:
            return import_module("openai")
        except ImportError:
            raise AuxiliaryError(
                self.task,
                f"The model {self.model} cannot be asked: the package 'openai' is not installed.",
                hint="Install it with `pip install openai`.",
            ) from None


def _complained_of(error: Any, sent: Mapping[str, Any]) -> str | None:
    """The parameter that a server says it does not take; None when it complains of something else."""
    if (named := getattr(error, "param", None)) in _DISPENSABLE:
        return named if named in sent else None
    message = said_by(error)
    return next((name for name in _DISPENSABLE if name in sent and name in message), None)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _sendable(text: str) -> str:
    """The text without lone surrogates, which cannot be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
