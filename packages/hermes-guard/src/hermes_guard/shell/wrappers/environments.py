"""A table of programs whose subcommand runs a command in a container or on another machine."""

from collections.abc import Sequence
from typing import NamedTuple

from hermes_guard.argv.options import Options, Spec, parse_words
from hermes_guard.shell.command import Command, Elsewhere, Wrapper
from hermes_guard.shell.word import Word
from hermes_guard.shell.wrappers.inner_command import InnerCommand, join


class Environment(NamedTuple):
    """The subcommands that enter the environment, and the position of the command."""

    #: The subcommands, each with its aliases.
    verbs: tuple[frozenset[str], ...]
    options: Spec
    #: Operands between the subcommands and the command.
    skip: int = 0
    elsewhere: Elsewhere = "container"
    #: Options whose value is shell code.
    code: tuple[str, ...] = ()
    #: The command's words are joined and read by a shell.
    joined: bool = False
    #: A single-word command is code for a shell.
    quoted: bool = False
    #: The command follows one of these words, and only there.
    behind: tuple[str, ...] = ()
    #: Options that mount directories of this machine.
    binds: tuple[str, ...] = ()
    #: Operands are not a command; only `code` is.
    only_code: bool = False


def _environment(
    verbs: str,
    options: str = "",
    *,
    skip: int = 0,
    elsewhere: Elsewhere = "container",
    code: str = "",
    joined: bool = False,
    quoted: bool = False,
    behind: str = "",
    binds: tuple[str, ...] = (),
    only_code: bool = False,
) -> Environment:
    steps = tuple(frozenset(step.split("|")) for step in verbs.split())
    return Environment(
        verbs=steps,
        options=Spec(options, posix=not only_code),
        skip=skip,
        elsewhere=elsewhere,
        code=tuple(code.split()),
        joined=joined,
        quoted=quoted,
        behind=tuple(behind.split()),
        binds=binds,
        only_code=only_code,
    )


def _ssh(verbs: str, options: str = "", *, skip: int = 1, code: str = "") -> Environment:
    """Return a shell on another machine that reads the words after the host name."""
    return _environment(verbs, options, skip=skip, elsewhere="machine", code=code, joined=True)


def _coded(verbs: str, options: str, code: str) -> Environment:
    """Return a shell on another machine that accepts code only in an option."""
    return _environment(verbs, options, elsewhere="machine", code=code, only_code=True)


_APP = (
    "a= app= r= remote= g= process-group= s= select= m= machine= o= org= region= u= user= c= config= t= access-token= q"
)
_APPTAINER = (
    "B= bind= mount= e cleanenv c contain C containall H= home= W= workdir= S= scratch= s= env= env-file= f fakeroot "
    "no-home nv rocm o= overlay= p pid i ipc u userns w writable writable-tmpfs pwd= cwd= security= network= net dns= "
    "hostname= app= no-mount= fusemount= cpus= memory= vm add-caps= drop-caps= d debug q quiet silent v"
)
_CTR = (
    "n= namespace= a= address= timeout= connect-timeout= debug exec-id= cwd= t tty d detach user= log-uri= fifo-dir= "
    "rm mount= env= env-file= label= net-host privileged runtime= snapshotter= platform= gpus= cni"
)
_CRICTL = "c= config= D debug r= runtime-endpoint= i interactive t tty s sync timeout= I= image= R= transport="
_BUILDAH = (
    "v= volume= mount= user= e= env= workingdir= cap-add= cap-drop= hostname= isolation= network= runtime= t terminal "
    "tty add-history contextdir= device= cgroupns= ipc= pid= uts= userns= root= runroot= storage-driver= no-pivot"
)
_NOMAD = "task= job= group= i t e= address= region= namespace= token= ca-cert= client-cert="
_DDEV = "s= service= d= dir= r= raw q quiet T"
_GCLOUD = (
    "project= zone= region= account= command= ssh-flag= ssh-key-file= container= tunnel-through-iap internal-ip q "
    "quiet worker= impersonate-service-account= configuration= strict-host-key-checking= plain dry-run"
)
_DISTROBOX = "n= name= r root T no-tty nw no-workdir a= additional-flags= H clean-path v verbose"
_APPTAINER_EXEC = _environment("exec", _APPTAINER, skip=1, elsewhere="")
_RUNC = _environment(
    "exec", "root= log= debug systemd-cgroup cwd= e= env= t tty u= user= d detach p= process= pid-file= cap=", skip=1
)
_FLY = (
    _coded("ssh console", _APP + " C= command= A= address= s pty", "C command"),
    _coded("console", _APP + " C= command= image= dockerfile=", "C command"),
    _ssh("machine|machines|m exec", _APP + " timeout="),
)
_HEROKU = "a= app= r= remote= s= size= type= x exit-code e= env= no-tty no-notify no-launcher"
_UNSHARE = _environment("unshare", "rootless-netns", elsewhere="")
_BALENA = "p= port= t tty v verbose noproxy"
_PLATFORM = (_ssh("ssh|environment:ssh", "p= project= e= environment= A= app= worker= instance= I= y no all", skip=0),)

