"""What the guard says about a URL or a response, and the errors that carry it to a model."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_core.errors import ToolDeniedError, ToolFailedError


class Refusal(Exception):  # noqa: N818 - it is no error, and never leaves this room
    """Why a URL is refused, on its way to the verdict."""

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlVerdict:
    """Whether a URL may be fetched. It is true when it may.

    Attributes:
        allowed: Whether it may.
        reason: Why not, in a sentence; empty when it may.
        code: Why not, in a word that does not change: `not_a_url`, `scheme`, `spelling`, `credentials`, `api_key`,
            `port`, `blocked_site`, `blocklist`, `metadata`, `private`, `reserved`, `unresolved` or `timeout`; empty
            when it may.
        host: The host in its one spelling, as far as it could be read.
        addresses: What the host resolved to. A client that looks the name up again may get others.
    """

    allowed: bool
    reason: str = ""
    code: str = ""
    host: str = ""
    addresses: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.allowed


_HINTS = {
    "not_a_url": "Give a whole URL, such as https://example.org/page.",
    "spelling": "Write the URL plainly, as a browser would show it.",
    "credentials": "Leave user names and passwords out of the URL.",
    "api_key": "Leave keys and passwords out of the URL.",
    "unresolved": "Make sure that the host is spelt right.",
    "timeout": "Try it again later.",
    "blocklist": "Ask the user to mend it.",
}


class UrlRefusedError(ToolDeniedError):
    """Raised when a guarded client is asked for a URL, or led to one, that may not be fetched."""

    code = "url_refused"

    def __init__(self, verdict: UrlVerdict) -> None:
        self.verdict = verdict
        hint = _HINTS.get(verdict.code, "Do not retry it in another spelling.")
        super().__init__(verdict.reason, hint=hint, reason=verdict.code)


class ResponseLimitError(ToolFailedError):
    """Raised when a response is larger, slower or more tightly packed than the limits allow."""

    code = "response_limit"

    def __init__(self, limit: str, message: str) -> None:
        self.limit = limit
        super().__init__(message, limit=limit)
