"""Rules for the running kernel: settings, modules, protections and live files."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.argument_checks import (
    ALWAYS,
    ANY,
    Check,
    any_word,
    assigns,
    findings,
    first,
    flag,
    flag_like,
    flag_starts,
    letter,
    option,
    verb,
    words,
)
from hermes_guard.rules.family import Context, Family, abbreviate
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

FAMILY = Family("kernel")

KERNEL = FAMILY.rule("kernel.change", "changes the running kernel or its protections: {path}", effects=("system",))

_SYSCTL = Spec(
    "w p? a A n N e q r= b d x X f? write load? all names values ignore quiet pattern= system dry-run help version V "
    "h deprecated binary"
)


@FAMILY.judges("sysctl")
def sysctl(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about settings that are written, one by one or from a file."""
    options = parse(command, _SYSCTL)
    if options.helps or options.has("dry-run"):
        return
    if options.has("w", "write", "p", "load", "f", "system") or any("=" in word.raw for word in options.operands):
        yield KERNEL.found(command, path=abbreviate(command))


_TELLS = flag(
    "-n --dry-run --show --show-depends -D -c --showconfig --show-config -V --version --help -h --resolve-alias -R "
    "--dump-modversions --show-modversions"
)
_LISTS = first("list static-nodes status help info --version build match")
_MODULES: dict[str, Check] = {
    **dict.fromkeys(
        (
            "modprobe",
            "rmmod",
            "depmod",
            "kextload",
            "kextunload",
            "kextutil",
            "kextcache",
            "kldload",
            "kldunload",
            "modload",
            "modunload",
            "weak-modules",
        ),
        ANY & ~_TELLS,
    ),
    **dict.fromkeys(("kmod", "kpatch", "livepatch", "canonical-livepatch", "akmods", "klp"), ANY & ~_TELLS & ~_LISTS),
    "dkms": ANY & ~_LISTS,
    "kmutil": verb("load unload install create clear-staging trigger-panic-medic configure-boot"),
    "systemextensionsctl": verb("uninstall reset developer gc"),
    # After the file name, everything is a module parameter.
    "insmod": ANY & ~first("-V --version -h --help"),
}


@FAMILY.judges(*_MODULES)
def modules(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about loading or unloading kernel modules; a parameter named `help` does not prevent it."""
    yield from findings(KERNEL, command, _MODULES, helps=False)


_DMESG = Spec(
    "C c D E n= F= f= l= s= K= L? H J P S T W d e h k p r t u V w x clear read-clear console-off console-on "
    "console-level= file= facility= level= buffer-size= kmsg-file= color? time-format= since= until= human json "
    "nopager syslog ctime follow follow-new show-delta reltime kernel force-prefix raw notime userspace decode help "
    "version"
)
_GPU = flag("-r -pm -pl -ac -rac -lgc -rgc -lmc -rmc -e -p -c -mig -gom -dm -fdm -am -caa") | flag_starts(
    "--gpu-reset --persistence-mode --power-limit --applications-clocks --reset --lock --ecc-config --compute-mode "
    "--multi-instance-gpu --gom --driver-model --cuda-clocks --gpu-target-temp"
)
_PROTECTIONS: dict[str, Check] = {
    **dict.fromkeys(("setenforce", "aa-disable", "aa-complain", "wrmsr", "cgdelete", "cgset"), words(1)),
    **dict.fromkeys(("i2cset", "memtool", "x86_energy_perf_policy"), words(1)),
    **dict.fromkeys(("setsebool", "devmem", "devmem2"), words(2)),
    **dict.fromkeys(("swapoff", "ipcrm"), ANY),
    "aa-remove-unknown": ~flag("-n"),
    "aa-teardown": ALWAYS,
    "apparmor_parser": flag_like(r"-\w*[Rra]|--(?:remove|replace|add)") & ~flag("-p -Q --skip-kernel-load"),
    "auditctl": flag_like(r"-[aAdDebfrwWR]") & ~flag("-l"),
    "bpftool": any_word("load attach detach delete update pin loadall"),
    "cpupower": verb("set") | Check(lambda given: given.verb.endswith("-set")),
    "dmesg": option(_DMESG, "C c n D clear read-clear console-off"),
    "augenrules": flag("--load"),
    "kexec": ANY & ~flag("-S --status -v"),
    "nvidia-smi": (~verb("dmon pmon topo nvlink") & _GPU) | (verb("mig") & flag_like(r"-(?:cgi|cci|dci|dgi)")),
    "powertop": flag("--auto-tune --calibrate -c"),
    "rocm-smi": flag_starts("--set --reset --gpureset --load"),
    "semanage": flag("-a -d -m -D -r --add --delete --modify --deleteall"),
    "semodule": flag_like(r"-\w*[irdeRXu]|--(?:install|remove|disable)") & ~flag_starts("-l --list"),
    "setpci": assigns(),
    "tuned-adm": verb("profile off auto_profile profile_mode"),
    "zramctl": letter("rfs") | flag_starts("--reset --find --size"),
    "swapon": words(1) | flag("-a --all"),
}


@FAMILY.judges(*_PROTECTIONS)
def protections(command: Command, _: Context) -> Iterator[Finding]:
    """Judge protections and resources of the running system."""
    yield from findings(KERNEL, command, _PROTECTIONS)


_IN_PLACE = ("-i", "--in-place", "-pi", "-ni", "-Ei", "-ri", "-si")
_LIVE = re.compile(r"/(?:proc/sys/|proc/\d+/|proc/self/(?:oom|mem)|proc/(?:irq|acpi|mtrr)|sys/(?!fs/cgroup/user))")


@FAMILY.judges(">")
def redirected(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about redirecting into the kernel's own files."""
    inside = (command.cwd or "").startswith(("/proc", "/sys"))
    for redirect in command.redirects:
        raw = redirect.target.raw
        # Most targets are unrelated, and resolving a path costs more than this check.
        if (inside or "proc" in raw or "sys" in raw) and redirect.writes:
            path = command.path(raw)
            if path and _LIVE.match(path):
                yield KERNEL.found(command, path=path)
                return


@FAMILY.judges("tee", "sponge", "dd", "cp", "install", "sed", "gsed", "perl")
def live_files(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about writing into the kernel's own files."""
    program = command.program
    if program in {"sed", "gsed", "perl"} and not any(word.raw.startswith(_IN_PLACE) for word in command.args):
        return
    for word in command.args[-1:] if program in {"cp", "install"} else command.args:
        path = command.path(word.tail(3) if word.raw.startswith("of=") else word)
        if path and _LIVE.match(path):
            yield KERNEL.found(command, path=path)
            return