ENVIRONMENTS: dict[str, tuple[Environment, ...]] = {
    # Containers that share the home, so deletes there are real.
    "apptainer": (_APPTAINER_EXEC,),
    "singularity": (_APPTAINER_EXEC,),
    "toolbox": (_environment("run", "c= container= d= distro= r= release= preserve-fds= log-level= y", elsewhere=""),),
    "distrobox": (
        _environment("enter", _DISTROBOX, behind="-- -e --exec", elsewhere=""),
        _environment("ephemeral", f"i= image= h= home= {_DISTROBOX}", behind="--", elsewhere=""),
    ),
    "distrobox-enter": (_environment("", _DISTROBOX, behind="--", elsewhere=""),),
    # Other containers
    "buildah": (_environment("run", _BUILDAH, skip=1, binds=("v", "volume", "mount")), _UNSHARE),
    "podman": (_UNSHARE, _ssh("machine ssh", "username=", skip=0)),
    "docker": (_ssh("machine ssh"),),
    "docker-machine": (_ssh("ssh", "s= storage-path= native-ssh D debug"),),
    "crictl": (_environment("exec", _CRICTL, skip=1),),
    "ctr": (_environment("task|tasks|t exec", _CTR, skip=1), _environment("run", _CTR, skip=2)),
    "runc": (_RUNC,),
    "crun": (_RUNC,),
    "enroot": (_environment("start", "c= conf= e= env= m= mount= r root w rw", skip=1, binds=("m", "mount")),),
    "udocker": (
        _environment("run", "v= volume= e= env= user= u= w= workdir= name= rm", skip=1, binds=("v", "volume")),
    ),
    "jexec": (_environment("", "l n U= u=", skip=1),),
    "iocage": (_environment("exec", "u= host_user= U= jail_user= f force", skip=1),),
    "bastille": (_environment("cmd", "a auto x", skip=1),),
    "devcontainer": (
        _environment(
            "exec",
            "workspace-folder= config= container-id= id-label= docker-path= docker-compose-path= remote-env= "
            "log-level= override-config= user-data-folder= mount-workspace-git-root= default-user-env-probe=",
        ),
    ),
    "ddev": (_environment("exec|.", _DDEV, joined=True), _environment("mutagen exec", _DDEV, joined=True)),
    "lando": (_environment("ssh|exec", "c= command= s= service= u= user= d=", code="c command", only_code=True),),
    "docksal": (_environment("exec", "in= T", joined=True),),
    "fin": (_environment("exec", "in= T", joined=True),),
    "warden": (_environment("env exec", "T u= e=", skip=1),),
    "sail": (_environment("shell|root-shell", "c=", code="c", only_code=True),),
    "nomad": (_environment("alloc exec", _NOMAD, skip=1), _environment("exec", _NOMAD, skip=1)),
    "okteto": (_environment("exec", "n= namespace= k= context= f= file=", behind="--"),),
    "kamal": (
        _ssh(
            "app|server|accessory exec",
            "h= hosts= r= roles= p primary d= destination= e= env= reuse i interactive q v version= c= config-file=",
            skip=0,
        ),
    ),
    # These run it on this machine, some of them from inside a container.
    "distrobox-host-exec": (_environment("", "y yes V v", elsewhere=""),),
    "flatpak-spawn": (
        _environment(
            "",
            "host clear-env watch-bus env= unset-env= forward-fd= directory= sandbox latest-version no-network v",
            elsewhere="",
        ),
    ),
    "terramate": (
        _environment("run|script", "C= chdir= changed tags= no-tags= X parallel= j= continue-on-error", elsewhere=""),
    ),
    "host-spawn": (_environment("", "pty no-pty env= cwd=", elsewhere=""),),
    "lxc-usernsexec": (_environment("", "m=", elsewhere=""),),
    # Virtual machines
    "multipass": (
        _environment("exec", "d= working-directory= n no-map-working-directory", skip=1, elsewhere="machine"),
    ),
    "limactl": (
        _environment("shell", "workdir= shell= tty? debug log-level= preserve-env", skip=1, elsewhere="machine"),
    ),
    "lima": (_environment("", "workdir= shell= tty?", elsewhere="machine"),),
    "colima": (_environment("ssh", "p= profile= layer? v verbose", elsewhere="machine"),),
    "rdctl": (_environment("shell", "", elsewhere="machine"),),
    "orb": (
        _environment("run", "m= machine= u= user= w= workdir= p path s shell", elsewhere="machine"),
        _environment("sudo", "m= machine= u= user= w= workdir=", elsewhere="machine"),
    ),
    "orbctl": (_environment("run", "m= machine= u= user= w= workdir= p path s shell", elsewhere="machine"),),
    "minikube": (_ssh("ssh", "p= profile= n= node= native-ssh", skip=0),),
    "tart": (_environment("exec", "i t", skip=1, elsewhere="machine"),),
    "prlctl": (_environment("exec", "current-user u= user= password= r resolve-paths", skip=1, elsewhere="machine"),),
    "pct": (_environment("exec", "keep-env", skip=1),),
    "qm": (_environment("guest exec", "synchronous= timeout= pass-stdin=", skip=1, elsewhere="machine"),),
    "virtctl": (
        _ssh("ssh", "c= command= n= namespace= i= l= username= p= port= t= local-ssh-opts=", code="c command"),
    ),
    "wsl": (
        _environment(
            "",
            "d= distribution= u= user= cd= e exec system shell-type= t= terminate= unregister= s= set-default= "
            "export= import=",
            elsewhere="machine",
        ),
    ),
    "gcloud": (
        _coded("compute ssh", _GCLOUD, "command"),
        _environment("compute ssh", _GCLOUD, elsewhere="machine", behind="--", joined=True),
        _coded("alpha|beta compute ssh", _GCLOUD, "command"),
        _coded("cloud-shell ssh", _GCLOUD, "command"),
        _coded("alpha cloud-shell ssh", _GCLOUD, "command"),
        _coded("compute tpus tpu-vm ssh", _GCLOUD, "command"),
        _coded("alpha|beta compute tpus tpu-vm|queued-resources ssh", _GCLOUD, "command"),
    ),
    # Platforms
    "fly": _FLY,
    "flyctl": _FLY,
    "heroku": (
        _environment("run|run:detached|run:inside", _HEROKU, quoted=True),
        _environment("ps:exec", _HEROKU + " d= dyno= status", behind="--", quoted=True),
    ),
    "railway": (_ssh("ssh", "p= project= s= service= e= environment= d= deployment-instance=", skip=0),),
    "scalingo": (
        _environment("run", "a= app= region= s= size= t= type= e= env= f= file= d detached silent", quoted=True),
    ),
    "dokku": (
        _environment("run|run:detached", "rm no-tty e= env= cron-id= ttl-seconds=", skip=1),
        _environment("enter", "container-id=", skip=2),
    ),
    "cf": (_coded("ssh", "c= command= i= L= N T t process= k", "c command"),),
    "eb": (_coded("ssh", "c= command= n= number= e= custom= i= instance= o keep_open force all", "c command"),),
    "copilot": (
        _coded("svc|task|job exec", "a= app= e= env= n= name= c= command= container= task-id= yes?", "c command"),
    ),
    "doctl": (_coded("compute ssh", "ssh-command= ssh-user= ssh-key-path= ssh-port= t= access-token=", "ssh-command"),),
    "hcloud": (_ssh("server ssh", "u= user= p= port= ipv6 context="),),
    "exo": (_ssh("compute|c instance|i ssh", "l= login= z= zone= i ipv6"),),
    "platform": _PLATFORM,
    "upsun": _PLATFORM,
    "tsh": (_ssh("ssh", "l= login= p= port= proxy= cluster= user= ttl= i= identity= t tty A L= R= D= N o= d debug"),),
    "juju": (
        _ssh("ssh", "m= model= container= proxy pty? no-host-key-checks"),
        _environment(
            "exec|run", "m= model= a= app= application= u= unit= machine= all wait= format= background", joined=True
        ),
    ),
    "sky": (
        _environment(
            "exec", "c= cluster= d detach-run n= name= workdir= gpus= cloud= env= env-file=", skip=1, joined=True
        ),
    ),
    "balena": (_ssh("ssh", _BALENA), _ssh("device ssh", _BALENA)),
    "modal": (_coded("shell", "c= cmd= image= add-python= volume= cpu= memory= gpu= e= env=", "c cmd"),),
}
ENVIRONMENTS["wsl.exe"] = ENVIRONMENTS["wsl"]


