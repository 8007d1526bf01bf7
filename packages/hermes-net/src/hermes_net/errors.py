"""Verdicts about URLs, and the errors of this library.

NetError
├── UrlRefusedError      a URL that may not be fetched
├── ResponseLimitError   a response that is larger, slower or more tightly packed than the limits
└── NetSettingsError     a setting or an environment variable with an invalid value
"""

from __future__ import annotations

from dataclasses import dataclass


class Refusal(Exception):  # noqa: N818 - internal: it never leaves this library
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
    "unresolved": "Make sure that the host is spelled right.",
    "timeout": "Try it again later.",
    "blocklist": "Ask the user to mend it.",
}


class NetError(Exception):
    """The base of all errors of this library.

    Attributes:
        message: What happened, in a sentence.
    """

    def __init__(self, message: str, *facts: object) -> None:
        self.message = message
        super().__init__(*(facts or (message,)))

    def __str__(self) -> str:
        return self.message


class UrlRefusedError(NetError):
    """Raised when a guarded client is asked for a URL, or redirected to one, that may not be fetched.

    Attributes:
        verdict: Why not.
        hint: What to do instead.
    """

    def __init__(self, verdict: UrlVerdict) -> None:
        self.verdict = verdict
        self.hint = _HINTS.get(verdict.code, "Do not retry it in another spelling.")
        super().__init__(verdict.reason, verdict)


class ResponseLimitError(NetError):
    """Raised when a response is larger, slower or more tightly packed than the limits allow.

    Attributes:
        limit: The limit, as `NetLimits` names it.
    """

    def __init__(self, limit: str, message: str) -> None:
        self.limit = limit
        super().__init__(message, limit, message)


class NetSettingsError(NetError):
    """Raised when a setting or an environment variable has an invalid value.

    Attributes:
        problem: What is wrong with the value, as the end of a sentence.
        key: The setting or variable.
        example: A valid value; empty when there is none.
    """

    def __init__(self, problem: str, key: str = "", example: str = "") -> None:
        self.problem = problem
        self.key = key
        self.example = example
        text = f"{key}: {problem}" if key else problem
        super().__init__(f"{text} Example: {example}" if example else text, problem, key, example)
