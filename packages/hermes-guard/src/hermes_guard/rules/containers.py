"""Containers and virtual machines: stopped, deleted, or given the run of the host."""

import re
from collections.abc import Iterator, Sequence

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.argv.options import parse_words
from hermes_guard.rules.family import Context, Family, Rule
from hermes_guard.rules.vital import disk, is_vital
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

FAMILY = Family("containers")

STOP = FAMILY.rule(
    "container.stop",
    "stops or restarts running containers: {path}",
    effects=("service",),
    match=(
        "docker stop web",
        "docker -H tcp://h:1 kill x",
        "docker compose -f a.yml down",
        "docker-compose -p x restart",
        "podman restart x",
        "docker container stop x",
        "docker --context p compose stop",
    ),
    not_match=(
        "docker ps",
        "docker start x",
        "docker compose up -d",
        "docker logs stop",
        "docker stop --help",
        "docker run --rm img stop",
        "docker compose ps",
        "docker compose --dry-run down",
    ),
)
REMOVE = FAMILY.rule(
    "container.remove",
    "deletes containers, images, volumes or networks: {path}",
    effects=("delete",),
    match=(
        "docker rm -f web",
        "docker rmi img",
        "docker volume rm data",
        "docker system prune -af",
        "docker image prune",
        "docker compose down -v",
        "docker compose rm -f",
        "docker buildx prune",
        "docker stack rm s",
        "docker swarm leave --force",
        "podman system reset",
        "docker network rm n",
        "buildah rm x",
        "crictl rmi i",
        "ctr c rm x",
        "ctr -n k8s.io containers delete x",
        "docker ps -aq | xargs docker rm",
    ),
    not_match=(
        "docker images",
        "docker volume ls",
        "ctr c ls",
        "docker run --rm img",
        "docker build --rm .",
        "docker network create n",
        "docker system df",
        "podman pull x",
    ),
)
ESCAPE = FAMILY.rule(
    "container.escape",
    "gives a container the run of this machine: {path}",
    effects=("privilege",),
    match=(
        "docker run --privileged img",
        "docker run -v /:/host img",
        "docker run -itv /:/h alpine",
        "docker run -v /var/run/docker.sock:/var/run/docker.sock img",
        "podman run --pid=host img",
        "docker create --cap-add=SYS_ADMIN img",
        "docker run --cap-add ALL img",
        "docker run --security-opt seccomp=unconfined img",
        "docker run --mount type=bind,source=/etc,target=/e img",
        "docker run --device=/dev/sda img",
        "docker exec --privileged c sh",
        "docker run -v ~/.ssh:/k img",
        "docker compose run -v /:/h app",
        "dockerd -H tcp://0.0.0.0:2375",
    ),
    not_match=(
        "docker run -v $PWD:/app img",
        "docker run -v ./data:/data img",
        "docker run --rm -it -p 80:80 img",
        "docker run --network host img",
        "docker run -v /etc/localtime:/etc/localtime:ro img",
        "docker run img --privileged",
        "docker run -v data:/var/lib img",
        "docker run --gpus all --ipc=host img",
        "docker run --device /dev/dri img",
        "docker run -v /tmp/x:/x img",
    ),
)
MACHINE = FAMILY.rule(
    "container.machine",
    "stops or deletes a virtual machine or a local cluster: {path}",
    effects=("delete", "service"),
    match=(
        "vagrant destroy -f",
        "vagrant halt",
        "virsh destroy vm",
        "virsh -c qemu:///system undefine vm",
        "multipass delete vm",
        "kind delete cluster",
        "minikube delete --all",
        "k3d cluster delete x",
        "lxc delete c --force",
        "incus stop c",
        "lxc stop c --force",
        "VBoxManage unregistervm x --delete",
        "VBoxManage controlvm x poweroff",
        "qm destroy 100",
        "kubeadm reset -f",
        "docker-machine rm x",
    ),
    not_match=(
        "vagrant up",
        "vagrant status",
        "virsh list --all",
        "multipass list",
        "kind get clusters",
        "minikube status",
        "lxc list",
        "vagrant ssh -c uptime",
        "VBoxManage list vms",
        "qm list",
    ),
)
PUSH = FAMILY.rule(
    "container.publish",
    "publishes an image, or deletes one from a registry: {path}",
    effects=("publish",),
    match=(
        "docker push o/img:1",
        "docker image push x",
        "podman push x docker://h/x",
        "docker buildx build --push -t x .",
        "skopeo delete docker://h/x",
        "crane delete h/x",
        "docker compose push",
    ),
    not_match=(
        "docker pull x",
        "docker build -t x .",
        "docker tag a b",
        "skopeo inspect docker://h/x",
        "docker save x -o x.tar",
    ),
)

