"""URL verdicts, and the errors of this library.

NetError
├── UrlRefusedError      a URL that may not be fetched
├── ResponseLimitError   a response that exceeds a limit of size, time or compression
└── NetSettingsError     a setting or an environment variable with an invalid value
"""

from __future__ import annotations

from dataclasses import dataclass


class Refusal(Exception):  # noqa: N818 - internal: it never leaves this library
    """The reason of a refusal, until it becomes a verdict."""

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlVerdict:
    """Whether a URL may be fetched; truthy if it may.

    Attributes:
        allowed: True when it may be fetched.
        reason: Why not, in a sentence; empty when it may.
        code: A stable code: `not_a_url`, `scheme`, `spelling`, `credentials`, `api_key`, `port`, `blocked_site`,
            `blocklist`, `metadata`, `private`, `reserved`, `unresolved` or `timeout`; empty when it may.
        host: The normalized host, as far as it could be parsed.
        addresses: The resolved addresses. A client that resolves the name again may get others.
    """

    allowed: bool
    reason: str = ""
    code: str = ""
    host: str = ""
    addresses: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.allowed


_HINTS = {
    "not_a_url": "Use a complete URL, such as https://example.org/page.",
    "spelling": "Write the URL as a browser would show it.",
    "credentials": "Remove user names and passwords from the URL.",
    "api_key": "Remove keys and passwords from the URL.",
    "unresolved": "Check the spelling of the host.",
    "timeout": "Try again later.",
    "blocklist": "Ask the user to fix it.",
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
    """Raised when a guarded client is asked for, or redirected to, a URL that may not be fetched.

    Attributes:
        verdict: The verdict.
        hint: What to do instead.
    """

    def __init__(self, verdict: UrlVerdict) -> None:
        self.verdict = verdict
        self.hint = _HINTS.get(verdict.code, "Do not retry with another spelling.")
        super().__init__(verdict.reason, verdict)


class ResponseLimitError(NetError):
    """Raised when a response exceeds a limit of size, time or compression.

    Attributes:
        limit: The name of the limit in `NetLimits`.
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