def enter(command: Command) -> list[InnerCommand]:
    """Return the command that such a program runs there."""
    for environment in ENVIRONMENTS.get(command.program or "", ()):
        found = _entered(command, environment)
        if found:
            return found
    return []


def _entered(command: Command, environment: Environment) -> list[InnerCommand]:
    given: list[Options] = []
    words: Sequence[Word] = command.args
    for verbs in environment.verbs:
        options = parse_words(words, environment.options)
        given.append(options)
        if options.subcommand() not in verbs:
            return []
        words = options.operands[1:]
    words = _behind(words, environment) if environment.behind else _skipped(words, environment, given)
    if any(options.helps for options in given):
        return []
    mounts = tuple(mount(word.raw) for options in given for word in options.values(*environment.binds))
    wrapper = Wrapper(command.program or "", command.texts, False, environment.elsewhere, mounts)
    found = [InnerCommand(wrapper, code=code) for options in given for code in options.values(*environment.code)]
    if not words or environment.only_code or found:
        return found
    if environment.quoted and (len(words) == 1 or " " in words[0].raw):
        # Options of the program itself follow quoted code.
        return [InnerCommand(wrapper, code=words[0])]
    if environment.joined:
        return [InnerCommand(wrapper, code=join(words))]
    return [InnerCommand(wrapper, words=tuple(words))]


