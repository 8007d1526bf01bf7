"""Releases of helm."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.cluster.options import dry, goes_live, targets
from hermes_guard.rules.cluster.rules import DELETE, DISRUPT, FAMILY, FOREIGN
from hermes_guard.rules.family import Context
from hermes_guard.rules.orders import begins, phrases
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_HELM = Spec(
    "n= namespace= kube-context= kubeconfig= kube-token= kube-apiserver= kube-as-user= registry-config= "
    "repository-config= repository-cache= burst-limit= qps= debug "
    "f= values= set= set-string= set-file= set-json= version= timeout= description= post-renderer= dry-run? "
    "force? i install atomic wait keep-history no-hooks repo= o= output= a= q "
    "e= environment= l= selector= state-values-set= chart= interactive help"
)
_RELEASES = frozenset({"upgrade", "install", "apply", "sync"})
_DELETES = phrases("uninstall, delete, un, del, destroy, plugin (uninstall | remove | rm)")


@FAMILY.judges("helm", "helmfile", "helm3", "helmsman")
def helm(command: Command, _: Context) -> Iterator[Finding]:
    """Releases that are deleted, rolled back or rendered by a program from elsewhere."""
    options = parse(command, _HELM)
    verb = options.subcommand()
    if options.has("help") or dry(options):
        return
    if begins(options, _DELETES):
        yield DELETE.found(command, path=targets(options))
    elif (
        verb == "rollback" or (verb == "upgrade" and options.has("force")) or (verb in _RELEASES and goes_live(options))
    ):
        yield DISRUPT.found(command, path=targets(options))
    if options.has("post-renderer"):
        yield FOREIGN.found(command, path=str(options.value("post-renderer") or ""))
