"""Virtual machines that are stopped, reset or deleted."""

from collections.abc import Iterator

from hermes_guard.rules.family import Context
from hermes_guard.rules.machine_verbs import ALWAYS, Arguments, Check, any_word, flag, verb
from hermes_guard.rules.services.rules import FAMILY, MACHINE
from hermes_guard.rules.words import shown
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_MACHINES: dict[str, Check] = {
    **dict.fromkeys(("lxc-stop", "lxc-destroy"), ALWAYS),
    "colima": verb("delete stop restart prune"),
    "incus": verb("stop restart delete pause rm"),
    "limactl": verb("delete rm stop factory-reset prune"),
    "lxc": verb("stop restart delete pause rm restore"),
    "lxd": verb("shutdown"),
    "machinectl": verb("terminate kill poweroff reboot remove disable stop"),
    "minikube": verb("stop pause"),
    "multipass": verb("delete purge stop restart suspend restore"),
    "orb": verb("stop restart delete reset"),
    "pct": verb("stop destroy shutdown reboot suspend rollback delsnapshot"),
    "prlctl": verb("stop delete reset restart suspend snapshot-delete snapshot-switch unregister"),
    "qm": verb("stop destroy shutdown reset reboot suspend rollback delsnapshot"),
    "tart": verb("stop delete prune"),
    "utmctl": verb("stop delete suspend"),
    "vagrant": verb("destroy halt suspend reload"),
    "virsh": verb(
        "destroy shutdown reboot reset undefine suspend managedsave save snapshot-delete snapshot-revert vol-delete "
        "vol-wipe pool-destroy pool-delete pool-undefine net-destroy net-undefine detach-disk detach-device "
        "blkdeviotune restore migrate"
    ),
    "vmrun": verb("stop reset suspend deleteVM revertToSnapshot deleteSnapshot"),
    "xe": verb("vm-shutdown vm-destroy vm-reboot vm-uninstall vdi-destroy"),
    "xl": verb("destroy shutdown reboot"),
}
_TELLS = flag("--help -h --version")


@FAMILY.judges(*_MACHINES)
def machines(command: Command, _: Context) -> Iterator[Finding]:
    """Managers whose first word says what becomes of a machine."""
    given = Arguments(command.args)
    program = command.program or ""
    if _MACHINES[program].holds(given) and not _TELLS.holds(given):
        yield MACHINE.found(command, path=" ".join([program, *given.words])[:100])


_REMOVED = verb("unregistervm closemedium")
_CONTROLLED = (verb("controlvm") & any_word("poweroff reset pause savestate acpipowerbutton")) | (
    verb("snapshot") & any_word("delete restore restorecurrent")
)


@FAMILY.judges("VBoxManage", "vboxmanage")
def virtual_box(command: Command, _: Context) -> Iterator[Finding]:
    """The machines of VirtualBox."""
    given = Arguments(command.args)
    if _TELLS.holds(given):
        return
    if _REMOVED.holds(given):
        yield MACHINE.found(command, path=" ".join(["VBoxManage", *given.words])[:100])
    elif _CONTROLLED.holds(given):
        yield MACHINE.found(command, path=" ".join(given.words)[:100])


_WSL = flag("--shutdown --unregister --terminate -t")


@FAMILY.judges("wsl", "wsl.exe")
def wsl(command: Command, _: Context) -> Iterator[Finding]:
    """Linux on Windows."""
    if _WSL.holds(Arguments(command.args)):
        yield MACHINE.found(command, path=shown(command))