_DOCKER = Spec(
    "H= host= c= context= config= D debug l= log-level= tls tlscacert= tlscert= tlskey= tlsverify n= "
    "namespace= a= address= root= runroot= storage-driver= storage-opt= remote r url= connection= identity= "
    "help v version",
    posix=True,
)
_COMPOSE = Spec(
    "f= file= p= project-name= profile= env-file= project-directory= ansi= progress= parallel= compatibility "
    "dry-run H= host= c= context= verbose no-ansi podman-args= help version",
    posix=True,
)
_RUN = Spec(
    "d detach e= env= env-file= i interactive t tty privileged? u= user= w= workdir= detach-keys= index= T "
    "no-TTY rm a= attach= add-host= annotation= blkio-weight= cap-add= cap-drop= "
    "cgroup-parent= cgroupns= cidfile= cpu-shares= c= cpus= cpuset-cpus= device= device-cgroup-rule= "
    "disable-content-trust? dns= dns-search= dns-option= domainname= entrypoint= expose= gpus= group-add= "
    "health-cmd= health-interval= health-retries= health-timeout= health-start-period= h= hostname= init ip= "
    "ip6= ipc= isolation= l= label= label-file= link= log-driver= log-opt= m= memory= memory-swap= "
    "memory-reservation= mount= name= net= network= network-alias= no-healthcheck oom-kill-disable pid= "
    "pids-limit= platform= P publish-all p= publish= pull= q quiet read-only restart= runtime= "
    "security-opt= shm-size= sig-proxy? stop-signal= stop-timeout= storage-opt= sysctl= tmpfs= ulimit= "
    "userns= uts= v= volume= volume-driver= volumes-from= replace pod= build no-deps "
    "service-ports use-aliases remove-orphans secret= arch= os= tls-verify? authfile= rootfs systemd= "
    "timezone= umask= uidmap= gidmap= help",
    posix=True,
)
_REST = Spec(
    "f force a all v volumes rmi= t= timeout= s= signal= time= help push load output= o= filter= n dry-run "
    "images q replicas= availability= file= tag= platform= build-arg= no-cache p= project= allow="
)

_TABLE: dict[str, Rule] = {
    **dict.fromkeys(
        [
            "stop",
            "restart",
            "kill",
            "pause",
            "container stop",
            "container restart",
            "container kill",
            "container pause",
            "pod stop",
            "pod kill",
            "pod restart",
            "pod pause",
            "t kill",
            "tasks kill",
            "task kill",
            "stopp",
        ],
        STOP,
    ),
    **dict.fromkeys(
        [
            "rm",
            "rmi",
            "remove",
            "rmp",
            "container rm",
            "containers rm",
            "containers remove",
            "containers delete",
            "containers del",
            "c rm",
            "c remove",
            "c delete",
            "c del",
            "i rm",
            "i remove",
            "i delete",
            "i del",
            "tasks rm",
            "t rm",
            "tasks delete",
            "snapshots rm",
            "namespaces rm",
            "container remove",
            "container prune",
            "image rm",
            "image remove",
            "image prune",
            "images rm",
            "images remove",
            "images prune",
            "images delete",
            "image delete",
            "volume rm",
            "volume remove",
            "volume prune",
            "network rm",
            "network remove",
            "network prune",
            "system prune",
            "system reset",
            "builder prune",
            "buildx prune",
            "buildx rm",
            "stack rm",
            "stack remove",
            "stack down",
            "service rm",
            "service remove",
            "swarm leave",
            "node rm",
            "node demote",
            "secret rm",
            "secret remove",
            "config rm",
            "config remove",
            "plugin rm",
            "plugin disable",
            "context rm",
            "manifest rm",
            "pod rm",
            "pod prune",
            "machine rm",
            "machine reset",
            "containers rm",
            "containers delete",
            "container delete",
            "namespace rm",
            "namespaces rm",
            "content prune",
            "content rm",
            "snapshots rm",
            "kube down",
            "play down",
            "prune",
            "checkpoint rm",
            "artifact rm",
            "model rm",
            "farm remove",
            "sandbox rm",
        ],
        REMOVE,
    ),
    **dict.fromkeys(
        ("push", "image push", "images push", "manifest push", "plugin push", "trust revoke", "artifact push"), PUSH
    ),
    "machine stop": MACHINE,
}
_COMPOSE_STOPS = frozenset({"restart", "stop", "kill", "down", "pause"})
_CAPS = frozenset(
    [
        "ALL",
        "SYS_ADMIN",
        "SYS_MODULE",
        "SYS_RAWIO",
        "SYS_BOOT",
        "DAC_READ_SEARCH",
        "MAC_ADMIN",
        "MAC_OVERRIDE",
        "BPF",
        "SYS_TIME",
    ]
)
_SOCKET = re.compile(
    r"(?:docker|containerd|crio|podman|cri-dockerd)\.sock$|/(?:run|var/run)/(?:docker|containerd|podman)/?$"
)
_FINE_FILES = re.compile(
    r"/etc/(?:localtime|timezone|hosts|resolv\.conf|hostname|ssl|ca-certificates|pki|passwd|group|machine-id"
    r"|os-release|letsencrypt|nginx|fonts|alsa|pulse|vulkan|OpenCL)(?:/|$)"
)


