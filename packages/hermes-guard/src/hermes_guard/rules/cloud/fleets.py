"""Judges commands for many machines at once: Ansible, Salt, and parallel shells."""

import dataclasses
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.cloud.rules import DELETE, FAMILY, FLEET
from hermes_guard.rules.common.argument_checks import Arguments
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_ANSIBLE = Spec(
    "i= inventory= inventory-file= m= module-name= a= args= b become K ask-become-pass u= user= f= forks= l= "
    "limit= e= extra-vars= C check D diff v k private-key= key-file= become-user= become-method= M= "
    "module-path= t= tags= o one-line P= poll= B= background= T= timeout= c= connection= "
    "vault-password-file= vault-id= skip-tags= start-at-task= syntax-check list-hosts list-tasks list-tags "
    "step flush-cache force-handlers J ask-vault-pass version help playbook-dir= ssh-common-args= tree="
)
_RUN_CODE = names("command shell raw win_shell win_command")
_READ = names(
    "ping setup debug stat getent gather_facts service_facts package_facts win_ping fetch slurp find assert fail "
    "set_fact wait_for uri include_vars listen_ports_facts"
)
#: Settings before the code of a command module.
_SETTINGS = re.compile(r"^(?:(?:chdir|creates|removes|executable|cmd)=\S+\s+)+")


def _there(code: str, command: Command, context: Context) -> Iterator[Finding]:
    """Judge code that other machines run. Restarting them is the operator's decision; lost data stays lost."""
    for finding in context.judge_code(code, command):
        restarts = finding.rule == "hardline.power" and not _runs_here(command)
        yield dataclasses.replace(finding, severity="ask") if restarts else finding


def _runs_here(command: Command) -> bool:
    """Return True when the fleet consists of this machine only."""
    return command.program == "salt-call" or any(word.raw in {"localhost", "127.0.0.1"} for word in command.args[:8])


@FAMILY.judges("ansible-playbook", "ansible-pull")
def playbook(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a playbook, unless it only checks."""
    options = parse(command, _ANSIBLE)
    if options.helps or options.has("C", "check", "syntax-check", "list-hosts", "list-tasks", "list-tags"):
        return
    if options.operands or command.program == "ansible-pull":
        yield FLEET.found(command, path=" ".join(word.text for word in options.operands)[:80])


@FAMILY.judges("ansible")
def ansible(command: Command, context: Context) -> Iterator[Finding]:
    """Judge an ad hoc command by its code, and ask about modules that change something."""
    options = parse(command, _ANSIBLE)
    if options.helps or options.has("C", "check", "syntax-check", "list-hosts", "list-tasks", "list-tags"):
        return
    module = options.value("m", "module-name")
    name = (module.raw if module else "command").rsplit(".", 1)[-1]
    arguments = options.value("a", "args")
    if name in _RUN_CODE:
        if arguments is not None and arguments.raw:
            yield from _there(_SETTINGS.sub("", arguments.raw), command, context)
    elif name not in _READ:
        yield FLEET.found(command, path=f"{name} {arguments.text if arguments else ''}"[:100])


_ONLY_TELLS = names("--help --version --noop --why-run -W test=True")
_FUNCTION = re.compile(r"[a-z_]+\.[a-z_]+$")
_SALT_RUNS = names("cmd.run cmd.shell cmd.script cmd.run_all")
_SALT_CHANGES = re.compile(
    r"state\.|system\.|service\.(?:stop|restart|disable)|pkg\.(?:remove|purge|upgrade)|file\.(?:remove|write"
    r"|append)|user\.|cron\."
)


@FAMILY.judges("salt", "salt-ssh", "salt-call")
def salt(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a Salt call by its function."""
    given = Arguments(command.args)
    if not _ONLY_TELLS.isdisjoint(given.texts):
        return
    place = next((place for place, text in enumerate(given.words) if _FUNCTION.match(text)), -1)
    function = given.words[place] if place >= 0 else ""
    if function in _SALT_RUNS:
        for code in given.words[place + 1 : place + 2]:
            yield from _there(code, command, context)
    elif _SALT_CHANGES.match(function):
        yield FLEET.found(command, path=function)


@FAMILY.judges("knife", "puppet", "bolt")
def fleets(command: Command, context: Context) -> Iterator[Finding]:
    """Judge other tools for many machines."""
    given = Arguments(command.args)
    words, first = given.words, given.verb
    if not _ONLY_TELLS.isdisjoint(given.texts):
        return
    if command.program == "knife" and not {"delete", "bulk"}.isdisjoint(words[:3]):
        yield DELETE.found(command, path=" ".join(words[:3]))
    elif (command.program == "knife" and first == "ssh") or (
        command.program == "bolt" and words[:2] == ["command", "run"]
    ):
        for code in words[2:3]:
            yield from _there(code, command, context)
    elif command.program == "puppet" and (
        first == "apply" or (first == "agent" and not {"-t", "--test"}.isdisjoint(given.flags)) or "clean" in words[:3]
    ):
        yield FLEET.found(command, path=" ".join(words[:3]))


_SHELLS = Spec(
    "w= x= l= R= t= u= f= g= h= H= p= o= e= a b i v P A O= X= m= c= M n r= host= hosts= user= group=", posix=True
)


@FAMILY.judges("pdsh", "pssh", "parallel-ssh", "clush", "dsh", "mussh", "rsh", "remsh")
def shells(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the code that many machines run."""
    options = parse(command, _SHELLS)
    words = options.operands[1:] if command.program in {"rsh", "remsh"} else options.operands
    if words and words[0].certain:
        yield from _there(" ".join(word.raw for word in words), command, context)
    for word in options.values("c") if command.program == "mussh" else ():
        yield from _there(word.raw, command, context)
