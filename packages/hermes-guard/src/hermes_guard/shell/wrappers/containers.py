"""Wrappers for containers, clusters and devices that need more than a table: docker, kubectl, lxc, adb."""

from collections.abc import Sequence
from itertools import pairwise

from hermes_guard.argv.options import Spec, parse_words
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.word import Word
from hermes_guard.shell.wrappers.environments import mount
from hermes_guard.shell.wrappers.inner_command import InnerCommand, join, posix

_EXEC_OPTIONS = (
    "d detach e= env= env-file= i interactive t tty privileged u= user= w= workdir= detach-keys= index= T no-TTY "
)
_RUN_OPTIONS = _EXEC_OPTIONS + (
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
_EXEC, _RUN = posix(_EXEC_OPTIONS), posix(_RUN_OPTIONS)
_DOCKER = posix(
    "H= host= c= context= config= D debug l= log-level= tls tlscacert= tlscert= tlskey= tlsverify n= namespace="
)
_COMPOSE = posix(
    "f= file= p= project-name= profile= env-file= project-directory= ansi= progress= parallel= compatibility dry-run"
)
_KUBECTL_OPTIONS = (
    "n= namespace= context= kubeconfig= cluster= user= c= container= i stdin t tty q quiet f= filename= "
    "pod-running-timeout= s= server= token= as= request-timeout= v= shell= T no-tty timeout="
)
_KUBECTL, _KUBECTL_EXEC = Spec(_KUBECTL_OPTIONS), posix(_KUBECTL_OPTIONS)


def container(command: Command) -> list[InnerCommand]:
    """Return the command that `docker exec`, `docker run` and compatible programs run."""
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
    after = parse_words(rest[1:], _RUN if rest[0].raw == "run" else _EXEC)
    mounts = tuple(mount(word.raw) for word in after.values("v", "volume", "mount"))
    wrapper = Wrapper(command.program or "", command.texts, False, "container", mounts)
    entry = after.value("entrypoint")
    if entry is not None:
        return [InnerCommand(wrapper, words=(entry, *after.operands[1:]))]
    return [InnerCommand(wrapper, words=tuple(after.operands[1:]))] if after.operands[1:] else []


def wrapped(outer: tuple[Wrapper, ...], wrapper: Wrapper) -> tuple[Wrapper, ...]:
    """Return the wrappers of a command inside of another one. Some lead back out of their container.

    `docker run -v /:/h image chroot /h command` and `docker run --pid=host image nsenter -t 1 command` run it on this
    machine.
    """
    leaves = False
    if wrapper.program == "chroot":
        roots = {inside.rstrip("/") for found in outer for outside, inside in found.mounts if outside == "/"}
        leaves = bool(roots) and any(text.rstrip("/") in roots for text in wrapper.argv[1:])
    elif wrapper.program == "nsenter":
        shared = any(_shares_processes(found.argv) for found in outer)
        leaves = shared and any(text in _FIRST_PROCESS for text in map("".join, pairwise((*wrapper.argv, ""))))
    if not leaves:
        return (*outer, wrapper)
    return tuple(found._replace(elsewhere="", mounts=()) for found in (*outer, wrapper))


_FIRST_PROCESS = frozenset({"-t1", "--target1", "--target=1"})


def _shares_processes(argv: tuple[str, ...]) -> bool:
    return "--pid=host" in argv or ("--pid", "host") in pairwise(argv)


#: Programs with kubectl as a subcommand.
HOLDERS = frozenset({"k3s", "microk8s", "minikube", "k0s", "rancher"})


def kubectl(command: Command) -> list[InnerCommand]:
    """Return the command that `kubectl exec` and similar subcommands run."""
    words: Sequence[Word] = command.args
    if command.program in HOLDERS:
        place = next((place for place, word in enumerate(words[:4]) if word.raw == "kubectl"), -1)
        if place < 0:
            return []
        words = words[place + 1 :]
        words = words[1:] if words and words[0].raw == "--" else words
    options = parse_words(words, _KUBECTL)
    verb = options.subcommand()
    wrapper = Wrapper(command.program or "", command.texts, elsewhere="container")
    if verb not in {"exec", "run", "debug", "rsh"} and options.subcommand(1) != "exec":
        return []
    if options.dashes is not None:
        return _rest(wrapper, options.operands[options.dashes :])
    if verb not in {"exec", "rsh"}:
        return []
    # Without dashes, the command with its options follows the pod.
    place = next(place for place, word in enumerate(words) if word.raw == verb)
    after = parse_words(words[place + 1 :], _KUBECTL_EXEC).operands[1:]
    return _rest(wrapper, parse_words(after, _KUBECTL_EXEC).operands)


def _rest(wrapper: Wrapper, words: Sequence[Word]) -> list[InnerCommand]:
    """Return the rest of the words, as a command."""
    words = words[1:] if words and words[0].raw == "--" else words
    return [InnerCommand(wrapper, words=tuple(words))] if words else []


def lxc(command: Command) -> list[InnerCommand]:
    """Return the command that `lxc exec` runs."""
    options = parse_words(command.args, Spec("env= user= cwd= mode= t T n project="))
    if options.subcommand() != "exec":
        return []
    return _rest(Wrapper("lxc", command.texts, elsewhere="container"), options.operands[2:])


def adb(command: Command) -> list[InnerCommand]:
    """Return the command that `adb shell` runs."""
    options = parse_words(command.args, posix("s= t= H= P= L= d e a"))
    if options.subcommand() not in {"shell", "exec-out"} or len(options.operands) < 2:
        return []
    return [InnerCommand(Wrapper("adb", command.texts, elsewhere="container"), code=join(options.operands[1:]))]


_NSPAWN = posix(
    "D= directory= i= image= M= machine= u= user= b boot x ephemeral a as-pid2 q quiet P pipe n network-veth "
    "private-network network-bridge= template= bind= bind-ro= tmpfs= overlay= E= setenv= chdir= capability= "
    "drop-capability= private-users? resolv-conf= timezone= link-journal= read-only volatile? register= keep-unit "
    "settings= console= hostname= uuid= slice= property= kill-signal= port= p= S= L= Z= root-hash= oci-bundle="
)


def nspawn(command: Command) -> list[InnerCommand]:
    """Return the command that systemd-nspawn runs below a directory, which may be this machine's own root."""
    options = parse_words(command.args, _NSPAWN)
    if options.has("b", "boot") or options.helps:
        return []
    root = options.value("D", "directory")
    here = root is not None and command.path(root) == "/" and not options.has("x", "ephemeral")
    mounts = tuple(mount(word.raw) for word in options.values("bind"))
    wrapper = Wrapper("systemd-nspawn", command.texts, False, "" if here else "container", mounts)
    return _rest(wrapper, options.operands)


def machinectl(command: Command) -> list[InnerCommand]:
    """Return the command that `machinectl shell` runs in a container, or on this machine as `.host`."""
    options = parse_words(command.args, posix("uid= E= setenv= q quiet M= machine= H= host= p= property="))
    if options.subcommand() != "shell" or len(options.operands) < 3:
        return []
    name = options.operands[1].raw.rsplit("@", 1)[-1]
    wrapper = Wrapper("machinectl", command.texts, True, "" if name in {"", ".host"} else "container")
    return _rest(wrapper, parse_words(options.operands[2:], posix("uid= E= setenv= q quiet")).operands)