def _names(options: Options, start: int = 1) -> str:
    return " ".join(word.text for word in options.operands[start : start + 6])[:100]


@FAMILY.judges(
    "docker",
    "podman",
    "nerdctl",
    "buildah",
    "ctr",
    "crictl",
    "docker-compose",
    "podman-compose",
    "podman-remote",
    "finch",
    "img",
)
def docker(command: Command, context: Context) -> Iterator[Finding]:
    """The verbs of every program that looks like docker."""
    compose = (command.program or "").endswith("-compose")
    options = parse(command, _COMPOSE if compose else _DOCKER)
    if options.helps and not options.operands:
        return
    rest: Sequence[Word] = options.operands
    while rest and rest[0].splits and len(rest) > 1:
        # Unknown options may stand before the verb.
        options = parse_words(rest[1:], _COMPOSE if compose else _DOCKER)
        rest = options.operands
    if not compose and options.subcommand() == "compose":
        compose = True
        options = parse_words(rest[1:], _COMPOSE)
        rest = options.operands
        while rest and rest[0].splits and len(rest) > 1:
            rest = parse_words(rest[1:], _COMPOSE).operands
    if not rest or (compose and options.has("dry-run")):
        return
    if compose:
        yield from _compose(command, context, rest)
        return
    first = rest[0].raw
    second = rest[1].raw if len(rest) > 1 else ""
    if first in {"run", "create", "exec"} or (first == "container" and second in {"run", "create", "exec"}):
        yield from _escape(command, context, parse_words(rest[1 if first != "container" else 2 :], _RUN))
        return
    after = parse_words(rest, _REST)
    if after.has("help", "dry-run"):
        return
    rule = _TABLE.get(f"{first} {after.subcommand(1)}") or _TABLE.get(first)
    if first == "prune" and command.program != "buildah":
        rule = None
    if rule is not None:
        yield rule.found(command, path=_names(after) or first)
    elif first in {"service", "node"} and second in {"scale", "update"}:
        drained = after.value("availability")
        if (
            any(word.raw.endswith("=0") for word in after.operands)
            or (drained is not None and drained.raw in {"drain", "pause"})
            or str(after.value("replicas") or "") == "0"
        ):
            yield STOP.found(command, path=_names(after))
    elif "build" in {first, second} and (
        after.has("push")
        or any("push=true" in word.raw or "type=registry" in word.raw for word in after.values("output", "o"))
    ):
        yield PUSH.found(command, path=_names(after))
    elif "build" in {first, second} and any("insecure" in word.raw for word in after.values("allow")):
        yield ESCAPE.found(command, path="security.insecure")


def _compose(command: Command, context: Context, rest: Sequence[Word]) -> Iterator[Finding]:
    verb = rest[0].raw
    after = parse_words(rest[1:], _REST)
    if verb in {"run", "exec", "create"}:
        yield from _escape(command, context, parse_words(rest[1:], _RUN))
        return
    if after.has("help", "dry-run"):
        return
    names = _names(after, 0) or "all of the project"
    if verb in _COMPOSE_STOPS:
        yield STOP.found(command, path=names)
    if verb == "rm" or (verb == "down" and after.has("v", "volumes", "rmi")):
        yield REMOVE.found(command, path=names)
    elif verb in {"push", "publish"}:
        yield PUSH.found(command, path=names)
    elif verb == "scale" and any(word.raw.endswith("=0") for word in after.operands):
        yield STOP.found(command, path=names)


