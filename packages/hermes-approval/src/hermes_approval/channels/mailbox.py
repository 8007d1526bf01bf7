"""Lets other processes of the same user answer: each request is a file, with a socket beside it for the answer."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from hermes_approval.channels import mailbox_files as files
from hermes_approval.channels.answer import Answer, Choice
from hermes_approval.channels.mailbox_messages import (
    MailboxEntry,
    Ticket,
    decode_answer,
    decode_entry,
    digest_of,
    encode_answer,
    encode_entry,
    encode_request,
)
from hermes_approval.channels.mailbox_sockets import AnswerSocket, deliver
from hermes_approval.channels.process_identity import has_ended, this_process
from hermes_core import ApprovalRequest
from hermes_core.settings import home_folder, refuse_inside

FOLDER = "approvals"
"""The directory of the requests in a home."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.2
"""How often a request is checked for an answer, in seconds."""

_TAKEN_SECONDS = 10.0
"""How many seconds an answering process waits until the asking process has taken the answer."""


class Mailbox:
    """A directory of requests and answers, usually `$HERMES_HOME/approvals`.

    Only the owner can read a request, and so answer it. An answer must carry the request's id and its random token, so
    an answer that was guessed or meant for an earlier request does not count. An answer from a process that a tool
    started does not count either: the kernel says which process answers. That needs Linux.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._sockets: dict[str, AnswerSocket] = {}

    @classmethod
    def default(cls, home: str | os.PathLike[str] | None = None) -> Mailbox:
        """Return the mailbox that `hermes approvals` uses, in `$HERMES_HOME` or another home."""
        return cls(Path(home_folder(home)) / FOLDER)

    def post(self, request: ApprovalRequest, *, seconds: float = 300.0) -> Ticket:
        """Make a request visible to other processes.

        Raises:
            OSError: it cannot be written, other users may write to the directory, or the system does not say who
                answers.
        """
        files.prepare(self._folder)
        self.sweep()
        now = time.time()
        # The time comes first, so that names sort in the order of the requests.
        name = f"{time.time_ns():020d}-{os.urandom(4).hex()}"
        digest = digest_of(encode_request(request))
        ticket = Ticket(name=name, id=request.id, token=secrets.token_hex(16), digest=digest)
        entry = MailboxEntry(ticket=ticket, request=request, process=this_process(), at=now, expires=now + seconds)
        self._sockets[name] = AnswerSocket(self._answer(name))
        try:
            if not files.write_new(self._request(name), encode_entry(entry)):
                raise FileExistsError(f"{name} is another request")
        except BaseException:
            self.withdraw(ticket)
            raise
        return ticket

    def wait(
        self, ticket: Ticket, *, seconds: float = 300.0, cancelled: Callable[[], bool] | None = None
    ) -> Answer | None:
        """Wait for the answer, and remove the files. None if it was cancelled.

        Raises:
            TimeoutError: there was no answer in time.
        """
        until = time.monotonic() + seconds
        pause = _FIRST_PAUSE
        try:
            while cancelled is None or not cancelled():
                if answer := self.collect(ticket):
                    return answer
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"no answer within {seconds:g} seconds")
                time.sleep(min(pause, left))
                pause = min(pause * 1.5, _LONGEST_PAUSE)
            return None
        finally:
            self.withdraw(ticket)

    def collect(self, ticket: Ticket) -> Answer | None:
        """Return the answer if there is a valid one. Invalid answers are refused, and the request stays open."""
        found = self._sockets.get(ticket.name)
        if found is None or not files.is_private(self._folder):
            return None
        answer = found.take(lambda facts: decode_answer(ticket, facts))
        if answer is None:
            found.listen_again()
        return answer

    def withdraw(self, ticket: Ticket) -> None:
        """Remove a request and its answer."""
        if (found := self._sockets.pop(ticket.name, None)) is not None:
            found.close()
        files.remove(self._request(ticket.name))
        files.remove(self._answer(ticket.name))

    def pending(self) -> list[MailboxEntry]:
        """Return the waiting requests, oldest first, without those of processes that have ended."""
        return [entry for entry in self._letters() if not _is_over(entry) and not self._is_answered(entry)]

    def answer(self, which: str, choice: Choice, by: str, reason: str = "") -> int:
        """Answer requests of any process, and return how many there were.

        Args:
            which: The key or id of a request, or the id of its call, or the beginning of one; `next` for the oldest,
                `all` for all.
            choice: The answer.
            by: Who answers.
            reason: Why.

        Raises:
            LookupError: several requests match.
            ValueError: the choice is not one.
            PermissionError: the asking process does not accept answers from this one.
            ConfigError: a tool started this process.
        """
        answer = Answer(choice=choice, by=by, reason=reason)
        pending = self.pending()
        if which == "next":
            return int(any(self.reply(entry, answer) for entry in pending))
        meant = pending if which == "all" else find_named(which, pending)
        return sum(self.reply(entry, answer) for entry in meant)

    def reply(self, entry: MailboxEntry, answer: Answer) -> bool:
        """Answer a request as it was read; False if it no longer waits. Raises like `answer`."""
        refuse_inside("Requests for approval cannot be answered")
        seconds = 0.0 if entry.process == this_process() else _TAKEN_SECONDS
        reply = encode_answer(entry.ticket, answer)
        return deliver(self._answer(entry.ticket.name), reply, to=entry.process.pid, seconds=seconds)

    def sweep(self) -> None:
        """Remove the files of processes that have ended."""
        for entry in self._letters():
            if _is_over(entry):
                self.withdraw(entry.ticket)
        files.sweep(self._folder)

    def _letters(self) -> list[MailboxEntry]:
        if not files.is_private(self._folder):
            return []
        found = (decode_entry(name, files.read(self._request(name))) for name in files.requests(self._folder))
        return [entry for entry in found if entry is not None]

    def _is_answered(self, entry: MailboxEntry) -> bool:
        return not os.path.lexists(self._answer(entry.ticket.name))

    def _request(self, name: str) -> Path:
        return self._folder / f"{name}{files.REQUEST}"

    def _answer(self, name: str) -> Path:
        return self._folder / f"{name}{files.ANSWER}"


def _is_over(entry: MailboxEntry) -> bool:
    return entry.expires < time.time() or has_ended(entry.process)


def find_named(which: str, entries: list[MailboxEntry]) -> list[MailboxEntry]:
    """Return the requests that a name means: at most one.

    Raises:
        LookupError: several requests match.
    """
    meant = [entry for entry in entries if which in entry.names]
    if not meant and which:
        meant = [entry for entry in entries if any(name.startswith(which) for name in entry.names)]
    if len(meant) > 1:
        raise LookupError(f"{which!r} could be any of {', '.join(entry.key for entry in meant)}")
    return meant
