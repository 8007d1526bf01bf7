"""Judges kubectl and compatible programs."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.cluster.rules import DELETE, DISRUPT, FAMILY, FOREIGN, RIGHTS
from hermes_guard.rules.common.argument_checks import begins, phrases
from hermes_guard.rules.common.deployment_stages import live_stage, own_stage
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.wrappers.containers import HOLDERS
from hermes_guard.verdict import Finding


def dry(options: Options) -> bool:
    """Return True when nothing is changed. `--dry-run=none` does change things."""
    for name, word in options.given:
        if name == "dry-run":
            return word is None or word.raw not in {"none", "false"}
    return False


def targets(options: Options, start: int = 1) -> str:
    """Return the operands that name the targets."""
    return " ".join(word.text for word in options.operands[start : start + 5])[:100] or "what its input names"


_STAGES = ("n", "namespace", "context", "kube-context", "cluster", "e", "environment", "f", "values", "k", "kustomize")


def _stages(options: Options) -> list[str]:
    return [word.raw for word in options.values(*_STAGES)]


def for_developers(options: Options) -> bool:
    """Return True when the namespace or the context is for development only."""
    return own_stage(_stages(options))


def goes_live(options: Options) -> bool:
    """Return True when the namespace, the context or the files are for production."""
    return live_stage(_stages(options))


_KUBECTL = Spec(
    "n= namespace= context= kubeconfig= cluster= user= as= as-group= as-uid= token= s= server= "
    "request-timeout= v= vmodule= certificate-authority= client-certificate= client-key= cache-dir= "
    "tls-server-name= username= password= insecure-skip-tls-verify? profile= profile-output= "
    "log-flush-frequency= match-server-version? warnings-as-errors? disable-compression? "
    "f= filename= k= kustomize= l= selector= o= output= field-selector= grace-period= timeout= replicas= "
    "current-replicas= resource-version= p= patch= patch-file= type= c= container= template= sort-by= "
    "since= since-time= tail= dry-run? cascade? wait? all? now? force? field-manager= to-revision= "
    "subresource= image= restart= port= env= labels= overrides= override-type= rm? i stdin t tty q quiet "
    "A all-namespaces R recursive w watch overwrite? prune? prune-allowlist= prune-whitelist= "
    "ignore-not-found? ignore-daemonsets? delete-emptydir-data? delete-local-data? pod-selector= "
    "clusterrole= role= "
    "serviceaccount= group= verb= resource= address= accept-hosts= privileged? from-literal= from-file= "
    "revision= profile target= copy-to= share-processes x= raw= server-side? validate? record? save-config? "
    "help h "
    "chunk-size= disable-eviction? skip-wait-for-delete-timeout= show-labels? L= label-columns="
)
_READS = frozenset({"get", "describe", "logs", "top", "explain", "help"})
_DISRUPTS = phrases(
    "drain, cordon, taint, evict, patch, edit, rollback, rollout (restart | undo | cancel), "
    "adm (drain | cordon | taint | upgrade | restart-kubelet | reboot-machine-config-pool), "
    "argo rollouts (abort | undo | restart), cnpg (destroy | fencing | hibernate | promote | restart)"
)
_GRANTS = phrases(
    "certificate approve, auth reconcile, node-shell, node_shell, "
    "policy (add-role-to-user | add-role-to-group | add-cluster-role-to-user)"
)
#: Verbs that change single objects, which is ordinary work in development.
_CHANGES = frozenset({"apply", "create", "replace", "scale", "autoscale", "expose", "run", "label", "annotate"})
_DELETES = phrases("delete, rook-ceph destroy-cluster, minio tenant delete, directpv (remove | purge), stash delete")

_ADMIN = re.compile(r"cluster-admin|\badmin\b|\*")
_HOSTED = re.compile(r'"?(?:privileged|hostPID|hostNetwork|hostIPC)"?\s*:\s*true|"?hostPath"?\s*:')
_UNSETS = re.compile(r"(?:delete|unset|remove)(?:-|$)")
_LOCAL = re.compile(r"https?://(?:localhost|127\.0\.0\.1)[:/]")


@FAMILY.judges("kubectl", "oc", "k", "microk8s.kubectl", "kubecolor", *HOLDERS)
def kubectl(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about what is deleted, disrupted, granted or applied. Dry runs are allowed."""
    options = parse(command, _KUBECTL)
    if command.program in HOLDERS and not _unwrapped(options):
        return
    while options.operands and options.operands[0].splits:
        # Unknown options may precede the verb.
        options.operands = options.operands[1:]
    verb = options.subcommand()
    if options.helps or options.has("h") or dry(options) or verb in _READS:
        return
    if _deletes(options):
        yield DELETE.found(command, path=targets(options) if verb != "apply" else "whatever is no longer in the files")
    elif _disrupts(options):
        yield DISRUPT.found(command, path=f"{verb} {targets(options)}")
    elif granted := _granted(options):
        yield RIGHTS.found(command, path=granted)
    elif verb == "cp" and len(options.operands) > 2 and ":" in options.operands[2].raw:
        yield FOREIGN.found(command, path=options.operands[2].text)
    if verb in {"apply", "create", "replace"}:
        yield from _foreign(command, options)