def _escape(command: Command, context: Context, options: Options) -> Iterator[Finding]:
    if options.has("help"):
        return
    facts: list[str] = []
    for name, word in options.given:
        value = word.raw if word is not None else ""
        if name == "privileged" and value.lower() not in {"false", "0"}:
            facts.append("--privileged")
        elif name in {"pid", "userns", "uts", "cgroupns"} and value == "host":
            facts.append(f"--{name}=host")
        elif (
            (name == "cap-add" and value.upper().removeprefix("CAP_") in _CAPS)
            or (name == "security-opt" and re.search(r"unconfined|label[=:]disable|no-new-privileges[=:]false", value))
            or (name == "device" and disk(value.partition(":")[0]))
            or (name == "device-cgroup-rule" and value.startswith(("a *", "b *")))
        ):
            facts.append(value)
        elif name in {"v", "volume", "mount"} and word is not None and _mounts_host(word, command, context):
            facts.append(word.text)
    if facts:
        yield ESCAPE.found(command, path=", ".join(facts)[:160])


def _mounts_host(word: Word, command: Command, context: Context) -> bool:
    from hermes_guard.paths import judge_path

    text = word.raw.removeprefix("=")
    if "=" in text and ("," in text or text.startswith(("type=", "source=", "src="))):
        facts = dict(part.partition("=")[::2] for part in text.split(","))
        source = facts.get("source") or facts.get("src") or ""
        read_only = "readonly" in facts or "ro" in facts
    else:
        source, _, rest = text.partition(":")
        read_only = "ro" in rest.split(":")[-1].split(",")
        if not rest:
            return False
    if source.startswith("~"):
        source = context.home + source[1:]
    if not source.startswith("/") and not source.startswith("."):
        return False
    path = command.path(source)
    if path is None:
        return False
    if (
        _SOCKET.search(path)
        or (is_vital(path, context) and path.startswith("/"))
        or path.startswith(("/proc/", "/sys/", "/dev/mapper", "/boot/"))
        or path in {"/var/run", "/var/lib", "/var/lib/docker", "/var/lib/kubelet", "/var/log"}
    ):
        return not (read_only and path.startswith(("/sys/", "/proc/"))) and not (path == "/sys" and read_only)
    if disk(path):
        return True
    if path.startswith("/etc/"):
        return (
            not _FINE_FILES.match(path + "/")
            if not read_only
            else judge_path("read", path, home=context.home).severity != "allow"
        )
    return judge_path("read", path, home=context.home).severity != "allow"


@FAMILY.judges("dockerd")
def daemon(command: Command, _: Context) -> Iterator[Finding]:
    """A daemon on the network is root for everybody."""
    options = parse(command, Spec("H= host= tlsverify D debug g= G= config-file= data-root= help version"))
    if not options.has("tlsverify") and any(
        word.raw.startswith("tcp://") and "127.0.0.1" not in word.raw and "localhost" not in word.raw
        for word in options.values("H", "host")
    ):
        yield ESCAPE.found(command, path="a daemon open to the network")


@FAMILY.judges("skopeo", "crane", "oras", "regctl", "gcrane", "reg")
def registry(command: Command, _: Context) -> Iterator[Finding]:
    """Registries."""
    words = [word.raw for word in command.args if not word.raw.startswith("-")]
    verbs = set(words[:2])
    if {"--help", "--dry-run"} & {word.raw for word in command.args}:
        return
    if verbs & {"delete", "push", "rm"} or (verbs & {"copy", "cp", "sync"} and words[-1].startswith("docker://")):
        yield PUSH.found(command, path=" ".join(words[-1:])[:100])


