"""Puts what a client raises into one sentence that says what to do, and holds no key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hermes_core.auxiliary.errors import AuxiliaryError
from hermes_core.auxiliary.section import TASK_SECONDS
from hermes_core.errors import describe_error
from hermes_core.secrets import redact

if TYPE_CHECKING:
    from hermes_core.auxiliary.model import AuxiliaryModel

_MOST_CHARS = 300
_MOST_READ = 3_000
_TOO_MANY = 429
_FAULTS = 500


def explained(error: Exception, asked: AuxiliaryModel, openai: Any, seconds: float) -> AuxiliaryError:
    """What went wrong with a request.

    Args:
        error: What was raised.
        asked: The model that was asked.
        openai: The module of the client.
        seconds: How long an answer might have taken.
    """
    if isinstance(error, (TimeoutError, openai.APITimeoutError)):
        return AuxiliaryError(
            asked.task,
            f"The model {asked.model} gave no answer within {seconds:g} seconds.",
            hint=f"Raise auxiliary.{asked.task}.timeout, or choose a quicker model.",
        )
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, asked)
    if isinstance(error, openai.APIConnectionError):
        cause = _clean(describe_error(error.__cause__ or error), asked)
        return AuxiliaryError(
            asked.task,
            f"The model {asked.model} could not be reached at {_host(asked.base_url)}: {cause}.",
            hint=f"See to auxiliary.{asked.task}.base_url, and that the server runs.",
            again=True,
        )
    cause = _clean(describe_error(error), asked)
    return AuxiliaryError(asked.task, f"The model {asked.model} could not be asked: {cause}.", again=True)


def _of_status(error: Any, asked: AuxiliaryModel) -> AuxiliaryError:
    status = int(error.status_code)
    said = _clean(said_by(error), asked)
    return AuxiliaryError(
        asked.task,
        f"{_host(asked.base_url)} answered {status} for the model {asked.model}" + (f": {said}" if said else "."),
        hint=_hint(status, asked.task),
        again=status in (408, 409, _TOO_MANY) or status >= _FAULTS,
        status=status,
    )


def said_by(error: Any) -> str:
    """What a server said about an error: its message where it sent one, else all that it sent."""
    body = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])
    try:
        sent = str(error.response.text)[:_MOST_READ]
    except Exception:  # foreign code: a body that cannot be read says nothing
        return ""
    return "" if sent.lstrip().startswith("<") else sent  # nor does a page of HTML


def _hint(status: int, task: str) -> str | None:
    variable = f", or the variable AUXILIARY_{task.upper()}_API_KEY" if task in TASK_SECONDS else ""
    hints = {
        401: f"Set auxiliary.{task}.api_key{variable}.",
        403: f"See that the key in auxiliary.{task}.api_key may use this model.",
        404: f"See to auxiliary.{task}.model and auxiliary.{task}.base_url, which often ends in /v1.",
        _TOO_MANY: "Wait, or use another model or plan.",
    }
    return hints.get(status)


def _clean(text: str, asked: AuxiliaryModel) -> str:
    """A text of a server in one line, without keys."""
    if asked.api_key:
        text = text.replace(asked.api_key, "***")
    line = " ".join(redact(text[:_MOST_READ]).split()).rstrip(".")
    return line if len(line) <= _MOST_CHARS else line[: _MOST_CHARS - 3] + "..."


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "the server"
    except ValueError:
        return "the server"
