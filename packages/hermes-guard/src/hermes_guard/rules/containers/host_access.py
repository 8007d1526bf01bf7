"""Judges container options that give access to the host."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options
from hermes_guard.name_sets import names
from hermes_guard.rules.common.critical_paths import disk, is_critical
from hermes_guard.rules.containers.rules import ESCAPE
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_CAPABILITIES = names("ALL SYS_ADMIN SYS_MODULE SYS_RAWIO SYS_BOOT DAC_READ_SEARCH MAC_ADMIN MAC_OVERRIDE BPF SYS_TIME")
_SOCKET = re.compile(
    r"(?:docker|containerd|crio|podman|cri-dockerd)\.sock$|/(?:run|var/run)/(?:docker|containerd|podman)/?$"
)
_UNGUARDED = re.compile(r"unconfined|label[=:]disable|no-new-privileges[=:]false")
#: System files that are commonly mounted into containers.
_FINE_FILES = re.compile(
    r"/etc/(?:localtime|timezone|hosts|resolv\.conf|hostname|ssl|ca-certificates|pki|passwd|group|machine-id"
    r"|os-release|letsencrypt|nginx|fonts|alsa|pulse|vulkan|OpenCL)(?:/|$)"
)
_STATE = frozenset({"/var/run", "/var/lib", "/var/lib/docker", "/var/lib/kubelet", "/var/log"})


def escapes(command: Command, context: Context, options: Options) -> Iterator[Finding]:
    """Ask about options of a new container that give access to this machine."""
    if options.has("help"):
        return
    facts = [fact for name, word in options.given if (fact := _fact(name, word, command, context))]
    if facts:
        yield ESCAPE.found(command, path=", ".join(facts)[:160])


def _fact(name: str, word: Word | None, command: Command, context: Context) -> str:
    """Return how this option gives access, or an empty string."""
    value = word.raw if word is not None else ""
    if name == "privileged":
        return "--privileged" if value.lower() not in {"false", "0"} else ""
    if name in {"pid", "userns", "uts", "cgroupns"}:
        return f"--{name}=host" if value == "host" else ""
    if name in {"v", "volume", "mount"}:
        return word.text if word is not None and _mounts_host(word, command, context) else ""
    opens = (
        (name == "cap-add" and value.upper().removeprefix("CAP_") in _CAPABILITIES)
        or (name == "security-opt" and _UNGUARDED.search(value))
        or (name == "device" and disk(value.partition(":")[0], memory=True))
        or (name == "device-cgroup-rule" and value.startswith(("a *", "b *")))
    )
    return value if opens else ""


def _mounts_host(word: Word, command: Command, context: Context) -> bool:
    source, read_only = _source(word.raw.removeprefix("="))
    if source.startswith("~"):
        source = context.home + source[1:]
    path = command.path(source) if source.startswith(("/", ".")) else None
    return path is not None and _exposes(path, read_only, context)


def _source(text: str) -> tuple[str, bool]:
    """Return the host directory in `-v a:b` or `--mount source=a,...`, and whether it is read-only."""
    if "=" in text and ("," in text or text.startswith(("type=", "source=", "src="))):
        facts = dict(part.partition("=")[::2] for part in text.split(","))
        return facts.get("source") or facts.get("src") or "", "readonly" in facts or "ro" in facts
    source, _, rest = text.partition(":")
    return (source if rest else ""), "ro" in rest.split(":")[-1].split(",")


def _exposes(path: str, read_only: bool, context: Context) -> bool:
    if path == "/sys" or path.startswith(("/sys/", "/proc/")):
        return not read_only
    if (
        _SOCKET.search(path)
        or (is_critical(path, context) and path.startswith("/"))
        or path.startswith(("/dev/mapper", "/boot/"))
        or path in _STATE
        or disk(path, memory=True)
    ):
        return True
    if path.startswith("/etc/") and not read_only:
        return not _FINE_FILES.match(path + "/")
    return context.paths.judge("read", path, home=context.home).severity != "allow"
