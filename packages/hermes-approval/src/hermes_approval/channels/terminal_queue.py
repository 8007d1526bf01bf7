"""Asks the user at the terminal about one request after the other."""

from __future__ import annotations

import logging
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic, sleep
from typing import TextIO

from hermes_approval.channels.answer import CHOICES, Answer, must_be_askable, signed
from hermes_approval.channels.prompt_text import describe_grant
from hermes_approval.channels.terminal_device import Device, Withdrawn
from hermes_approval.channels.terminal_dialog import PLACE, SCOPES, Dialog, Narrowings, Offers, Propose, denied
from hermes_approval.grants.grant import Grant
from hermes_core import ApprovalRequest
from hermes_core.errors import HermesError, describe_error

_TURN_SECONDS = 0.1
"""How soon a waiting request notices that it was cancelled."""


class Turns:
    """A queue of threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()

    @contextmanager
    def turn(self, cancelled: Callable[[], bool]) -> Iterator[bool]:
        """Wait for the turn, and hold it during a block; False if it was cancelled before."""
        turn = object()
        with self._changed:
            self._queue.append(turn)
        try:
            yield self._wait(turn, cancelled)
        finally:
            with self._changed:
                self._queue.remove(turn)
                self._changed.notify_all()

    def _wait(self, turn: object, cancelled: Callable[[], bool]) -> bool:
        while not cancelled():
            with self._changed:
                if self._queue[0] is turn:
                    return True
                self._changed.wait(_TURN_SECONDS)
        return False


log = logging.getLogger("hermes.approval")

# A process has one terminal, so all its hosts and channels share one queue.
_TURNS = Turns()

Settled = Callable[[ApprovalRequest], Answer | None]
"""Returns the answer that was given while the request waited for its turn."""

_STORE_SECONDS, _LOOK_SECONDS = 0.5, 0.02
"""How long the next request waits for a grant: a host stores it just after the answer."""


def _never() -> bool:
    return False


class TerminalChannel:
    """A prompt at the terminal. Only a clear yes is a yes.

    Args:
        seconds: How long each request is shown before it times out.
        propose: Makes the grant, or the tuple of grants, that `session` or `always` would create for a request, or
            None. The prompt shows it, and the answer carries it. Without it, only `once` is offered.
        narrowings: Returns narrower variants of a grant, each with a label; their `scope` is the choice they mean.
        settled: Returns the answer if a request was granted before its turn; then it is not shown.
        scopes: Which of `session` and `always` are offered.
        stdin: Another terminal for input.
        stdout: Another terminal for output.
    """

    def __init__(
        self,
        *,
        seconds: float = 60.0,
        propose: Propose | None = None,
        narrowings: Narrowings | None = None,
        settled: Settled | None = None,
        scopes: Sequence[str] = SCOPES,
        stdin: TextIO | None = None,
        stdout: TextIO | None = None,
    ) -> None:
        self._seconds = seconds
        self._propose = propose
        self._narrowings = narrowings
        self._settled = settled
        self._scopes = scopes
        self._granted = 0.0
        self._device = Device(stdin, stdout)

    def usable(self) -> bool:
        """Return True if a user is at the terminal, and neither the shell nor another program uses it."""
        return self._device.ready()

    def ask(self, request: ApprovalRequest, *, cancelled: Callable[[], bool] = _never) -> Answer | None:
        """Show a request when it is its turn, and wait for the answer.

        Bare Enter, end of input, Ctrl-C and three invalid answers mean no.

        Args:
            request: The request.
            cancelled: Returns True if the answer is no longer needed; then the prompt is removed.

        Returns:
            The answer; None if the terminal cannot be used, or the call was cancelled.

        Raises:
            TimeoutError: the request was shown, and there was no answer in time.
            ValueError: a finding refuses the call, so it cannot be approved.
        """
        must_be_askable(request)
        came = monotonic()
        with _TURNS.turn(cancelled) as is_turn:
            if not is_turn:
                return None
            if self._granted > came and (answer := self._answered_meanwhile(request)):
                return answer
            if not self.usable():  # checked again: it may have changed meanwhile
                return None
            dialog = Dialog(self._device, request, self._offers(request), seconds=self._seconds, cancelled=cancelled)
            try:
                with self._device.taken():
                    return self._answer(dialog)
            except (OSError, termios.error) as error:
                if isinstance(error, TimeoutError):
                    raise
                return denied(f"the terminal is gone: {describe_error(error)}")
            except KeyboardInterrupt:  # a real signal in the main thread is meant for the prompt, too
                return denied("Ctrl-C")

    def _answer(self, dialog: Dialog) -> Answer | None:
        try:
            answer = dialog.answer()
        except Withdrawn:
            dialog.say("The call was cancelled; no answer is needed.")
            return None
        except TimeoutError:
            dialog.say("Not answered in time: denied.")
            raise TimeoutError(f"no answer within {self._seconds:g} seconds") from None
        except EOFError:
            answer = denied("end of input")
        except KeyboardInterrupt:
            answer = denied("Ctrl-C")
        dialog.say(f"Allowed: {answer.choice}." if answer.allowed else f"Denied: {answer.reason}.")
        if answer.grant is not None:
            self._granted = monotonic()
        return answer

    def _answered_meanwhile(self, request: ApprovalRequest) -> Answer | None:
        while self._settled is not None:
            if answer := self._settled(request):
                return answer
            if monotonic() > self._granted + _STORE_SECONDS:
                break
            sleep(_LOOK_SECONDS)
        return None

    def _offers(self, request: ApprovalRequest) -> Offers:
        """Return the grants on offer. If an application's function fails, the prompt has fewer offers."""
        grants: dict[str, object] = {}
        narrower: dict[tuple[str, ...], tuple[str, str, object]] = {}
        for scope in self._scopes if not request.once else ():
            try:
                grant = _by(signed(PLACE), self._propose(request, scope)) if self._propose else None
                if grant is None:
                    continue
                for label, narrow in self._narrowings(grant) if self._narrowings else ():
                    its_scope = _scope(narrow, scope)
                    if its_scope in self._scopes:  # once has its own key
                        narrower.setdefault((its_scope, *describe_grant(narrow)), (its_scope, label, narrow))
                grants[scope] = grant
            except Exception as error:  # foreign code: without a grant there is still `once`
                trace = None if isinstance(error, HermesError) else error
                log.warning("No grant can be offered for %s: %s", scope, describe_error(error), exc_info=trace)
        for scope, grant in grants.items():  # an offer with its own key is not a narrower one
            narrower.pop((scope, *describe_grant(grant)), None)
        return Offers(grants, tuple(narrower.values()))


def _scope(grant: object, proposed: str) -> str:
    """Return the scope of a narrower grant, which may be narrower only in that."""
    scope = getattr(grant, "scope", proposed)
    return scope if scope in CHOICES and scope != "deny" else proposed


def _by(who: str, grant: object) -> object:
    if isinstance(grant, Grant):
        return replace(grant, by=who)
    return type(grant)(_by(who, each) for each in grant) if isinstance(grant, tuple) else grant
