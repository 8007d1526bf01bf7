"""Wrappers that start commands in a terminal or type them: tmux, screen, and the prompts of ftp and sftp."""

from hermes_guard.argv.options import parse_words
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.word import Word
from hermes_guard.shell.wrappers.inner_command import InnerCommand, join, posix

_TMUX = posix("2 C D l N q u v c= f= L= S= T=")
_TMUX_NEW = posix("A d D E P X F= n= s= t= x= y= c= e= a b k S h v l= p= f I Z b B")


def tmux(command: Command) -> list[InnerCommand]:
    """Return the commands that `tmux` starts or types."""
    rest = parse_words(command.args, _TMUX).operands
    if not rest:
        return []
    name = rest[0].raw
    wrapper = Wrapper("tmux", command.texts)
    if name in {"send-keys", "send"}:
        keys = parse_words(rest[1:], posix("t= N= c= l R M X H F K")).operands
        typed = [word for word in keys if word.raw not in {"Enter", "C-m", "KPEnter", "Space"}]
        return [InnerCommand(wrapper, code=word) for word in typed]
    if name in {
        "new-session",
        "new",
        "new-window",
        "neww",
        "split-window",
        "splitw",
        "respawn-pane",
        "run-shell",
        "run",
        "if-shell",
        "pipe-pane",
        "popup",
        "display-popup",
        "respawn-window",
    }:
        words = parse_words(rest[1:], _TMUX_NEW).operands
        return [InnerCommand(wrapper, code=join(words))] if words else []
    return []


def screen(command: Command) -> list[InnerCommand]:
    """Return the commands that `screen` starts or types."""
    options = parse_words(command.args, posix("A a d D i l m O q r R U v x X c= e= h= p= s= S= t= T= dmS="))
    words = options.operands
    wrapper = Wrapper("screen", command.texts)
    if options.has("X"):
        if words and words[0].raw in {"stuff", "exec"}:
            return [InnerCommand(wrapper, code=join(words[1:]))] if words[1:] else []
        return []
    return [InnerCommand(wrapper, words=tuple(words))] if words else []


def transfer(command: Command) -> list[InnerCommand]:
    """Return the local commands of a file transfer prompt: lines that start with `!`."""
    text = command.stdin.text if command.stdin else None
    wrapper = Wrapper(command.program or "", command.texts)
    lines = [line.strip().removeprefix("-") for line in (text or "").splitlines()]
    codes = [line[1:] for line in lines if line.startswith("!") and len(line) > 1]
    return [InnerCommand(wrapper, code=Word(code, code, command.span)) for code in codes[:64]]
