"""Commands that run in a container, a cluster or a device: docker, kubectl, lxc, adb."""

from collections.abc import Sequence

from hermes_guard.argv.options import Spec, parse_words
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.inner import Inner, join, posix
from hermes_guard.shell.word import Word

_EXEC = "d detach e= env= env-file= i interactive t tty privileged u= user= w= workdir= detach-keys= index= T no-TTY "
_RUN = _EXEC + (
    "rm a= attach= add-host= annotation= blkio-weight= cap-add= cap-drop= cgroup-parent= cgroupns= "
    "cidfile= cpu-shares= c= "
    "cpus= cpuset-cpus= device= disable-content-trust dns= dns-search= dns-option= domainname= "
    "entrypoint= expose= gpus= "
    "group-add= health-cmd= health-interval= h= hostname= init ip= ip6= ipc= isolation= l= label= label-file= link= "
    "log-driver= log-opt= m= memory= memory-swap= memory-reservation= mount= name= net= network= "
    "network-alias= no-healthcheck "
    "oom-kill-disable pid= pids-limit= platform= P publish-all p= publish= pull= q quiet read-only restart= runtime= "
    "security-opt= shm-size= sig-proxy? stop-signal= stop-timeout= storage-opt= sysctl= tmpfs= "
    "ulimit= userns= uts= v= volume= "
    "volume-driver= volumes-from= replace= pod= build no-deps service-ports use-aliases remove-orphans"
)
_DOCKER = posix(
    "H= host= c= context= config= D debug l= log-level= tls tlscacert= tlscert= tlskey= tlsverify n= namespace="
)
_COMPOSE = posix(
    "f= file= p= project-name= profile= env-file= project-directory= ansi= progress= parallel= compatibility dry-run"
)
_KUBECTL = Spec(
    "n= namespace= context= kubeconfig= cluster= user= c= container= i stdin t tty q quiet f= filename= "
    "pod-running-timeout= s= server= token= as= request-timeout= v="
)


def container(command: Command) -> list[Inner]:
    """What `docker exec`, `docker run` and their relatives run."""
    words: Sequence[Word] = command.args
    compose = command.program in {"docker-compose", "podman-compose"}
    options = parse_words(words, _COMPOSE if compose else _DOCKER)
    rest = options.operands
    if not compose and rest and rest[0].raw == "compose":
        compose = True
        rest = parse_words(rest[1:], _COMPOSE).operands
    if not compose and rest and rest[0].raw == "container":
        rest = rest[1:]
    if not rest or rest[0].raw not in {"exec", "run"}:
        return []
    after = parse_words(rest[1:], posix(_RUN if rest[0].raw == "run" else _EXEC))
    mounts = tuple(_mount(word.raw) for word in after.values("v", "volume", "mount"))
    wrapper = Wrapper(command.program or "", command.texts, False, "container", mounts)
    entry = after.value("entrypoint")
    if entry is not None:
        return [Inner(wrapper, words=(entry, *after.operands[1:]))]
    return [Inner(wrapper, words=tuple(after.operands[1:]))] if after.operands[1:] else []


def _mount(text: str) -> tuple[str, str]:
    """The folder outside and the one inside of a container."""
    if "=" in text and "," in text:
        facts = dict(part.partition("=")[::2] for part in text.split(","))
        return (
            facts.get("source") or facts.get("src") or "",
            facts.get("target") or facts.get("destination") or facts.get("dst") or "",
        )
    outside, _, rest = text.partition(":")
    return outside, rest.partition(":")[0]


def kubectl(command: Command) -> list[Inner]:
    """What `kubectl exec` and its relatives run."""
    options = parse_words(command.args, _KUBECTL)
    wrapper = Wrapper(command.program or "", command.texts, elsewhere="container")
    if options.subcommand() not in {"exec", "run", "debug"} and options.subcommand(1) != "exec":
        return []
    if options.dashes is not None:
        words = options.operands[options.dashes :]
    else:
        words = options.operands[2:] if options.subcommand() == "exec" else []
    return [Inner(wrapper, words=tuple(words))] if words else []


def lxc(command: Command) -> list[Inner]:
    """What `lxc exec` runs."""
    options = parse_words(command.args, Spec("env= user= cwd= mode= t T n project="))
    if options.subcommand() != "exec":
        return []
    words = options.operands[2:]
    if words and words[0].raw == "--":
        words = words[1:]
    return [Inner(Wrapper("lxc", command.texts, elsewhere="container"), words=tuple(words))] if words else []


def adb(command: Command) -> list[Inner]:
    """What `adb shell` runs."""
    options = parse_words(command.args, posix("s= t= H= P= L= d e a"))
    if options.subcommand() not in {"shell", "exec-out"} or len(options.operands) < 2:
        return []
    return [Inner(Wrapper("adb", command.texts, elsewhere="container"), code=join(options.operands[1:]))]
