"""Asks the person at the terminal, one request after the other."""

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
from hermes_approval.channels.terminal_dialog import PLACE, SCOPES, Narrowings, Offers, Propose, Talk
from hermes_approval.grants.grant import Grant
from hermes_core import ApprovalRequest
from hermes_core.errors import HermesError, describe_error

_TURN_SECONDS = 0.1
"""How soon somebody who waits notices that their turn is not wanted any more."""


class Turns:
    """A queue of threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()

    @contextmanager
    def turn(self, cancelled: Callable[[], bool]) -> Iterator[bool]:
        """Wait for the turn and hold it for the length of a block; False when it was cancelled before it came."""
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
        try:
            yield self._wait(ticket, cancelled)
        finally:
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()

    def _wait(self, ticket: object, cancelled: Callable[[], bool]) -> bool:
        while not cancelled():
            with self._changed:
                if self._queue[0] is ticket:
                    return True
                self._changed.wait(_TURN_SECONDS)
        return False


log = logging.getLogger("hermes.approval")

# A process has one terminal, however many hosts and channels it has: all of them stand in the same queue.
_TURNS = Turns()

Settled = Callable[[ApprovalRequest], Answer | None]
"""What was answered meanwhile, by what somebody granted while the request waited for its turn."""

_KEEPING_SECONDS, _LOOK_SECONDS = 0.5, 0.02
"""A host keeps a grant just after the answer that brought it: for so long the next request waits for that."""


def _never() -> bool:
    return False


class TerminalChannel:
    """A prompt on the terminal. Nothing but a clear yes is a yes.

    Args:
        seconds: How long each request is shown before it has timed out.
        propose: Makes the grant, or the tuple of grants, that `session` or `always` would create for a request, or
            None. What it makes is what the prompt shows and what the answer carries; without it only `once` is on
            offer.
        narrowings: Narrower variants of a grant, each with a label; their `scope` is the choice they stand for.
        settled: Whether a request has its answer already, when its turn comes after a yes for longer; then it is not
            shown.
        scopes: Which of `session` and `always` are on offer.
        stdin: Another terminal to read from.
        stdout: Another terminal to write to.
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
        """Whether a person is at the terminal, and neither the shell nor another program holds it."""
        return self._device.ready()

    def ask(self, request: ApprovalRequest, *, cancelled: Callable[[], bool] = _never) -> Answer | None:
        """Show a request when its turn has come, and wait for the answer.

        Bare Enter, end of input, Ctrl-C and three answers that mean nothing are a no.

        Args:
            request: What is asked.
            cancelled: Whether nobody wants to know any more: then the request is not shown, or taken from the screen.

        Returns:
            The answer; None when the terminal is not to be used, or the call was cancelled.

        Raises:
            TimeoutError: the request was shown, and nobody answered.
            ValueError: a finding refuses the call, so nobody may be asked.
        """
        must_be_askable(request)
        came = monotonic()
        with _TURNS.turn(cancelled) as wanted:
            if not wanted:
                return None
            if self._granted > came and (answer := self._answered_meanwhile(request)):
                return answer
            if not self.usable():  # looked at now: much may have changed while it waited
                return None
            talk = Talk(self._device, request, self._offers(request), seconds=self._seconds, cancelled=cancelled)
            try:
                with self._device.taken():
                    return self._answer(talk)
            except (OSError, termios.error) as error:
                if isinstance(error, TimeoutError):
                    raise
                return _denied(f"the terminal has gone: {describe_error(error)}")
            except KeyboardInterrupt:  # a real signal, in the main thread: it too is meant for the prompt
                return _denied("Ctrl-C")

    def _answer(self, talk: Talk) -> Answer | None:
        try:
            answer = talk.answer()
        except Withdrawn:
            talk.say("The call was cancelled; nothing is to be answered any more.")
            return None
        except TimeoutError:
            talk.say("Not answered in time: denied.")
            raise TimeoutError(f"nobody answered within {self._seconds:g} seconds") from None
        except EOFError:
            answer = _denied("end of input")
        except KeyboardInterrupt:
            answer = _denied("Ctrl-C")
        talk.say(f"Allowed: {answer.choice}." if answer.allowed else f"Denied: {answer.reason}.")
        if answer.grant is not None:
            self._granted = monotonic()
        return answer

    def _answered_meanwhile(self, request: ApprovalRequest) -> Answer | None:
        while self._settled is not None:
            if answer := self._settled(request):
                return answer
            if monotonic() > self._granted + _KEEPING_SECONDS:
                break
            sleep(_LOOK_SECONDS)
        return None

    def _offers(self, request: ApprovalRequest) -> Offers:
        """The grants that can be had. An application's function that fails takes its offer with it, not the prompt."""
        grants: dict[str, object] = {}
        narrower: dict[tuple[str, ...], tuple[str, str, object]] = {}
        for scope in self._scopes if not request.once else ():
            try:
                grant = _by(signed(PLACE), self._propose(request, scope)) if self._propose else None
                if grant is None:
                    continue
                for label, narrow in self._narrowings(grant) if self._narrowings else ():
                    its_scope = _scope(narrow, scope)
                    if its_scope in self._scopes:  # once has a key of its own
                        narrower.setdefault((its_scope, *describe_grant(narrow)), (its_scope, label, narrow))
                grants[scope] = grant
            except Exception as error:  # foreign code: without a grant there is still `once`
                trace = None if isinstance(error, HermesError) else error
                log.warning("No grant can be offered for %s: %s", scope, describe_error(error), exc_info=trace)
        for scope, grant in grants.items():  # what a key of its own stands for is no narrower one
            narrower.pop((scope, *describe_grant(grant)), None)
        return Offers(grants, tuple(narrower.values()))


def _scope(grant: object, proposed: str) -> str:
    """How long a narrower grant holds: it may be narrower in just that."""
    scope = getattr(grant, "scope", proposed)
    return scope if scope in CHOICES and scope != "deny" else proposed


def _by(who: str, grant: object) -> object:
    """A grant, or several, signed by whoever is asked."""
    if isinstance(grant, Grant):
        return replace(grant, by=who)
    return type(grant)(_by(who, each) for each in grant) if isinstance(grant, tuple) else grant


def _denied(reason: str) -> Answer:
    return Answer(choice="deny", by=signed(PLACE), reason=reason)
