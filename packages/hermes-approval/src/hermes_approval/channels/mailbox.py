"""Lets another process of the same user answer: a request is a file, with a socket beside it for the answer."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from hermes_approval.channels import mailbox_files as files
from hermes_approval.channels.answer import Answer, Choice
from hermes_approval.channels.mailbox_messages import (
    Letter,
    Posted,
    read_letter,
    read_reply,
    write_letter,
    write_reply,
)
from hermes_approval.channels.mailbox_sockets import AnswerSocket, deliver
from hermes_approval.channels.process_identity import has_ended, this_process
from hermes_core import ApprovalRequest
from hermes_core.settings import home_folder, refuse_inside

FOLDER = "approvals"
"""Where in a home the requests lie."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.2
"""How often the folder is looked into: people do not notice, and neither does the processor."""

_TAKEN_SECONDS = 10.0
"""How long whoever answers waits until the process that asked has taken the answer."""


class Mailbox:
    """A folder of requests and answers, usually `$HERMES_HOME/approvals`.

    Whoever can read a request can answer it, and that is its owner alone. The answer must carry the request's id and
    random token, so one that was guessed or kept from an earlier request does not count. Neither does one from a
    process that a tool started: the kernel tells which process answers. That needs Linux.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._sockets: dict[str, AnswerSocket] = {}

    @classmethod
    def default(cls, home: str | os.PathLike[str] | None = None) -> Mailbox:
        """The one that `hermes approvals` looks into: the folder `approvals` of `$HERMES_HOME`, or of another home.

        Raises:
            ConfigError: there is no home folder.
        """
        return cls(Path(home_folder(home)) / FOLDER)

    def post(self, request: ApprovalRequest, *, seconds: float = 300.0) -> Posted:
        """Make a request visible to other processes.

        Raises:
            OSError: it cannot be written, others may write to the folder, or the system does not tell who answers.
        """
        files.prepare(self._folder)
        self.sweep()
        now = time.time()
        # The time comes first, so that the names are in the order of the requests.
        name = f"{time.time_ns():020d}-{os.urandom(4).hex()}"
        posted = Posted(name=name, id=request.id, token=secrets.token_hex(16))
        letter = Letter(posted=posted, request=request, process=this_process(), at=now, expires=now + seconds)
        self._sockets[name] = AnswerSocket(self._answer(name))
        try:
            if not files.write_new(self._request(name), write_letter(letter)):
                raise FileExistsError(f"{name} is another request")
        except BaseException:
            self.withdraw(posted)
            raise
        return posted

    def wait(
        self, posted: Posted, *, seconds: float = 300.0, cancelled: Callable[[], bool] | None = None
    ) -> Answer | None:
        """Wait for the answer, and remove the files. None when it was cancelled.

        Raises:
            TimeoutError: nobody answered.
        """
        until = time.monotonic() + seconds
        pause = _FIRST_PAUSE
        try:
            while cancelled is None or not cancelled():
                if answer := self.collect(posted):
                    return answer
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"nobody answered within {seconds:g} seconds")
                time.sleep(min(pause, left))
                pause = min(pause * 1.5, _LONGEST_PAUSE)
            return None
        finally:
            self.withdraw(posted)

    def collect(self, posted: Posted) -> Answer | None:
        """The answer, if somebody has given it who may. Others are refused, and do not keep anybody from answering."""
        found = self._sockets.get(posted.name)
        if found is None or not files.is_private(self._folder):
            return None
        answer = found.take(lambda facts: read_reply(posted, facts))
        if answer is None:
            found.listen_again()
        return answer

    def withdraw(self, posted: Posted) -> None:
        """Remove a request and its answer."""
        if (found := self._sockets.pop(posted.name, None)) is not None:
            found.close()
        files.remove(self._request(posted.name))
        files.remove(self._answer(posted.name))

    def pending(self) -> list[Letter]:
        """What waits for an answer, oldest first; requests of processes that have ended do not."""
        return [letter for letter in self._letters() if not _is_over(letter) and not self._is_answered(letter)]

    def answer(self, which: str, choice: Choice, by: str, reason: str = "") -> int:
        """Answer requests of any process, and return how many that were.

        Args:
            which: The key or id of a request, or its call's id, or how one of them begins; `next` for the oldest,
                `all` for all.
            choice: The answer.
            by: Who answers.
            reason: Why.

        Raises:
            LookupError: several requests are called like this.
            ValueError: there is no such choice.
            PermissionError: the process that asks does not take answers from this one.
            ConfigError: a tool started this process.
        """
        refuse_inside("Requests for approval cannot be answered")
        answer = Answer(choice=choice, by=by, reason=reason)
        pending = self.pending()
        if which == "next":
            return int(any(self._reply(letter, answer) for letter in pending))
        meant = pending if which == "all" else _called(which, pending)
        return sum(self._reply(letter, answer) for letter in meant)

    def sweep(self) -> None:
        """Remove what processes that have ended left behind."""
        for letter in self._letters():
            if _is_over(letter):
                self.withdraw(letter.posted)
        files.sweep(self._folder)

    def _letters(self) -> list[Letter]:
        if not files.is_private(self._folder):
            return []
        found = (read_letter(name, files.read(self._request(name))) for name in files.requests(self._folder))
        return [letter for letter in found if letter is not None]

    def _reply(self, letter: Letter, answer: Answer) -> bool:
        seconds = 0.0 if letter.process == this_process() else _TAKEN_SECONDS
        reply = write_reply(letter.posted, answer)
        return deliver(self._answer(letter.posted.name), reply, to=letter.process.pid, seconds=seconds)

    def _is_answered(self, letter: Letter) -> bool:
        return not os.path.lexists(self._answer(letter.posted.name))

    def _request(self, name: str) -> Path:
        return self._folder / f"{name}{files.REQUEST}"

    def _answer(self, name: str) -> Path:
        return self._folder / f"{name}{files.ANSWER}"


def _is_over(letter: Letter) -> bool:
    return letter.expires < time.time() or has_ended(letter.process)


def _called(which: str, letters: list[Letter]) -> list[Letter]:
    """The one letter that is meant, if any: an answer for several must say `all`."""
    meant = [letter for letter in letters if which in letter.names]
    if not meant and which:
        meant = [letter for letter in letters if any(name.startswith(which) for name in letter.names)]
    if len(meant) > 1:
        raise LookupError(f"{which!r} could be any of {', '.join(letter.key for letter in meant)}")
    return meant
