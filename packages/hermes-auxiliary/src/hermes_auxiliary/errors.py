"""The error of a model without an answer: one sentence that says what to do, and contains no key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hermes_auxiliary.schema import TASK_SECONDS

if TYPE_CHECKING:
    from hermes_auxiliary.model import AuxiliaryModel

_MAX_CHARS = 300
_MAX_READ = 3_000
_RETRY_STATUSES = (408, 409, 429)


class AuxiliaryError(Exception):
    """Raised when a model gave no usable answer.

    Attributes:
        task: The task, such as `web_extract`.
        message: What happened.
        hint: What to do; None when there is nothing to suggest.
        retryable: True when the same request may succeed a moment later.
        status: The HTTP status, if there was one.
    """

    def __init__(
        self, task: str, message: str, *, hint: str | None = None, retryable: bool = False, status: int | None = None
    ) -> None:
        self.task = task
        self.message = message
        self.hint = hint
        self.retryable = retryable
        self.status = status
        super().__init__(message)


def explain(error: Exception, model: AuxiliaryModel, openai: Any, seconds: float) -> AuxiliaryError:
    """Describe what the client raised.

    Args:
        error: The exception.
        model: The model that was asked.
        openai: The module `openai`.
        seconds: The time limit of the request.
    """
    task, name, host = model.task, model.model, _host(model.base_url)
    if isinstance(error, (TimeoutError, openai.APITimeoutError)):
        hint = f"Raise auxiliary.{task}.timeout, or choose a faster model."
        return AuxiliaryError(task, f"The model {name} gave no answer within {seconds:g} seconds.", hint=hint)
    if isinstance(error, openai.APIStatusError):
        status = int(error.status_code)
        message = _clean(response_text(error), model)
        return AuxiliaryError(
            task,
            f"{host} answered {status} for the model {name}" + (f": {message}" if message else "."),
            hint=_hint(status, task),
            retryable=status in _RETRY_STATUSES or status >= 500,
            status=status,
        )
    if isinstance(error, openai.APIConnectionError):
        cause = _clean(_describe(error.__cause__ or error), model)
        return AuxiliaryError(
            task,
            f"The model {name} could not be reached at {host}: {cause}.",
            hint=f"Check auxiliary.{task}.base_url, and that the server is running.",
            retryable=True,
        )
    cause = _clean(_describe(error), model)
    return AuxiliaryError(task, f"The model {name} could not be asked: {cause}.", retryable=True)


def response_text(error: Any) -> str:
    """Return the message that a server sent with an error, or the whole body if it is not HTML."""
    body = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])
    try:
        text = str(error.response.text)[:_MAX_READ]
    except Exception:  # foreign code: the body cannot be read
        return ""
    return "" if text.lstrip().startswith("<") else text


def _hint(status: int, task: str) -> str | None:
    variable = f", or the variable AUXILIARY_{task.upper()}_API_KEY" if task in TASK_SECONDS else ""
    hints = {
        401: f"Set auxiliary.{task}.api_key{variable}.",
        403: f"Check that the key in auxiliary.{task}.api_key may use this model.",
        404: f"Check auxiliary.{task}.model and auxiliary.{task}.base_url, which often ends in /v1.",
        429: "Wait, or use another model or plan.",
    }
    return hints.get(status)


def _clean(text: str, model: AuxiliaryModel) -> str:
    """Put a server's text on one line, without the keys of the model."""
    for secret in model.secrets():
        text = text.replace(secret, "***")
    line = " ".join(text[:_MAX_READ].split()).rstrip(".")
    return line if len(line) <= _MAX_CHARS else line[: _MAX_CHARS - 3] + "..."


def _describe(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}".rstrip(": ")
    except Exception:  # foreign code: its __str__ failed
        return type(error).__name__


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "the server"
    except ValueError:
        return "the server"
