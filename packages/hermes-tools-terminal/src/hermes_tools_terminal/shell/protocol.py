"""What is said to a shell that stays: how it is set up, how one command is framed, how it tells of its end.

Commands run in the shell itself, by `eval`, so that what they change is there for the next one. The shell's input is
the conversation, so commands get another one. What is sent back is output, with marks in it; a mark is a control
character and a secret word of this shell, which only `printf` puts together: no trace of a command looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hermes_tools_terminal.text import ShellKind, quoted

# What a command may do to the shell itself: its options, its traps, its output, or code from elsewhere that might.
_CHANGING = re.compile(r"set|trap|exec|eval|source|shopt|\.\s|\(\)|function|alias|ulimit|enable|builtin|command|9")

MARK = "\x1e"
PART = "\x1f"

OPENED = "opened"
"""The token of a shell that has just been set up."""

NO_FOLDER = 126
"""The exit code of a command whose folder is not there."""


# Descriptor 9 is the way out, whatever a command does to 1 and 2. Two digits are more than a plain sh can read.
_OPENING = r"exec 9>&1 2>&1"

# A shell that is asked to end says what it knows, so that the next one can go on where it was.
_FAREWELL = {
    "bash": r"""{ builtin printf "umask %s\n" "$(umask)"; builtin export -p; builtin declare -f; builtin alias -p; }""",
    "sh": r"""{ command printf "umask %s\n" "$(umask)"; export -p; }""",
}

# Scripts end where their text ends, and what they want done at their end is done then. This shell lives on, so that
# wish is kept aside: the command's end is the shell's end when there is one.
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
    """How one shell is spoken to.

    Attributes:
        kind: `bash`, or `sh` for whatever else there is.
        word: The secret word in its marks.
    """

    kind: ShellKind
    word: str

    @property
    def final_state(self) -> str:
        """Has a shell say what it knows, as code."""
        return _FAREWELL[self.kind]

    @property
    def mark(self) -> bytes:
        """How every mark begins."""
        return f"{MARK}{self.word}{PART}".encode()

    def opening(self, state: str = "", start_up: str = "") -> str:
        """What a new shell is told first; it answers with an `end` mark.

        A shell reads what it is told byte by byte, so what is the same each time is told once and kept in names that
        no command can change.

        Args:
            state: What the shell before it said about itself when it ended.
            start_up: Code that the user wants to be run in every new shell.
        """
        lines = [_OPENING]
        if self.kind == "bash":
            lines.append("set +o history; " + _TRAPS)
        lines += [f"_h_ground() {{ {self._ground()}; }}", f"_h_end() {{ {self._end()}; }}"]
        done = self._done('"$?"')
        lines += [f"_h_done() {{ {done} >&9; }}", self._at_exit(), self._at_term()]
        if self.kind == "bash":
            lines.append("readonly -f _h_ground _h_end _h_done")
        if start_up:
            lines.append(f"eval {quoted(start_up)} </dev/null; exec 1>&9 2>&1")
        if state:
            # Names that cannot be set again (readonly ones) are no reason to fail.
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
        input: str | None = None,
        steady: bool = False,
    ) -> tuple[str, int]:
        """One command, and how many bytes follow it: a shell that has not read up to there has not begun with it.

        Args:
            text: The command, of as many lines as it likes.
            token: Comes back in the mark of its end: nothing that ran before can know it.
            folder: Where it runs; where the last one ended when it is not given.
            way: `out` when the shell leaves its own folder for this command alone, `back` when it returns there. If its
                own folder is gone by then, the nearest one above it will do.
            input: What it can read; nothing when it is not given.
            steady: Whether it is known that the shell and its folder are still there.
        """
        source, tail = "</dev/null", ""
        if input is not None and self.kind == "bash":
            source = f"< <(builtin printf %s {quoted(input)})"
        elif input is not None:
            source = f"<<'{self.word}'"
            tail = f"\n{input.removesuffix(chr(10))}\n{self.word}"
        # A plain sh ends at an error in a special builtin; `command` takes that from it.
        run = f"{self._builtin('eval')} {quoted(text)} {source}{tail}"
        cd = f"CDPATH= {self._builtin('cd')} -- {quoted(folder)}" if folder is not None else ""
        if folder is not None and way == "back":
            run = f"{cd} 2>/dev/null || PWD={quoted(folder)}; OLDPWD=${{_h_before-}}\n_h_ground\n{run}"
        elif folder is not None:
            before = "_h_before=${OLDPWD-}; " if way == "out" else ""
            run = f"{before}if {cd}; then\n{run}\nelse (exit {NO_FOLDER}); fi"
        elif not steady:
            run = f"_h_ground\n{run}"
        closing = f"{self._closing(text, token)}\n"
        return f"{run}\n{closing}", len(closing)

    def _closing(self, text: str, token: str) -> str:
        """What is said behind a command: most cannot have changed anything that has to be put back."""
        if not _CHANGING.search(text):
            return f"_h_done {token}"
        if self.kind == "bash" and "trap" in text:  # what such traps print belongs to no other command
            return f"_h_end {token}\n{{ builtin trap - DEBUG ERR RETURN; }} >/dev/null 2>&1"
        return f"_h_end {token}"

    def _ground(self) -> str:
        """Say that a command begins, and leave a folder that is gone for the nearest one above that is still there."""
        cd = self._builtin("cd")
        return (
            f"{self._builtin('printf')} '\\036{self.word}\\037begin\\036'; "
            f'until [ "$PWD" -ef . ]; do {cd} -- "${{PWD%/*}}/" 2>/dev/null || '
            f'{{ PWD=${{PWD%/*}}; [ -n "$PWD" ] || {cd} /; }}; done'
        )

    def _end(self) -> str:
        """Put back what a command may have taken away, then tell how it ended and where the shell is.

        A command's `set -e` would end the shell at the next failure, in another command that never asked for it.
        """
        own = ""
        if self.kind == "bash":
            own = "builtin enable eval printf exec set trap cd exit; "
            own += '[ -z "${_h_at_exit+x}" ] || { _h_kind=closed; exit "$_h_status"; }; '
        tidy = f'_h_status=$?; {{ set +euxv; }} 2>/dev/null; exec 1>&9 2>&1 || exit "$_h_status"; {self._at_term()}; '
        return tidy + own + self._done('"$_h_status"')

    def _done(self, status: str) -> str:
        said = f'\'\\036{self.word}\\037end\\037%s\\037%s\\037%s\\036\' "$1" {status} "${{PWD-}}"'
        return f"{self._builtin('printf')} {said}"

    def _at_exit(self) -> str:
        user = 'eval "${_h_at_exit-}"; ' if self.kind == "bash" else ""
        said = (
            f"{{ set +eux; }} 2>/dev/null; {user}exec 1>&9 2>&1; "
            f'{self._builtin("printf")} "\\036{self.word}\\037%s\\037%s\\037%s\\036" "${{_h_kind-exit}}" "$_h_status" '
            f'"${{PWD-}}"; {_FAREWELL[self.kind]}; {self._builtin("printf")} "\\036{self.word}\\037gone\\036"'
        )
        if self.kind == "bash":  # a child that is killed before it has become its program still has this trap
            said = f'if [ "$BASHPID" = "$$" ]; then {said}; fi'
        return f"{self._builtin('trap')} -- {quoted('_h_status=$?; ' + said)} {'EXIT' if self.kind == 'bash' else '0'}"

    def _at_term(self) -> str:
        return f"{self._builtin('trap')} 'exit 143' TERM"

    def _builtin(self, name: str) -> str:
        """A builtin by its own name, whatever function a command has put in its place."""
        return f"\\builtin {name}" if self.kind == "bash" else f"command {name}"


_SIGN = MARK.encode()

_MOST_STATE = 4_000_000
"""How much a shell may say about itself when it ends."""

_MOST_MARK = 65_536
"""How long a mark may be: the name of a folder is all that is long in it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a shell said between the lines.

    Attributes:
        kind: `home` when it has told where that is; `begin` and `end` of a command; `exit` of the shell, `closed` when
            a command's own trap wanted that; `gone` when it has said all.
        status: How it ended.
        folder: Where the shell is.
        token: Which command it is about, at an end.
    """

    kind: str
    status: int = 0
    folder: str = ""
    token: str = ""


Output = Callable[[bytes | bytearray, int, int], None]
"""Gets a part of something: from where to where."""


class MarkReader:
    """Splits what comes into output and marks.

    Args:
        mark: How marks begin.
        output: Gets what the commands print.
    """

    __slots__ = ("_held", "_mark", "_output", "_state", "final_state", "home")

    def __init__(self, mark: bytes, output: Output) -> None:
        self._mark = mark
        self._output = output
        self._held = b""
        self._state: bytearray | None = None
        self.final_state = ""
        self.home = ""

    def direct(self, output: Output) -> None:
        """Give what comes from now on to somebody else."""
        self._output = output

    def feed(self, data: bytes | bytearray, size: int | None = None) -> list[Mark]:
        """Take some bytes, the first ones of a buffer; the marks that were in them."""
        size = len(data) if size is None else size
        if self._held:
            data, self._held = self._held + data[:size], b""
            size = len(data)
        found: list[Mark] = []
        start = 0
        if data.find(_SIGN, 0, size) < 0:  # looking for one byte is many times faster than for a word
            self._print(data, 0, size)
            return found
        while (at := data.find(self._mark, start, size)) >= 0:
            self._print(data, start, at)
            end = data.find(_SIGN, at + len(self._mark), size)
            if end < 0:
                if size - at <= _MOST_MARK:
                    self._held = bytes(data[at:size])
                else:  # a command has found out how marks begin
                    self._print(data, at, size)
                return found
            found.append(self._read(bytes(data[at + len(self._mark) : end])))
            start = end + 1
            if start == size:  # a mark is the last that comes, most of the time
                return found
        kept = self._beginning(data, start, size)
        self._held = bytes(data[size - kept : size])
        self._print(data, start, size - kept)
        return found

    def _beginning(self, data: bytes | bytearray, start: int, size: int) -> int:
        """How many bytes at the end may be the beginning of a mark."""
        at = data.rfind(self._mark[:1], max(start, size - len(self._mark) + 1), size)
        return size - at if at >= 0 and self._mark.startswith(data[at:size]) else 0

    def _print(self, data: bytes | bytearray, start: int, end: int) -> None:
        if start >= end:
            return
        if self._state is None:
            self._output(data, start, end)
        elif len(self._state) < _MOST_STATE:
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
