"""A process in a Daytona sandbox, run in one of its pseudo-terminals: the only two-way connection of the SDK.

A terminal echoes its input, changes line endings and has no end of input. So a small script runs in between: it makes
the terminal transparent, forwards base64-encoded input line by line, and reports the exit code in a marker that is
removed from the output. A process that wants a terminal gets it unchanged.
"""

from __future__ import annotations

import base64
import contextlib
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.local import COLUMNS, ROWS
from hermes_tools_terminal.text import quoted

if TYPE_CHECKING:
    from daytona import Sandbox
    from daytona.handle.pty_handle import PtyHandle

READY_SECONDS = 30.0
_READY = b"\x1eready\x1e"
_PIECE = 12_288
"""How many bytes of input one line carries."""

# The sandbox's shell reads one short line, because terminals cut long ones. The rest is sent once the echo is off.
_BOOT = ' exec sh -c \'stty raw -echo; printf "\\036ready\\036"; eval "$(head -c {size})"\'\n'

_RELAY = 'echo $$; while IFS= read -r l; do [ "$l" = . ] && exit; printf %s "$l" | base64 -d || exit; done'

# With `setsid` the process leads its own group, so that a signal to it does not reach this script.
_PIPED = """
exec 3<&0 2>/dev/null
_h_own=$(command -v setsid || :)
sh -c {relay} <&3 3<&- | {{
  exec 3<&-; read -r _h_relay; $_h_own {argv}
  _h_status=$?; printf '\\035{word}\\037%s\\035' "$_h_status"; kill "$_h_relay" 2>/dev/null
}} 2>&1 | cat 3<&-
"""
_IN_TERMINAL = "stty sane rows {rows} cols {columns}; TERM=xterm-256color; export TERM; exec {argv}\n"
_GROUND = """
_h_at={folder}
until CDPATH= cd -- "$_h_at" 2>/dev/null; do _h_at=${{_h_at%/*}}; [ -n "$_h_at" ] || _h_at=/; done; unset _h_at
"""


class PtyChannel:
    """One process in its own pseudo-terminal; with `pty` it gets the terminal itself instead of pipes."""

    def __init__(
        self, sandbox: Sandbox, argv: Sequence[str], *, folder: str, env: Mapping[str, str], pty: bool
    ) -> None:
        from daytona.common.pty import PtySize

        word = secrets.token_hex(8)
        self._pty = pty
        self._status: int | None = None
        self._ended: Callable[[int], None] | None = None
        self._mark = f"\x1d{word}\x1f".encode()  # differs from the markers of shells, which must pass
        self._held = b""
        self._handle: PtyHandle = sandbox.process.create_pty_session(
            f"hermes-{word}", pty_size=PtySize(rows=ROWS, cols=COLUMNS)
        )
        try:
            self._events = iter(self._handle)
            self._begin(_script(argv, folder=folder, env=env, word=word, pty=pty))
        except BaseException:
            self.close()
            raise

    def output(self) -> Iterator[bytes]:
        """Yield the output of the process."""
        for data in self._events:
            yield self._without_mark(data)
            self._report_end(self._status)
        if self._held:
            yield self._held
        self._report_end(self._handle.exit_code if self._pty else self._status)

    def send(self, data: bytes) -> None:
        """Write to its input."""
        if self._pty:
            self._handle.send_input(data)
            return
        for at in range(0, len(data), _PIECE):
            self._handle.send_input(base64.b64encode(data[at : at + _PIECE]) + b"\n")

    def end_input(self) -> None:
        """Close its input; with a terminal, end of input is an ordinary character."""
        if not self._pty:
            self._handle.send_input(b".\n")

    def watch(self, ended: Callable[[int], None]) -> None:
        """Set the callback for the exit code."""
        self._ended = ended

    def close(self) -> None:
        """End the terminal's shell, and the connection."""
        with contextlib.suppress(Exception):  # it may have ended with the sandbox
            if self._handle.is_connected():
                self._handle.kill()
        with contextlib.suppress(Exception):
            self._handle.disconnect()

    def _begin(self, script: str) -> None:
        text = script.encode("utf-8", "surrogateescape")
        self._handle.send_input(_BOOT.format(size=len(text)))
        heard = b""
        deadline = time.monotonic() + READY_SECONDS
        for data in self._events:
            heard += data
            _, found, after = heard.partition(_READY)
            if found:
                self._handle.send_input(text)
                self._held = after
                return
            if time.monotonic() > deadline or len(heard) > 1_000_000:
                break
        message = heard.decode(errors="replace").strip()[-300:]
        raise TerminalEnvironmentError(
            f"The sandbox's terminal did not answer: {message or self._handle.error or 'it ended'}", gone=True
        )

    def _report_end(self, status: int | None) -> None:
        if status is not None and self._ended is not None:
            self._ended(status)

    def _without_mark(self, data: bytes) -> bytes:
        """Remove the marker from the output, and hold back what may be its beginning."""
        data, self._held = self._held + data, b""
        before, mark, after = data.partition(self._mark)
        if mark:
            status, closed, rest = after.partition(b"\x1d")
            if closed:
                self._status = int(status) if status.isdigit() else 255
                return before + rest
            data, self._held = before, mark + after
            return data
        at = data.rfind(self._mark[:1], max(0, len(data) - len(self._mark)))
        if at >= 0 and self._mark.startswith(data[at:]):
            data, self._held = data[:at], data[at:]
        return data


def _script(argv: Sequence[str], *, folder: str, env: Mapping[str, str], word: str, pty: bool) -> str:
    """Return the script that runs in the sandbox. It sets the variables, so that process lists do not show them."""
    lines = [f"export {name}={quoted(value)}" for name, value in env.items() if name.isidentifier()]
    line = " ".join(map(quoted, argv))
    if pty:
        rest = _IN_TERMINAL.format(rows=ROWS, columns=COLUMNS, argv=line)
    else:
        rest = _PIPED.format(relay=quoted(_RELAY), argv=line, word=word)
    return "\n".join(lines) + _GROUND.format(folder=quoted(folder)) + rest