_MACHINES: dict[str, frozenset[str]] = {
    "vagrant": frozenset(["destroy", "halt", "reload", "suspend"])
    | {
        "box remove",
        "box prune",
        "snapshot delete",
        "snapshot restore",
        "snapshot pop",
        "plugin uninstall",
        "global-status --prune",
    },
    "virsh": frozenset(
        [
            "destroy",
            "undefine",
            "shutdown",
            "reboot",
            "reset",
            "vol-delete",
            "vol-wipe",
            "pool-destroy",
            "pool-delete",
            "pool-undefine",
            "snapshot-delete",
            "snapshot-revert",
            "net-destroy",
            "net-undefine",
            "detach-disk",
            "detach-device",
            "managedsave-remove",
            "secret-undefine",
            "iface-destroy",
            "iface-undefine",
            "suspend",
            "blockcommit",
        ]
    ),
    "multipass": frozenset(["delete", "purge", "stop", "restart", "suspend", "restore"]),
    "kind": frozenset({"delete"}),
    "minikube": frozenset({"delete", "stop", "node delete", "node stop", "pause"}),
    "k3d": frozenset(
        {
            "cluster delete",
            "cluster stop",
            "cluster rm",
            "cluster del",
            "node delete",
            "node stop",
            "registry delete",
            "kubeconfig delete",
        }
    ),
    "microk8s": frozenset({"reset", "stop", "leave", "remove-node", "disable"}),
    "k0s": frozenset({"reset", "stop"}),
    "kubeadm": frozenset({"reset"}),
    "lxc": frozenset(
        {
            "delete",
            "stop",
            "restart",
            "pause",
            "rm",
            "image delete",
            "storage delete",
            "network delete",
            "profile delete",
            "project delete",
            "snapshot delete",
            "storage volume",
            "cluster remove",
            "restore",
        }
    ),
    "docker-machine": frozenset({"rm", "stop", "kill", "restart"}),
    "colima": frozenset({"delete", "stop", "prune", "restart"}),
    "limactl": frozenset({"delete", "stop", "prune", "factory-reset", "remove", "rm", "snapshot delete"}),
    "orb": frozenset({"delete", "stop", "reset", "rm"}),
    "qm": frozenset(["destroy", "stop", "reset", "shutdown", "reboot", "delsnapshot", "rollback", "suspend"]),
    "pct": frozenset(["destroy", "stop", "shutdown", "reboot", "delsnapshot", "rollback"]),
    "machinectl": frozenset(["terminate", "poweroff", "reboot", "remove", "kill", "clean", "stop", "disable"]),
    "distrobox": frozenset({"rm", "stop", "ephemeral rm"}),
    "toolbox": frozenset({"rm", "rmi"}),
    "xl": frozenset(["destroy", "shutdown", "reboot"]),
    "govc": frozenset(["vm.destroy", "vm.power", "datastore.rm", "host.shutdown", "snapshot.remove", "object.destroy"]),
    "prlctl": frozenset(["delete", "stop", "reset", "unregister", "destroy", "restart", "snapshot-delete"]),
    "tart": frozenset({"delete", "stop", "prune"}),
    "lxc-destroy": frozenset(),
    "lxc-stop": frozenset(),
    "k3s-uninstall.sh": frozenset(),
    "k3s-killall.sh": frozenset(),
    "k3s-agent-uninstall.sh": frozenset(),
    "distrobox-rm": frozenset(),
    "rke2-uninstall.sh": frozenset(),
    "rke2-killall.sh": frozenset(),
}
_MACHINES["incus"] = _MACHINES["lxc"]
_MACHINES["orbctl"] = _MACHINES["orb"]
_MACHINE = Spec(
    "c= connect= f force y yes p= profile= n= name= all d debug q v help version h project= k= purge "
    "context= log-level="
)


@FAMILY.judges(*_MACHINES)
def machines(command: Command, _: Context) -> Iterator[Finding]:
    """Virtual machines and local clusters."""
    program = command.program or ""
    verbs = _MACHINES[program]
    options = parse(command, _MACHINE)
    if options.helps or options.subcommand() == "help":
        return
    pair = f"{options.subcommand()} {options.subcommand(1)}"
    if (
        not verbs
        or options.subcommand() in verbs
        or (pair in verbs and not (pair == "storage volume" and options.subcommand(2) not in {"delete", "rm"}))
    ):
        yield MACHINE.found(command, path=f"{pair} {options.subcommand(2)}".strip()[:80])


@FAMILY.judges("VBoxManage", "vboxmanage", "vmrun", "prlsrvctl")
def boxes(command: Command, _: Context) -> Iterator[Finding]:
    """Here the verb may come after the machine."""
    words = [word.raw for word in command.args]
    verb = words[0] if words and not words[0].startswith("-") else ""
    hit = (
        (verb == "controlvm" and bool({"poweroff", "reset", "acpipowerbutton", "savestate", "pause"} & set(words[2:])))
        or (verb == "unregistervm")
        or (verb == "closemedium" and "--delete" in words)
        or (verb == "snapshot" and bool({"delete", "restore", "restorecurrent"} & set(words[2:])))
        or (verb in {"deleteVM", "stop", "reset", "deleteSnapshot", "revertToSnapshot"})
        or ("-T" in words[:1] and bool({"deleteVM", "stop", "reset"} & set(words)))
    )
    if hit:
        yield MACHINE.found(command, path=" ".join(words[:3])[:80])
