"""Judges shells that run as another user."""

import re
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.rules import FAMILY, ROOT_SHELL, SUDO_PASSWORD
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.verdict import Finding

_SU = Spec(
    "c= command= session-command= l login m p preserve-environment s= shell= "
    "g= group= G= supp-group= u= user= f fast P pty w= help version h V"
)
_RUN0 = Spec(
    "u= user= g= group= D= chdir= setenv= E= unit= property= slice= nice= background= help version", posix=True
)
_NSENTER = Spec(
    "a t= m? u? i? n? p? U? C? T? r? w? F S= G= target= all mount? uts? ipc? net? pid? user? root? wd?", posix=True
)


@FAMILY.judges("su", "runuser")
def su(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about shells of other users."""
    options = parse(command, _SU)
    if options.helps or options.has("h", "V"):
        return
    if command.program == "runuser":
        if options.has("u", "user") or not options.has("l", "login", "c", "command"):
            return
    else:
        if command.stdin is not None and not command.as_root:
            yield SUDO_PASSWORD.found(command)
        user = next((word for word in options.operands if word.raw != "-"), None)
        if options.has("c", "command") and user is not None and user.certain and user.raw not in {"root", "0"}:
            return  # the command it runs is judged separately
    yield ROOT_SHELL.found(command)


@FAMILY.judges("run0")
def run0(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a shell through the service manager."""
    options = parse(command, _RUN0)
    if not options.helps and (not options.operands or options.subcommand().rsplit("/", 1)[-1] in SHELLS):
        yield ROOT_SHELL.found(command)


def _becomes_root(wrapper: Wrapper) -> bool:
    if wrapper.program in {"gosu", "su-exec"}:
        return any(text.split(":")[0] in {"root", "0"} for text in wrapper.argv[1:2])
    return wrapper.program == "setpriv" and any(text.startswith(("--reuid=0", "--reuid=root")) for text in wrapper.argv)


@FAMILY.judges(*sorted(SHELLS))
def shell(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about an interactive root shell."""
    root = command.as_root or command.wrapped_by("chroot") or any(map(_becomes_root, command.wrappers))
    if root and command.stdin is None and (not command.contained or command.wrapped_by("chroot")):
        texts = [word.raw for word in command.args]
        if all(text in {"-", "-i", "-l", "-p", "-il", "-li", "--login", "--norc", "--noprofile"} for text in texts):
            yield ROOT_SHELL.found(command)


@FAMILY.judges("vim", "vi", "nvim", "ex", "less", "more", "view", "rvim", "capsh", "emacs", "ed")
def editor_shell(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about root programs that open a shell."""
    texts = [word.raw for word in command.args]
    if command.program == "capsh":
        if "--" in texts or any(text.startswith(("--uid=0", "--user=root")) for text in texts):
            yield ROOT_SHELL.found(command)
    elif command.as_root and (
        any(
            re.search(r"!\S|system\(|\bshell\b|py3?(?:thon3?)? |\(term|lua ", text)
            for text in texts
            if " " in text or text[:1] in "+:!" or "!" in text
        )
    ):
        yield ROOT_SHELL.found(command)


@FAMILY.judges("runas", "runas.exe", "gsudo", "psexec", "PsExec64.exe")
def runas(command: Command, _: Context) -> Iterator[Finding]:
    """Judge shells of other users on Windows."""
    if command.args and command.args[0].raw not in {"/?", "--help", "-h"}:
        yield ROOT_SHELL.found(command)


@FAMILY.judges("machinectl")
def machinectl(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about shells in another machine or on the host."""
    if command.args and command.args[0].raw in {"shell", "login"}:
        yield ROOT_SHELL.found(command)


@FAMILY.judges("nsenter")
def nsenter(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about entering the namespaces of the init process, which is access to the host."""
    target = parse(command, _NSENTER).value("t", "target")
    if target is not None and target.raw == "1":
        yield ROOT_SHELL.found(command)
