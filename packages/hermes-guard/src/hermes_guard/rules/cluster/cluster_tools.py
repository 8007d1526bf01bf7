"""Judges tools around a cluster by the phrases that delete or disrupt."""

from collections.abc import Iterator

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.cluster.kubectl import dry, goes_live, targets
from hermes_guard.rules.cluster.rules import DELETE, DISRUPT, FAMILY, FOREIGN
from hermes_guard.rules.common.argument_checks import beginning, begins, phrases
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_VAULT = phrases(
    "delete, kv (delete | destroy), kv metadata (delete | destroy), secrets disable, auth disable, audit disable, "
    "policy delete, operator (seal | rekey | step-down | generate-root), operator raft (remove-peer | restore), "
    "token (revoke | create), lease revoke, namespace delete, plugin deregister"
)
_DELETES: dict[str, frozenset[str]] = {
    "argo": phrases("delete, terminate, stop, cron delete, template delete, archive delete"),
    "argocd": phrases(
        "app (delete | rm | delete-resource), appset delete, cluster rm, repo rm, repocreds rm, proj delete, "
        "account delete-token"
    ),
    "airflow": phrases(
        "dags delete, tasks clear, users delete, pools delete, connections delete, variables delete, roles delete, "
        "db (clean | drop-archived)"
    ),
    "bao": _VAULT,
    "calicoctl": phrases("delete"),
    "ceph": phrases(
        "osd (rm | purge | destroy | out | down | lost), osd pool (delete | rm), osd crush (remove | rm), "
        "mon (remove | rm), fs (rm | fail | reset), auth (del | rm), config-key rm, mds (fail | rm), "
        "orch (rm | stop | restart), orch host (rm | drain), orch daemon (rm | stop | restart), orch osd rm, "
        "orch device zap"
    ),
    "cephadm": phrases("rm-cluster, rm-daemon, zap-osds"),
    "cilium": phrases("uninstall"),
    "clusterctl": phrases("delete"),
    "consul": phrases(
        "kv delete, leave, force-leave, services deregister, acl policy delete, acl token delete, acl role delete, "
        "config delete, snapshot restore, intention delete, operator raft remove-peer, partition delete, "
        "namespace delete"
    ),
    "crm": phrases("cluster stop, resource stop, node standby, configure erase"),
    "ctlptl": phrases("delete"),
    "devspace": phrases("purge, reset"),
    "drbdadm": phrases("down, disconnect, detach, invalidate, wipe-md, create-md, secondary"),
    "dkp": phrases("delete"),
    "eksctl": phrases("delete, drain"),
    "etcdctl": phrases(
        "del, rm, rmdir, member remove, user (delete | revoke-role), role delete, snapshot restore, auth disable, "
        "lease revoke, compaction"
    ),
    "flux": phrases("delete, uninstall"),
    "garden": phrases("delete, cleanup"),
    "gluster": phrases("volume (delete | stop | remove-brick | reset-brick), peer detach"),
    "istioctl": phrases("uninstall, x uninstall, experimental uninstall, operator remove"),
    "juju": phrases(
        "remove-application, remove-unit, remove-machine, remove-storage, destroy-model, destroy-controller, "
        "kill-controller, unregister"
    ),
    "kapp": phrases("delete"),
    "karmadactl": phrases("delete, unjoin, unregister, deinit"),
    "kn": phrases("service delete, revision delete, route delete"),
    "kops": phrases("delete"),
    "kpt": phrases("live destroy"),
    "kubecfg": phrases("delete"),
    "kubespray": phrases("reset"),
    "kwokctl": phrases("delete"),
    "linkerd": phrases("prune"),
    "linstor": phrases(
        "resource (delete | d), resource-definition delete, resource-group delete, node (delete | lost | evacuate), "
        "storage-pool delete, volume delete, snapshot (delete | rollback)"
    ),
    "nomad": phrases(
        "stop, job (stop | purge), namespace delete, var purge, volume (delete | deregister), "
        "acl policy delete, system gc, operator raft remove-peer, quota delete, alloc stop, service delete, "
        "node purge, deployment fail"
    ),
    "odo": phrases("delete"),
    "okteto": phrases("destroy, namespace delete, preview destroy"),
    "patronictl": phrases("remove, reinit"),
    "pcs": phrases(
        "cluster (destroy | stop), resource (delete | disable | move), stonith delete, node (standby | remove)"
    ),
    "radosgw-admin": phrases(
        "bucket (rm | unlink), user (rm | suspend), object rm, subuser rm, key rm, realm rm, zone rm"
    ),
    "rados": phrases("rm, rmpool, purge"),
    "rancher": phrases("delete, rm, clusters delete, cluster delete, projects delete, namespaces delete"),
    "rbd": phrases("rm, remove, snap (rm | purge | remove | rollback), trash (purge | rm)"),
    "rke": phrases("remove"),
    "sacctmgr": phrases("delete, remove"),
    "scontrol": phrases("shutdown, reboot, delete"),
    "skaffold": phrases("delete"),
    "talosctl": phrases("reset, reboot, shutdown, destroy, cluster destroy, wipe"),
    "stolonctl": phrases("removekeeper, failkeeper, init"),
    "telepresence": phrases("uninstall, helm uninstall"),
    "tilt": phrases("down"),
    "timoni": phrases("delete, bundle delete"),
    "tk": phrases("delete, prune"),
    "tkn": phrases(
        "pipeline delete, task delete, pipelinerun delete, taskrun delete, resource delete, clustertask delete, "
        "customrun delete, eventlistener delete, triggertemplate delete, triggerbinding delete"
    ),
    "vault": _VAULT,
    "velero": phrases("delete, uninstall, backup delete, restore delete, schedule delete, backup-location delete"),
    "werf": phrases("dismiss, cleanup, purge, host purge"),
    "zkCli.sh": phrases("delete, deleteall, rmr"),
}
_DISRUPTS: dict[str, frozenset[str]] = {
    "argo": phrases("suspend"),
    "argocd": phrases("app (rollback | terminate-op | suspend)"),
    "consul": phrases("maint"),
    "virtctl": phrases("stop, restart, pause, soft-reboot, removevolume, reset"),
    "patronictl": phrases("restart, failover, switchover, pause, edit-config"),
    "pg_autoctl": phrases("drop, perform (failover | switchover), stop"),
    "repmgr": phrases("primary unregister, standby (switchover | unregister | promote), node rejoin"),
    "eksctl": phrases("scale"),
    "flux": phrases("suspend"),
    "kops": phrases("rolling-update"),
    "nomad": phrases(
        "node (drain | eligibility), job (revert | restart), alloc (restart | signal), server force-leave"
    ),
}
_OPTIONS = Spec(
    "n= namespace= context= kubeconfig= address= region= token= endpoints= e= cacert= cert= key= user= u= "
    "server= name= cluster= p= profile= state= force prune? dry-run? f= filename= m= model= y yes "
    "a all server-crt= auth-token= http-addr= purge detach h help version nodes= talosconfig= mount= "
    "versions= recurse prefix enable disable from-key rev=",
    single=True,
)
_NONE: frozenset[str] = frozenset()


