"""Loads the user's plugins for harmless calls, and abandons what takes too long."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from hermes_core.cli.run import plugin_output
from hermes_core.hookspecs import hookimpl

if TYPE_CHECKING:
    from hermes_core.findings import ApprovalRequest, Waiver
    from hermes_core.host import Hermes

_HOOK_SECONDS = 2.0  # a short deadline, because users wait for probes
_CLOSING_SECONDS = 5.0


@contextlib.contextmanager
def probe_host(*, show: bool = True) -> Iterator[Hermes]:
    """Load the user's host for a harmless call: without approvers, and with short deadlines."""
    from hermes_core.host import Hermes

    with plugin_output(show=show, plugins=False):  # the command reports problems of plugins itself
        quick = {"calls": {"hook_timeout": _HOOK_SECONDS}}
        host = Hermes.load(is_probe=True, plugins=[_WaivesEverything()], config=quick)
        try:
            yield host
        finally:
            run_within(host.close, _CLOSING_SECONDS)


class _WaivesEverything:
    """Waives all findings of a probe's calls, without using the user's grants."""

    __name__ = "probe"

    @hookimpl
    def hermes_waive_findings(self, request: ApprovalRequest) -> list[Waiver]:
        """Waive every finding."""
        from hermes_core.findings import Waiver

        return [Waiver(finding=finding, by=self.__name__) for finding in request.findings]


def run_within(start: Callable[[], object], seconds: float) -> str | None:
    """Run code in a thread that can be abandoned; return its error, "" on success, None if it did not finish."""
    from hermes_core.errors import describe_error

    errors: list[str] = []

    def run() -> None:
        try:
            start()
        except Exception as error:  # foreign code ran: the caller reports it
            errors.append(describe_error(error))

    thread = threading.Thread(target=run, name="hermes-probe", daemon=True)
    thread.start()
    thread.join(seconds)
    return None if thread.is_alive() else "".join(errors)