def _unwrapped(options: Options) -> bool:
    """Remove the words of a wrapping program, as in `k3s kubectl delete` and `minikube kubectl -- delete`."""
    if options.subcommand() != "kubectl":
        return False
    dashes = len(options.operands) > 1 and options.operands[1].raw == "--"
    options.operands = options.operands[2 if dashes else 1 :]
    return True


def _deletes(options: Options) -> bool:
    verb, second = options.subcommand(), options.subcommand(1)
    return (
        begins(options, _DELETES)
        or (verb == "config" and _UNSETS.match(second) is not None)
        or (verb == "replace" and options.has("force"))
        or (verb == "apply" and options.has("prune"))
        or (verb == "adm" and second == "prune" and options.has("confirm"))
    )


def _disrupts(options: Options) -> bool:
    verb = options.subcommand()
    if verb == "taint" and options.operands[-1].raw.endswith("-"):
        # This removes the taint.
        return False
    return (
        begins(options, _DISRUPTS)
        or (verb in {"scale", "autoscale"} and str(options.value("replicas") or "") == "0")
        or (verb == "apply" and options.has("force"))
        or (verb == "replace" and options.has("raw"))
        or (verb == "set" and not for_developers(options) and not options.has("local"))
        or (verb in _CHANGES and goes_live(options))
    )


def _granted(options: Options) -> str:
    """Return what the command grants, or an empty string."""
    verb, second = options.subcommand(), options.subcommand(1)
    if verb == "create" and second in {"clusterrolebinding", "rolebinding"}:
        role = options.value("clusterrole", "role")
        return role.text if role is not None and (_ADMIN.search(role.raw) or not role.certain) else ""
    if verb == "create" and second in {"clusterrole", "role"}:
        everything = any(word.raw == "*" for word in options.values("verb", "resource"))
        return "everything" if everything else ""
    if begins(options, _GRANTS) or (
        verb == "debug" and any(word.raw.startswith(("node/", "no/", "nodes/")) for word in options.operands)
    ):
        return targets(options)
    if verb in {"proxy", "port-forward"}:
        address = options.value("address")
        opened = address is not None and "0.0.0.0" in address.raw  # noqa: S104 - a text to look for
        return "open to the network" if opened or options.has("accept-hosts") else ""
    if verb == "run":
        overrides = options.value("overrides")
        hosted = overrides is not None and _HOSTED.search(overrides.raw)
        return "a privileged pod" if hosted or options.has("privileged") else ""
    if verb == "adm" and second == "policy" and options.subcommand(2).startswith(("add-", "remove-")):
        return options.subcommand(2)
    return ""


def _foreign(command: Command, options: Options) -> Iterator[Finding]:
    for word in options.values("f", "filename", "k", "kustomize"):
        if _address(word.raw):
            yield FOREIGN.found(command, path=word.text)
        elif (
            word.raw == "-"
            and command.stdin is not None
            and any(source.program in {"curl", "wget"} for source in command.stdin.commands)
        ):
            yield FOREIGN.found(command, path="what it downloads")


def _address(text: str) -> bool:
    remote = text.startswith(("http://", "https://", "github.com/", "git::", "git@", "ssh://"))
    return remote and not _LOCAL.match(text)
