"""The protocol with a persistent shell: its setup, how commands are framed, and the markers in its output.

Commands run in the shell itself, with `eval`, so that their effects persist. The shell's input carries the protocol, so
commands get another input. Output contains markers: a control character and a secret token of this shell, which only
`printf` puts together, so that no trace of a command looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hermes_tools_terminal.text import ShellKind, quoted

# Commands that may change the shell itself: its options, traps or output, or run code that might.
_CHANGING = re.compile(r"set|trap|exec|eval|source|shopt|\.\s|\(\)|function|alias|ulimit|enable|builtin|command|9")

MARK = "\x1e"
PART = "\x1f"

OPENED = "opened"
"""The token of a shell that has just been set up."""

NO_FOLDER = 126
"""The exit code of a command whose directory does not exist."""


# Descriptor 9 is the output, whatever a command does to 1 and 2. A plain sh supports single digits only.
_OPENING = r"exec 9>&1 2>&1"

# A shell that ends prints its state, so that the next one can restore it.
_PRINT_STATE = {
    "bash": r"""{ builtin printf "umask %s\n" "$(umask)"; builtin export -p; builtin declare -f; builtin alias -p; }""",
    "sh": r"""{ command printf "umask %s\n" "$(umask)"; export -p; }""",
}

# EXIT traps run at the end of a script. This shell lives on, so they are stored: the shell ends after a command that
# sets one.
_TRAPS = r"""
trap() {
  if [ "$BASHPID" != "$$" ]; then builtin trap "$@"; return; fi
  local _h_word _h_action _h_some=
  local -a _h_rest=() _h_given=("$@")
  [ "${_h_given[0]-}" = -- ] && _h_given=("${_h_given[@]:1}")
  if [ "${#_h_given[@]}" -lt 2 ] || [ "${_h_given[0]}" = -p ] || [ "${_h_given[0]}" = -l ]; then
    builtin trap "$@"; return
  fi
  _h_action=${_h_given[0]}
  for _h_word in "${_h_given[@]:1}"; do
    case $_h_word in
      EXIT|exit|SIGEXIT|0) _h_some=1;;
      *) _h_rest+=("$_h_word");;
    esac
  done
  if [ -n "$_h_some" ]; then
    if [ "$_h_action" = - ] || [ -z "$_h_action" ]; then unset _h_at_exit; else _h_at_exit=$_h_action; fi
  fi
  if [ "${#_h_rest[@]}" -gt 0 ]; then builtin trap -- "$_h_action" "${_h_rest[@]}"; fi
}
"""


@dataclass(frozen=True, slots=True)
class ShellProtocol:
    """The protocol with one shell; `word` is the secret token of its markers."""

    kind: ShellKind
    word: str

    @property
    def final_state(self) -> str:
        """Return the code with which a shell prints its state."""
        return _PRINT_STATE[self.kind]

    @property
    def mark(self) -> bytes:
        """Return the prefix of all markers."""
        return f"{MARK}{self.word}{PART}".encode()

    def opening(self, state: str = "", start_up: str = "") -> str:
        """Return the setup of a new shell, which answers with an `end` marker.

        A shell reads its input byte by byte, so repeated code is sent once, as functions that commands cannot change.
        """
        lines = [_OPENING]
        if self.kind == "bash":
            lines.append("set +o history; " + _TRAPS)
        lines += [f"_h_enter() {{ {self._enter_existing()}; }}", f"_h_end() {{ {self._end()}; }}"]
        done = self._done('"$?"')
        lines += [f"_h_done() {{ {done} >&9; }}", self._at_exit(), self._at_term()]
        if self.kind == "bash":
            lines.append("readonly -f _h_enter _h_end _h_done")
        if start_up:
            lines.append(f"eval {quoted(start_up)} </dev/null; exec 1>&9 2>&1")
        if state:
            # Readonly variables that cannot be set again are not an error.
            lines.append(f"eval {quoted(state)} >/dev/null 2>&1")
        lines.append(f"{self._builtin('printf')} '\\036{self.word}\\037home\\037%s\\036' \"${{HOME-}}\"")
        return "\n".join([*lines, ":", f"_h_end {OPENED}"]) + "\n"

    def command(
        self,
        text: str,
        token: str,
        *,
        folder: str | None = None,
        way: Literal["out", "back", "on"] = "on",
        steady: bool = False,
    ) -> tuple[str, int]:
        """Return a command, and how many bytes follow it: a shell that has not read up to there has not started it.

        Args:
            text: The command.
            token: Returned in its end marker; earlier commands cannot know it.
            folder: Its working directory; that of the shell by default.
            way: `out` when the shell leaves its directory for this command only, `back` when it returns there. If its
                own directory is gone by then, it enters the nearest existing parent.
            steady: Whether the shell and its directory are known to exist.
        """
        # A plain sh exits on an error in a special builtin, unless it runs with `command`.
        run = f"{self._builtin('eval')} {quoted(text)} </dev/null"
        cd = f"CDPATH= {self._builtin('cd')} -- {quoted(folder)}" if folder is not None else ""
        if folder is not None and way == "back":
            run = f"{cd} 2>/dev/null || PWD={quoted(folder)}; OLDPWD=${{_h_before-}}\n_h_enter\n{run}"
        elif folder is not None:
            before = "_h_before=${OLDPWD-}; " if way == "out" else ""
            run = f"{before}if {cd}; then\n{run}\nelse (exit {NO_FOLDER}); fi"
        elif not steady:
            run = f"_h_enter\n{run}"
        closing = f"{self._closing(text, token)}\n"
        return f"{run}\n{closing}", len(closing)

    def _closing(self, text: str, token: str) -> str:
        """Return the code after a command: most commands cannot have changed anything that must be restored."""
        if not _CHANGING.search(text):
            return f"_h_done {token}"
        if self.kind == "bash" and "trap" in text:  # their output belongs to no command
            return f"_h_end {token}\n{{ builtin trap - DEBUG ERR RETURN; }} >/dev/null 2>&1"
        return f"_h_end {token}"

    def _enter_existing(self) -> str:
        """Return code that reports the start of a command, and leaves a deleted directory for its nearest parent."""
        cd = self._builtin("cd")
        return (
            f"{self._builtin('printf')} '\\036{self.word}\\037begin\\036'; "
            f'until [ "$PWD" -ef . ]; do {cd} -- "${{PWD%/*}}/" 2>/dev/null || '
            f'{{ PWD=${{PWD%/*}}; [ -n "$PWD" ] || {cd} /; }}; done'
        )

    def _end(self) -> str:
        """Return code that restores the shell, then reports the exit status and the directory.

        A command's `set -e` would end the shell at the next failing command, which never asked for it.
        """
        restore = ""
        if self.kind == "bash":
            restore = "builtin enable eval printf exec set trap cd exit; "
            restore += '[ -z "${_h_at_exit+x}" ] || { _h_kind=closed; exit "$_h_status"; }; '
        tidy = f'_h_status=$?; {{ set +euxv; }} 2>/dev/null; exec 1>&9 2>&1 || exit "$_h_status"; {self._at_term()}; '
        return tidy + restore + self._done('"$_h_status"')

    def _done(self, status: str) -> str:
        report = f'\'\\036{self.word}\\037end\\037%s\\037%s\\037%s\\036\' "$1" {status} "${{PWD-}}"'
        return f"{self._builtin('printf')} {report}"

    def _at_exit(self) -> str:
        user = 'eval "${_h_at_exit-}"; ' if self.kind == "bash" else ""
        report = (
            f"{{ set +eux; }} 2>/dev/null; {user}exec 1>&9 2>&1; "
            f'{self._builtin("printf")} "\\036{self.word}\\037%s\\037%s\\037%s\\036" "${{_h_kind-exit}}" "$_h_status" '
            f'"${{PWD-}}"; {_PRINT_STATE[self.kind]}; {self._builtin("printf")} "\\036{self.word}\\037gone\\036"'
        )
        if self.kind == "bash":  # a child killed before it execs its program inherits this trap
            report = f'if [ "$BASHPID" = "$$" ]; then {report}; fi'
        return (
            f"{self._builtin('trap')} -- {quoted('_h_status=$?; ' + report)} {'EXIT' if self.kind == 'bash' else '0'}"
        )

    def _at_term(self) -> str:
        return f"{self._builtin('trap')} 'exit 143' TERM"

    def _builtin(self, name: str) -> str:
        """Return the call of a builtin, even if a command has defined a function of that name."""
        return f"\\builtin {name}" if self.kind == "bash" else f"command {name}"


_SIGN = MARK.encode()

_MAX_STATE = 4_000_000
"""Size limit of the final state of a shell."""

_MAX_MARK = 65_536
"""Size limit of a marker, whose only long part is a directory name."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker in a shell's output.

    Attributes:
        kind: `home` reports the home; `begin` and `end` of a command; `exit` of the shell, `closed` when a command's
            trap caused it; `gone` after the final state.
        status: The exit status.
        folder: The directory of the shell.
        token: The command that an end marker belongs to.
    """

    kind: str
    status: int = 0
    folder: str = ""
    token: str = ""


Output = Callable[[bytes | bytearray, int, int], None]
"""Receives a part of a buffer: from start to end."""


class MarkReader:
    """Splits a stream into output and markers."""

    __slots__ = ("_held", "_mark", "_output", "_state", "final_state", "home")

    def __init__(self, mark: bytes, output: Output) -> None:
        self._mark = mark
        self._output = output
        self._held = b""
        self._state: bytearray | None = None
        self.final_state = ""
        self.home = ""

    def direct(self, output: Output) -> None:
        """Redirect later output."""
        self._output = output

    def feed(self, data: bytes | bytearray, size: int | None = None) -> list[Mark]:
        """Process the first bytes of a buffer; return the markers in them."""
        size = len(data) if size is None else size
        if self._held:
            data, self._held = self._held + data[:size], b""
            size = len(data)
        found: list[Mark] = []
        start = 0
        if data.find(_SIGN, 0, size) < 0:  # searching one byte is many times faster than searching a word
            self._print(data, 0, size)
            return found
        while (at := data.find(self._mark, start, size)) >= 0:
            self._print(data, start, at)
            end = data.find(_SIGN, at + len(self._mark), size)
            if end < 0:
                if size - at <= _MAX_MARK:
                    self._held = bytes(data[at:size])
                else:  # a command imitates the prefix
                    self._print(data, at, size)
                return found
            found.append(self._read(bytes(data[at + len(self._mark) : end])))
            start = end + 1
            if start == size:  # usually a marker is last
                return found
        kept = self._beginning(data, start, size)
        self._held = bytes(data[size - kept : size])
        self._print(data, start, size - kept)
        return found

    def _beginning(self, data: bytes | bytearray, start: int, size: int) -> int:
        """Return how many bytes at the end may start a marker."""
        at = data.rfind(self._mark[:1], max(start, size - len(self._mark) + 1), size)
        return size - at if at >= 0 and self._mark.startswith(data[at:size]) else 0

    def _print(self, data: bytes | bytearray, start: int, end: int) -> None:
        if start >= end:
            return
        if self._state is None:
            self._output(data, start, end)
        elif len(self._state) < _MAX_STATE:
            self._state += data[start:end]

    def _read(self, body: bytes) -> Mark:
        kind, *rest = body.decode("utf-8", "surrogateescape").split(PART)
        if kind == "gone":
            self.final_state = bytes(self._state or b"").decode("utf-8", "surrogateescape")
            self._state = None
            return Mark(kind)
        if kind == "home":
            self.home = rest[0] if rest else ""
        elif kind not in ("begin", "end"):
            self._state = bytearray()
        token = rest.pop(0) if kind == "end" and rest else ""
        status = rest[0] if rest else ""
        return Mark(kind, int(status) if status.isdecimal() else 0, PART.join(rest[1:]), token)
