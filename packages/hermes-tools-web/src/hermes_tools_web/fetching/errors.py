"""Why a page was not fetched, in words for a model."""

from __future__ import annotations

from hermes_core import ToolDeniedError, ToolFailedError
from hermes_net import UrlRefusedError, UrlVerdict

REFUSED = "url_refused"


class FetchError(ToolFailedError):
    """Raised when a page is not fetched, whatever the reason.

    Attributes:
        message: What happened.
        hint: What can be done about it; None when nothing can.
        code: The reason in a word that does not change: `url_refused`, `not_found`, `gone`, `login_needed`,
            `forbidden`, `rate_limited`, `legal`, `request_refused`, `server_error`, `bad_redirect`,
            `too_many_redirects`, `timeout`, `too_large`, `bomb`, `encoding`, `unreachable`, `broken_off`, `tls`,
            `proxy` or `bad_response`.
        refused: The code of the guard's verdict, such as `private`; empty when the guard did not refuse.
        status: The HTTP status; None when there was none.
        retry_after: The seconds that the server wants to be left alone; None when it did not say.
        again_after: The seconds after which it makes sense to try once more; None when it makes none.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str | None = None,
        refused: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        again_after: float | None = None,
    ) -> None:
        self.code = code  # type: ignore[misc]  # one class for all reasons: nobody catches them one by one
        self.refused = refused
        self.status = status
        self.retry_after = retry_after
        self.again_after = again_after
        facts = {"reason": refused, "status": status}
        super().__init__(message, hint=hint, **{name: fact for name, fact in facts.items() if fact})


class UrlDeniedError(ToolDeniedError):
    """Raised when a crawl is asked for a URL that may not be fetched.

    Attributes:
        verdict: Why not.
    """

    code = REFUSED

    def __init__(self, verdict: UrlVerdict) -> None:
        self.verdict = verdict
        refused = UrlRefusedError(verdict)
        super().__init__(refused.message, hint=refused.hint, reason=verdict.code)
