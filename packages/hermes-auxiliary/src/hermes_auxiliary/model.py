"""`AuxiliaryModel`: a model for side tasks behind an OpenAI-compatible API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from hermes_auxiliary.client import make_client, server_of
from hermes_auxiliary.errors import AuxiliaryError, explain, response_text
from hermes_auxiliary.schema import DEFAULT_URL, OTHER_SECONDS, TASK_SECONDS

_RENAMED = {"max_tokens": "max_completion_tokens"}
"""Parameters that reasoning models take under another name."""
_OPTIONAL = ("max_tokens", "max_completion_tokens", "temperature")
"""Parameters that are left out when a server rejects them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The answer of a model.

    Attributes:
        text: The answer without the model's reasoning.
        cut: True when the answer ends at the token limit.
    """

    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuxiliaryModel:
    """A model for one task.

    Attributes:
        task: The task, such as `web_extract`.
        model: The name of the model.
        base_url: The base URL of the API.
        api_key: The API key; empty for a server that needs none.
        seconds: The time limit for an answer.
        extra_body: Additional fields of each request.
    """

    task: str
    model: str
    base_url: str = DEFAULT_URL
    api_key: str = field(default="", repr=False)
    seconds: float = OTHER_SECONDS
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    _rejected: set[str] = field(default_factory=set, repr=False, compare=False)

    @classmethod
    def from_mapping(cls, section: Mapping[str, Any], task: str) -> Self | None:
        """Return the model that the settings name for a task; None when they name none.

        Args:
            section: The settings, as `AUXILIARY_SCHEMA` describes them.
            task: The task, such as `web_extract`.
        """
        entry = section.get(task)
        entry = entry if isinstance(entry, Mapping) else {}
        model = _text(entry.get("model"))
        if not model:
            return None
        shared = _text(section.get("base_url")) or DEFAULT_URL
        url = _text(entry.get("base_url")) or shared
        key = _text(entry.get("api_key"))
        if not key and server_of(url) == server_of(shared):  # the shared key belongs to the shared server only
            key = _text(section.get("api_key"))
        seconds = entry.get("timeout")
        is_valid = isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and seconds > 0
        extra = entry.get("extra_body")
        return cls(
            task=task,
            model=model,
            base_url=url,
            api_key=key,
            seconds=float(seconds) if is_valid and seconds else TASK_SECONDS.get(task, OTHER_SECONDS),
            extra_body=dict(extra) if isinstance(extra, Mapping) else {},
        )

    def secrets(self) -> list[str]:
        """Return what must not appear in an error: the key, and credentials in the base URL."""
        userinfo = self.base_url.partition("://")[2].partition("/")[0].rpartition("@")[0]
        return [secret for secret in (self.api_key, userinfo, userinfo.partition(":")[2]) if secret]

    async def complete(
        self,
        *,
        system: str,
        user: str,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seconds: float | None = None,
    ) -> str:
        """Return the text of the answer, cut off or not; see `ask`."""
        answer = self.ask(system=system, user=user, temperature=temperature, max_tokens=max_tokens, seconds=seconds)
        return (await answer).text

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
            system: The instructions. Untrusted text does not belong here.
            user: The text to work on.
            temperature: The sampling temperature; None leaves it to the server. Left out for models that reject it.
            max_tokens: The length limit of the answer.
            seconds: The time limit, if it is shorter than that of the settings.

        Raises:
            AuxiliaryError: there is no usable answer.
        """
        import anyio
        import anyio.to_thread

        limit = self.seconds if seconds is None else min(seconds, self.seconds)
        openai = await anyio.to_thread.run_sync(self._import_openai)  # the first import takes about a second
        options = {"temperature": temperature, "max_tokens": max_tokens}
        body = {name: value for name, value in options.items() if value is not None}
        messages = [{"role": "system", "content": _utf8(system)}, {"role": "user", "content": _utf8(user)}]
        try:
            with anyio.fail_after(limit):
                async with make_client(openai, self.base_url, self.api_key, limit) as client:
                    return _read(await self._send(client, openai, messages, body))
        except _NoAnswerError as error:
            message = f"The model {self.model} gave no answer: {error}."
            raise AuxiliaryError(self.task, message, retryable=error.retryable) from None
        except Exception as error:  # foreign code: any exception becomes one sentence without a key
            raise explain(error, self, openai, limit) from None

    async def _send(self, client: Any, openai: Any, messages: list[dict[str, str]], body: dict[str, Any]) -> Any:
        """Send the request, and again without each parameter that the server rejects."""
        while True:
            sent = self._accepted(body)
            try:
                return await client.chat.completions.create(
                    model=self.model, messages=messages, extra_body=dict(self.extra_body) or None, **sent
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                rejected = _rejected_parameter(error, sent)
                if rejected is None:
                    raise
                self._rejected.add(rejected)

    def _accepted(self, body: Mapping[str, Any]) -> dict[str, Any]:
        accepted: dict[str, Any] = {}
        for name, value in body.items():
            other = _RENAMED.get(name) if name in self._rejected else name
            if other and other not in self._rejected:
                accepted[other] = value
        return accepted

    def _import_openai(self) -> Any:
        from importlib import import_module

        try:
            return import_module("openai")
        except ImportError:
            raise AuxiliaryError(
                self.task,
                f"The model {self.model} cannot be asked: the package 'openai' is not installed.",
                hint="Install it with `pip install openai`.",
            ) from None


class _NoAnswerError(Exception):
    def __init__(self, reason: str, *, retryable: bool = True) -> None:
        self.retryable = retryable
        super().__init__(reason)


def _read(response: Any) -> Completion:
    choices = getattr(response, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise _NoAnswerError("the answer is not a chat completion")
    message = getattr(choices[0], "message", None)
    if getattr(message, "refusal", None):
        raise _NoAnswerError("the model refused", retryable=False)
    reason = getattr(choices[0], "finish_reason", None)
    if reason == "content_filter":
        raise _NoAnswerError("a content filter stopped the model", retryable=False)
    cut = reason == "length"
    text = _content(getattr(message, "content", None)).strip()
    if text.startswith("<think>"):  # some servers put the reasoning before the answer
        text = text.partition("</think>")[2].strip()
    if not text:
        raise _NoAnswerError("all its tokens were spent before it said anything" if cut else "the answer is empty")
    return Completion(text=_utf8(text), cut=cut)


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    # Some servers answer with a list of parts.
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def _rejected_parameter(error: Any, sent: Mapping[str, Any]) -> str | None:
    """Return the parameter that a server rejects; None when the error is about something else."""
    if (named := getattr(error, "param", None)) in _OPTIONAL:
        return named if named in sent else None
    message = response_text(error)
    return next((name for name in _OPTIONAL if name in sent and name in message), None)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _utf8(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded."""
    return text.encode("utf-8", "replace").decode("utf-8")
