"""Judges virtual machines and local clusters by the phrases that stop or delete them."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.argument_checks import beginning, begins, phrases
from hermes_guard.rules.containers.rules import FAMILY, MACHINE
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_LXC = phrases(
    "delete, stop, restart, pause, rm, restore, image delete, storage delete, storage volume (delete | rm), "
    "network delete, profile delete, project delete, snapshot delete, cluster remove"
)
_ORB = phrases("delete, stop, restart, reset, rm")
_MACHINES: dict[str, frozenset[str]] = {
    "acli": phrases(
        "vm.delete, vm.off, vm.force_off, vm.shutdown, vm.reset, image.delete, net.delete, snapshot.delete"
    ),
    "bastille": phrases("destroy, stop, restart"),
    "cbsd": phrases("bdestroy, jdestroy, bstop, jstop, bremove, jremove"),
    "colima": phrases("delete, stop, prune, restart"),
    "crc": phrases("delete, stop, cleanup"),
    "ddev": phrases("delete, clean, snapshot restore"),
    "distrobox": phrases("rm, stop, ephemeral rm"),
    "docker-machine": phrases("rm, stop, kill, restart"),
    "govc": phrases("vm.destroy, vm.power, datastore.rm, host.shutdown, snapshot.remove, object.destroy"),
    "ezjail-admin": phrases("delete, stop, restart"),
    "fin": phrases("project (remove | rm), remove, rm, cleanup, db drop, db truncate"),
    "ignite": phrases("rm, rmi, rmk, kill, stop"),
    "incus": _LXC,
    "iocage": phrases("destroy, stop, restart, rollback, clean, snapremove"),
    "k0sctl": phrases("reset"),
    "k0s": phrases("reset, stop"),
    "k3d": phrases("cluster (delete | stop | rm | del), node (delete | stop), registry delete, kubeconfig delete"),
    "kind": phrases("delete"),
    "kubeadm": phrases("reset"),
    "lando": phrases("destroy, poweroff"),
    "limactl": phrases("delete, stop, prune, factory-reset, remove, rm, snapshot delete"),
    "lxc": _LXC,
    "lxd": phrases("shutdown"),
    "machinectl": phrases("terminate, poweroff, reboot, remove, kill, clean, stop, disable"),
    "microk8s": phrases("reset, stop, leave, remove-node, disable"),
    "minikube": phrases("delete, stop, pause, node (delete | stop)"),
    "multipass": phrases("delete, purge, stop, restart, suspend, restore"),
    "orb": _ORB,
    "orbctl": _ORB,
    "pct": phrases("destroy, stop, shutdown, reboot, suspend, delsnapshot, rollback"),
    "prlctl": phrases("delete, stop, reset, unregister, destroy, restart, suspend, snapshot-delete, snapshot-switch"),
    "pvesm": phrases("free, remove, prune-backups"),
    "qm": phrases("destroy, stop, reset, shutdown, reboot, delsnapshot, rollback, suspend"),
    "tart": phrases("delete, stop, prune"),
    "toolbox": phrases("rm, rmi"),
    "utmctl": phrases("stop, delete, suspend"),
    "vagrant": phrases(
        "destroy, halt, reload, suspend, box (remove | prune), snapshot (delete | restore | pop), plugin uninstall, "
        "global-status --prune"
    ),
    "virsh": phrases(
        "destroy, undefine, shutdown, reboot, reset, suspend, vol-delete, vol-wipe, pool-destroy, pool-delete, "
        "pool-undefine, snapshot-delete, snapshot-revert, net-destroy, net-undefine, detach-disk, detach-device, "
        "managedsave-remove, secret-undefine, iface-destroy, iface-undefine, blockcommit, "
        "nwfilter-undefine, nodedev-destroy, checkpoint-delete, detach-interface, managedsave, save, restore, migrate, "
        "blkdeviotune"
    ),
    "vctl": phrases("rm, rmi, stop, system stop"),
    "vm": phrases("destroy, poweroff, stopall, rollback"),
    "vmctl": phrases("stop"),
    "xe": phrases("vm-shutdown, vm-destroy, vm-reboot, vm-uninstall, vdi-destroy"),
    "xl": phrases("destroy, shutdown, reboot"),
}
_OPTIONS = Spec(
    "c= connect= f force y yes p= profile= n= name= all d debug q v help version h project= k= purge "
    "context= log-level="
)


@FAMILY.judges(*_MACHINES)
def machines(command: Command, _: Context) -> Iterator[Finding]:
    """Judge managers by their first words."""
    options = parse(command, _OPTIONS)
    if options.helps or options.subcommand() == "help":
        return
    if begins(options, _MACHINES[command.program or ""]):
        yield MACHINE.found(command, path=beginning(options))


@FAMILY.judges(
    "distrobox-rm",
    "k3s-agent-uninstall.sh",
    "k3s-killall.sh",
    "k3s-uninstall.sh",
    "lxc-destroy",
    "lxc-stop",
    "rke2-killall.sh",
    "rke2-uninstall.sh",
)
def single_purpose(command: Command, _: Context) -> Iterator[Finding]:
    """Judge programs with a single purpose."""
    options = parse(command, _OPTIONS)
    if not options.helps:
        yield MACHINE.found(command, path=beginning(options))


_AGENT_ORDERS = re.compile(r"guest-(?:shutdown|suspend|exec|set-user-password|fstrim|file-write)")


@FAMILY.judges("virsh")
def guest_agent(command: Command, _: Context) -> Iterator[Finding]:
    """Judge commands for a guest agent."""
    texts = [word.raw for word in command.args]
    if "qemu-agent-command" in texts and any(_AGENT_ORDERS.search(text) for text in texts):
        yield MACHINE.found(command, path=beginning(parse(command, _OPTIONS)))


#: Managers that are controlled by options: FreeBSD's, and Linux on Windows.
_BY_OPTIONS: dict[str, frozenset[str]] = {
    "bhyvectl": frozenset({"--destroy", "--force-poweroff", "--force-reset"}),
    **dict.fromkeys(("wsl", "wsl.exe"), frozenset({"--shutdown", "--unregister", "--terminate", "-t"})),
}


@FAMILY.judges(*_BY_OPTIONS)
def by_options(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about options that stop or delete a machine."""
    texts = [word.raw for word in command.args]
    if not _BY_OPTIONS[command.program or ""].isdisjoint(texts):
        yield MACHINE.found(command, path=" ".join(texts)[:80])


_BOX_VERBS = frozenset(
    {"unregistervm", "closemedium", "deleteVM", "stop", "reset", "suspend", "deleteSnapshot", "revertToSnapshot"}
)
#: Verbs that follow the machine's name.
_LATER_VERBS: dict[str, frozenset[str]] = {
    "controlvm": frozenset({"poweroff", "reset", "acpipowerbutton", "savestate", "pause"}),
    "snapshot": frozenset({"delete", "restore", "restorecurrent"}),
    # The host type precedes the verb: `vmrun -T ws stop vm`.
    "-T": frozenset({"deleteVM", "stop", "reset"}),
}


@FAMILY.judges("VBoxManage", "vboxmanage", "vmrun", "prlsrvctl")
def boxes(command: Command, _: Context) -> Iterator[Finding]:
    """Judge managers whose verb may follow the machine's name."""
    words = [word.raw for word in command.args]
    verb = words[0] if words else ""
    if {"--help", "-h", "--version"}.isdisjoint(words) and (
        verb in _BOX_VERBS or not _LATER_VERBS.get(verb, frozenset()).isdisjoint(words[2:])
    ):
        yield MACHINE.found(command, path=" ".join(words[:3])[:80])