@FAMILY.judges(*sorted({*_DELETES, *_DISRUPTS}))
def tools(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about phrases that delete or disrupt."""
    program = command.program or ""
    options = parse(command, _OPTIONS)
    if options.helps or options.has("h") or dry(options) or options.subcommand() == "help":
        return
    if program == "kops" and not options.has("y", "yes"):
        # Without it, kops only prints a plan.
        return
    if begins(options, _DELETES.get(program, _NONE)):
        yield DELETE.found(command, path=beginning(options))
    elif _disrupts(program, options):
        yield DISRUPT.found(command, path=beginning(options))


def _disrupts(program: str, options: Options) -> bool:
    if program == "argocd" and beginning(options, 2) == "app sync":
        return options.has("force", "prune")
    allowed_again = beginning(options, 2) == "node eligibility" and options.has("enable")
    return begins(options, _DISRUPTS.get(program, _NONE)) and not allowed_again


@FAMILY.judges("kubectx")
def kubectx(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about deleting contexts."""
    if any(word.raw == "-d" for word in command.args):
        yield DELETE.found(command, path="a context")


_HELM = Spec(
    "n= namespace= kube-context= kubeconfig= kube-token= kube-apiserver= kube-as-user= registry-config= "
    "repository-config= repository-cache= burst-limit= qps= debug "
    "f= values= set= set-string= set-file= set-json= version= timeout= description= post-renderer= dry-run? "
    "force? i install atomic wait keep-history no-hooks repo= o= output= a= q "
    "e= environment= l= selector= state-values-set= chart= interactive help"
)
_RELEASES = frozenset({"upgrade", "install", "apply", "sync"})
_HELM_DELETES = phrases("uninstall, delete, un, del, destroy, plugin (uninstall | remove | rm)")


@FAMILY.judges("helm", "helmfile", "helm3", "helmsman")
def helm(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about Helm releases that are deleted, rolled back or rendered by an external program."""
    options = parse(command, _HELM)
    verb = options.subcommand()
    if options.has("help") or dry(options):
        return
    if begins(options, _HELM_DELETES):
        yield DELETE.found(command, path=targets(options))
    elif (
        verb == "rollback" or (verb == "upgrade" and options.has("force")) or (verb in _RELEASES and goes_live(options))
    ):
        yield DISRUPT.found(command, path=targets(options))
    if options.has("post-renderer"):
        yield FOREIGN.found(command, path=str(options.value("post-renderer") or ""))