def _behind(words: Sequence[Word], environment: Environment) -> Sequence[Word]:
    """Return the words after `--`, or its equivalent."""
    place = next((place for place, word in enumerate(words) if word.raw in environment.behind), len(words))
    return words[place + 1 :]


def _skipped(words: Sequence[Word], environment: Environment, given: list[Options]) -> Sequence[Word]:
    """Return the words of the command, without the options and names before it."""
    for _ in range(environment.skip):
        options = parse_words(words, environment.options)
        given.append(options)
        words = options.operands[1:]
    options = parse_words(words, environment.options)
    given.append(options)
    return options.operands


def mount(text: str) -> tuple[str, str]:
    """Return the directory outside and inside of a container; empty when it is read-only."""
    text = text.removeprefix("=")
    if "=" in text and "," in text:
        facts = dict(part.partition("=")[::2] for part in text.split(","))
        if facts.get("readonly", facts.get("ro", "false")) in {"", "true", "1"}:
            return "", ""
        return (
            facts.get("source") or facts.get("src") or "",
            facts.get("target") or facts.get("destination") or facts.get("dst") or "",
        )
    outside, _, rest = text.partition(":")
    inside, _, modes = rest.partition(":")
    return ("", "") if "ro" in modes.split(",") else (outside, inside)
