"""What never runs: root or home wiped, disks overwritten, every process killed, the machine switched off."""

import re
from collections.abc import Iterator
from itertools import pairwise

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.deletes import RM
from hermes_guard.rules.family import Context, Family
from hermes_guard.rules.vital import SYSTEM, disk, folder, is_vital
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

FAMILY = Family("hardline")

WIPE = FAMILY.rule(
    "hardline.wipe",
    "wipes {path}",
    severity="refuse",
    effects=("delete",),
    match=(
        "rm -rf /",
        "rm -rf /*",
        "rm -fr //",
        "rm -rf /../",
        "rm -r /etc /tmp/x",
        "rm -rf ~",
        "rm -rf ~/*",
        'rm -rf "$HOME"/*',
        "cd / && rm -rf *",
        "sudo rm --no-preserve-root -rf /",
        "find / -delete",
        "find ~ -type f -exec rm -f {} +",
        "mv /* /dev/null",
        "rsync -a --delete empty/ /",
        "X=/; rm -rf $X",
        "echo / | xargs rm -rf",
        "rm -rf /usr/bin",
        "rm -rf /usr/lib",
        "rm -rf /home/$USER",
        'cd /home && rm -rf "$USER"',
        "rm -rf /home/$(whoami)",
        "rm -rf /home/d*",
        "rm -rf /!(x)",
        "rm -rf /proc/self/root",
        "echo /* | xargs rm -rf",
        "printf '%s\\0' /* | xargs -0 rm -rf",
        "find / ! -name x -delete",
        "find / -type f -print0 | xargs -0 shred -u",
        "shred -u /*",
        "mv /etc /tmp/etc.old",
        "mv /* /tmp/trash",
        "tar -C / --remove-files -cf /dev/null .",
    ),
    not_match=(
        "rm -rf /home/$USER/tmp",
        "rm -rf /usr/local/go",
        "rm -rf /home/dev/c*",
        "find / ! -mtime -3 -name '*.tmp' -delete",
        "mv /etc/nginx/a.conf /tmp",
        "mv ~/* /mnt/backup",
        "tar -C /tmp/x --remove-files -cf a.tar .",
        "echo /* | xargs ls",
        "shred -u secret.txt",
        "rm -rf /tmp/foo",
        "rm -rf /tmp/*",
        "rm -rf ./build",
        "rm -rf /home/user/scratch",
        "rm -rf ~/Downloads/old",
        "rm -rf $HOME/tmp",
        "rm -rf '~'",
        "find / -name core -delete",
        "echo 'rm -rf /'",
        "rm -rf ./etc",
        "docker exec c rm -rf /",
    ),
)
FORMAT = FAMILY.rule(
    "hardline.format",
    "makes a file system on {path}",
    severity="refuse",
    effects=("disk",),
    match=(
        "mkfs.ext4 /dev/sda1",
        "mkfs -t xfs /dev/nvme0n1",
        "mke2fs /dev/sdb",
        "mkswap /dev/sdc1",
        "bcachefs format /dev/sdb",
        "zpool create tank /dev/sdb",
        "pvcreate -ff /dev/sdb",
        "format c: /y",
    ),
    not_match=(
        "mkfs_helper",
        "zpool list",
        "zpool create -n tank /dev/sdb",
        "pvcreate --test /dev/sdb",
        "format x.c",
        "bcachefs format disk.img",
        "mkfs.ext4 --help",
        "man mkfs",
        "mke2fs -n /dev/sda",
        "mkfs.ext4 disk.img",
    ),
)
IMAGE = FAMILY.rule(
    "disk.image-format",
    "makes a file system in {path}, whose content is lost",
    effects=("disk",),
    match=("mkfs.ext4 disk.img",),
    not_match=("mkfs.ext4 -V",),
)
DISK = FAMILY.rule(
    "hardline.disk",
    "overwrites the raw disk {path}",
    severity="refuse",
    effects=("disk",),
    match=(
        "dd if=/dev/zero of=/dev/sda",
        "cat x > /dev/nvme0n1",
        "echo x | sudo tee /dev/sdb",
        "cp img /dev/mmcblk0",
        "wipefs -a /dev/sda",
        "blkdiscard /dev/sda",
        "shred /dev/sda",
        "hdparm --security-erase p /dev/sda",
        "sgdisk -Z /dev/sda",
        "qemu-img convert -O raw a.qcow2 /dev/sda",
        "flash_erase /dev/mtd0 0 0",
        "sg_format --format /dev/sda",
        "cryptsetup -q luksFormat /dev/sdb",
        "cd /dev && dd if=zero of=sda",
        "cd /dev; cat zero > sda",
        "socat - OPEN:/dev/sda",
        "curl -o /dev/sda https://h/img",
        "wget -O /dev/sda https://h/img",
        "fallocate -z -l 1G /dev/sda",
        "sort x -o /dev/sda",
        "bmaptool copy img /dev/sdb",
        "ntfsclone --overwrite /dev/sda1 x",
        "tar cf /dev/sda x",
        "truncate -s0 /dev/sda",
        "sed -i s/a/b/ /dev/sda",
        "rsync x /dev/sda",
    ),
    not_match=(
        "touch /dev/sda",
        "ln -s x /dev/sda",
        "qemu-img convert -O qcow2 /dev/sda x.qcow2",
        "qemu-img info /dev/sda",
        "cryptsetup luksDump /dev/sdb",
        "mdadm --detail /dev/md0",
        "tar tf /dev/sda",
        "socat -u OPEN:/dev/sda,rdonly -",
        "curl -o sda https://h/sda",
        "dd if=/dev/sda of=disk.img",
        "ls /dev/sda",
        "echo x > /dev/null",
        "wipefs /dev/sda",
        "dd of=file",
        "cp /dev/sda img",
    ),
)
FORK = FAMILY.rule(
    "hardline.fork-bomb",
    "calls itself without end until the machine stands still",
    severity="refuse",
    effects=("processes",),
    match=(":(){ :|:& };:", "b() { b | b & }; b", "$0 & $0 &"),
    not_match=("f() { ls | wc -l & }; f", "g() { echo; }; g & g &"),
)
KILL = FAMILY.rule(
    "hardline.kill-all",
    "signals every process: {path}",
    severity="refuse",
    effects=("processes",),
    match=(
        "kill -9 -1",
        "kill -1",
        "kill -- -1",
        "kill -s KILL -1",
        "kill -KILL -1",
        "killall5 -9",
        "pkill -9 -f .",
        "for p in /proc/[0-9]*; do kill -9 ${p#/proc/}; done",
        "ps aux | awk '{print $2}' | xargs kill -9",
        "kill $(ls /proc | grep -E '^[0-9]+$')",
        "kill -9 $(pgrep .)",
        "pgrep . | xargs kill -9",
        "for p in $(ps -e -o pid=); do kill -9 $p; done",
        "ps -ef | awk '{print $2}' | while read p; do kill -9 $p; done",
    ),
    not_match=(
        "kill $(pgrep node)",
        "ps aux | grep node | awk '{print $2}' | xargs kill",
        "for p in $(pgrep x); do kill $p; done",
        "kill $(pgrep -u bob .)",
        "ps -ef | grep x | while read p; do kill -9 $p; done",
        "for p in $(ps -e -o pid=); do [ $p -gt 9000 ] && kill $p; done",
        "for p in /proc/[0-9]*; do echo ${p#/proc/}; done",
        "kill -9 12345",
        "kill -HUP 1234",
        "kill -1 1234",
        "kill -l",
        "pkill python",
        "kill %1",
    ),
)
POWER = FAMILY.rule(
    "hardline.power",
    "switches the machine off or restarts it",
    severity="refuse",
    effects=("power",),
    match=(
        "reboot",
        "/sbin/reboot",
        "sudo shutdown -h now",
        "init 6",
        "telinit 0",
        "systemctl --no-wall poweroff",
        "busybox reboot",
        "echo b > /proc/sysrq-trigger",
        "env FOO=1 halt",
        "systemctl isolate reboot.target",
        "/lib/systemd/systemd-shutdown reboot",
    ),
    not_match=(
        "echo reboot",
        "shutdown -c",
        "reboot --help",
        "systemctl status reboot.target",
        "init",
        "man shutdown",
        "ssh h reboot",
    ),
)

#: Tests that narrow what find finds. A kind of file or a depth does not.
_NARROW = re.compile(
    r"-(?:i?name|i?path|i?regex|i?wholename|[acm](?:time|min)|newer\w*|size|user|group|uid|gid|perm|empty|inum|links|samefile|i?lname|nouser|nogroup)$"
)
#: All but one name is still nearly all.
_NAMES = re.compile(r"-i?(?:name|path|regex|wholename)$")


@FAMILY.judges("rm", "grm", "rm.real")
def rm(command: Command, context: Context) -> Iterator[Finding]:
    """An rm of a vital folder, or fed with all of one."""
    yield from _wiped(command, parse(command, RM), context)


@FAMILY.judges("shred", "gshred", "srm", "wipe", "scrub", "rimraf")
def shred(command: Command, context: Context) -> Iterator[Finding]:
    """The same by programs that overwrite first."""
    yield from _wiped(command, parse(command, Spec("n= s= iterations= size= random-source= help version")), context)


def _wiped(command: Command, options: Options, context: Context) -> Iterator[Finding]:
    if options.helps:
        return
    for word in options.operands:
        path = folder(word, command, context)
        mounted = command.contained and _mounted(word, command, context)
        if path or mounted:
            yield WIPE.found(command, path=mounted or path, contained=not mounted)
            return
    if options.has("no-preserve-root") and options.has("r", "R", "recursive"):
        yield WIPE.found(command, path=" ".join(word.text for word in options.operands) or "/")
        return
    if command.wrapped_by("xargs", "parallel") and command.stdin is not None:
        for source in command.stdin.commands:
            path = _found_all(source, context) or _listed(source, context)
            if path:
                yield WIPE.found(command, path=path)
                return


def _mounted(word: Word, command: Command, context: Context) -> str:
    """The vital folder of this machine that a word names from inside of a container."""
    path = command.path(word.raw.rstrip("*") if word.glob else word)
    for wrapper in command.wrappers:
        for outside, inside in wrapper.mounts:
            if inside and path == inside.rstrip("/") and is_vital(outside.rstrip("/") or "/", context):
                return outside
    return ""


@FAMILY.judges("find", "gfind", "bfs")
def find(command: Command, context: Context) -> Iterator[Finding]:
    """A find over a vital folder that deletes all it finds."""
    texts = [word.raw for word in command.args]
    deletes = "-delete" in texts or any(
        text in {"-exec", "-execdir"} and after.rsplit("/", 1)[-1] in {"rm", "unlink", "shred", "rmdir"}
        for text, after in pairwise(texts)
    )
    path = _found_all(command, context) if deletes else ""
    if path:
        yield WIPE.found(command, path=path)


def _found_all(command: Command, context: Context) -> str:
    """The vital folder of which this find names everything."""
    if command.program not in {"find", "gfind", "bfs"}:
        return ""
    before = ""
    for word in command.args:
        if _NARROW.match(word.raw) and not (before in {"!", "-not"} and _NAMES.match(word.raw)):
            return ""
        before = word.raw
    for word in command.args:
        if word.raw[:1] in {"-", "(", "!"} and word.raw not in {"-H", "-L", "-P"}:
            break
        path = folder(word, command, context)
        if path:
            return path
    return ""


def _listed(command: Command, context: Context) -> str:
    if command.program not in {"ls", "echo", "printf"}:
        return ""
    return next((path for word in command.args if (path := folder(word, command, context))), "")


@FAMILY.judges("mv", "gmv")
def mv(command: Command, context: Context) -> Iterator[Finding]:
    """A vital folder moved to the null device, or the machine's own moved anywhere."""
    options = parse(command, Spec("t= target-directory= S= suffix= backup? help version"))
    given = options.value("t", "target-directory")
    words = [*options.operands, given] if given is not None else options.operands
    if len(words) < 2 or options.helps:
        return
    gone = command.path(words[-1]) == "/dev/null"
    for word in words[:-1]:
        path = folder(word, command, context)
        if path and (gone or path in SYSTEM or command.path(word) == context.home):
            # Moved elsewhere a home can be moved back.
            yield WIPE.found(command, path=path, severity=None if gone or path in SYSTEM else "ask")
            return


@FAMILY.judges("tar", "gtar", "bsdtar")
def tar(command: Command, context: Context) -> Iterator[Finding]:
    """A vital folder that is packed and removed."""
    texts = [word.raw for word in command.args]
    if not any("--remove-files".startswith(text) and len(text) > 7 for text in texts):
        return
    inside = [after for word, after in pairwise(command.args) if word.raw in {"-C", "--directory"}]
    inside += [word.tail(12) for word in command.args if word.raw.startswith("--directory=")]
    start = inside[-1].raw.rstrip("/") if inside else ""
    for word in command.args:
        if word.raw[:1] == "-" or word in inside or (len(word.raw) < 6 and word is command.args[0]):
            continue
        if inside and word.raw[:1] != "/":
            word = Word(f"{start}/{word.raw}", word.source, word.span, word.glob)  # noqa: PLW2901 - the same, in full
        path = folder(word, command, context)
        if path:
            yield WIPE.found(command, path=path)
            return


@FAMILY.judges("rsync")
def rsync(command: Command, context: Context) -> Iterator[Finding]:
    """A vital folder made equal to nothing."""
    texts = [word.raw for word in command.args]
    operands = [word for word in command.args if not word.raw.startswith("-")]
    packed = [text for text in texts if text[:1] == "-" and text[1:2] != "-"]
    if (
        not any(text.startswith("--del") for text in texts)
        or "--dry-run" in texts
        or any("n" in text for text in packed)
    ):
        return
    if len(operands) > 1:
        path = folder(operands[-1], command, context)
        source = operands[-2].raw.lower()
        if path and (path in {"/", context.home} or "empty" in source or "null" in source or "blank" in source):
            yield WIPE.found(command, path=path)


# Disks

_MKFS = Spec(
    "t= type= V v c n q F j E= O= L= b= m= i= I= N= U= T= g= G= f K s= d= l= n= label= help version "
    "force uuid= r= S= J= M= C= R= e= o="
)


@FAMILY.judges("*")
def mkfs(command: Command, _: Context) -> Iterator[Finding]:
    """File systems, by every program that makes them."""
    program = command.program or ""
    if not program.startswith(("mk", "newfs")) or not (
        program.partition(".")[0] in {"mkfs", "newfs"} or program in _MAKERS or program.startswith("newfs_")
    ):
        return
    options = parse(command, _MKFS)
    if options.helps or options.has("V") or _dry(program, command):
        return
    devices = [word for word in options.operands if word.raw.startswith("/dev/") or not word.certain]
    loop = devices and all(word.raw.startswith("/dev/loop") for word in devices)
    names = " ".join(word.text for word in options.operands)[:80]
    if (devices and not loop) or not options.operands:
        yield FORMAT.found(command, path=names or "a disk")
    elif program != "mkswap":
        yield IMAGE.found(command, path=names)


_MAKERS = frozenset(["mke2fs", "mkswap", "mkdosfs", "mkntfs", "mkexfatfs", "mkreiserfs", "mkudffs", "mkfatfs", "mkfs"])


def _dry(program: str, command: Command) -> bool:
    # `-n` is a dry run for ext and btrfs, and a label for fat.
    texts = {word.raw for word in command.args}
    if "-n" not in texts and "-N" not in texts:
        return False
    return (program in {"mke2fs", "mkfs.ext2", "mkfs.ext3", "mkfs.ext4"} and "-n" in texts) or (
        program == "mkfs.xfs" and "-N" in texts
    )


@FAMILY.judges("*")
def redirects(command: Command, _: Context) -> Iterator[Finding]:
    """Redirections onto a raw disk or the kernel's emergency key."""
    for redirect in command.redirects:
        if redirect.writes:
            yield from _written(redirect.target, command)


def _written(word: Word, command: Command) -> Iterator[Finding]:
    if disk(word, command):
        yield DISK.found(command, path=word.text)
    elif command.path(word) == "/proc/sysrq-trigger":
        yield POWER.found(command, path=word.text)


@FAMILY.judges(
    "tee",
    "cp",
    "mv",
    "install",
    "gcp",
    "dd",
    "dcfldd",
    "dc3dd",
    "ddrescue",
    "pv",
    "shred",
    "scrub",
    "nwipe",
    "blkdiscard",
    "badblocks",
    "sponge",
    "wipe",
    "flash_erase",
    "flash_eraseall",
    "flashcp",
    "nandwrite",
    "socat",
    "bmaptool",
    "rpi-imager",
    "ntfsclone",
    "partclone.restore",
)
def overwriters(command: Command, _: Context) -> Iterator[Finding]:
    """Programs whose operand is what they overwrite."""
    program = command.program or ""
    operands = [word for word in command.args if not word.raw.startswith("-")]
    texts = {word.raw for word in command.args}
    if texts & {"--help", "--version"}:
        return
    if program in {"dd", "dcfldd", "dc3dd"}:
        targets = [word.tail(word.raw.index("=") + 1) for word in operands if word.raw.startswith(("of=", "hof="))]
    elif program in {"cp", "mv", "install", "gcp", "ddrescue"}:
        options = parse(command, Spec("t= target-directory= m= mode= o= owner= g= group= S= suffix="))
        given = options.value("t", "target-directory")
        targets = [given] if given is not None else options.operands[-1:] if len(options.operands) > 1 else []
        if program == "ddrescue":
            targets = options.operands[1:2]
    elif program == "badblocks":
        targets = operands[-1:] if any(text[:1] == "-" and ("w" in text) for text in texts) else []
    elif program == "socat":
        targets = [
            Word(rest.split(",", 1)[0], word.source, word.span)
            for word in operands
            for kind, _, rest in [word.raw.partition(":")]
            if kind.upper() in {"OPEN", "FILE", "GOPEN", "CREATE"} and "rdonly" not in rest and "-u" not in texts
        ]
    elif program in {"bmaptool", "rpi-imager"}:
        targets = operands[-1:]
    elif program in {"ntfsclone", "partclone.restore"}:
        targets = parse(command, Spec("o= O= s= overwrite= output= source=")).values("O", "overwrite")
        targets += parse(command, Spec("o= s= output= source=")).values("o", "output")
    elif program == "pv":
        targets = parse(command, Spec("o= output=")).values("o", "output")
    else:
        targets = operands
    for word in targets:
        yield from _written(word, command)


@FAMILY.judges("bcachefs", "zpool", "pvcreate", "format", "format.com")
def formats(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that make a file system or a pool with a verb."""
    texts = [word.raw for word in command.args]
    program = command.program or ""
    verb = next((text for text in texts if not text.startswith("-")), "")
    if {"--help", "-h", "-n", "--test", "-t", "/?"} & set(texts):
        return
    if program.startswith("format"):
        makes = bool(re.match(r"[a-zA-Z]:\\?\Z", verb))
    else:
        wanted = {"bcachefs": "format", "zpool": "create"}.get(program, verb)
        makes = verb == wanted and any(disk(word, command) for word in command.args)
    if makes:
        yield FORMAT.found(command, path=" ".join(command.texts[1:])[:80])


@FAMILY.judges("wipefs", "hdparm", "sgdisk", "nvme", "diskutil", "cryptsetup", "qemu-img", "sg_format")
def erasers(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that erase a disk with an option or a verb."""
    texts = [word.raw for word in command.args]
    packed = "".join(text[1:] for text in texts if text[:1] == "-" and text[1:2] != "-")
    verb = texts[0] if texts else ""
    raw = any(disk(word, command) for word in command.args)
    erases = {
        "wipefs": ("a" in packed or "--all" in texts) and "n" not in packed and "--no-act" not in texts,
        "hdparm": any(
            text.startswith(("--security-erase", "--trim-sector", "--security-erase-enhanced")) for text in texts
        ),
        "sgdisk": ("Z" in packed or "z" in packed or "--zap-all" in texts or "--zap" in texts or "--clear" in texts)
        and "P" not in packed,
        "nvme": verb in {"format", "sanitize"},
        "diskutil": verb.lower()
        in {"erasedisk", "erasevolume", "zerodisk", "randomdisk", "secureerase", "partitiondisk", "reformat"},
        "cryptsetup": bool({"luksFormat", "erase", "luksErase", "reencrypt"} & set(texts)) and raw,
        "qemu-img": verb in {"convert", "dd", "create"}
        and (disk(command.args[-1], command) or any(text.startswith("of=") and disk(text[3:]) for text in texts)),
        "sg_format": raw and ("--format" in texts or "F" in packed),
    }
    if erases.get(command.program or "") and "--help" not in texts:
        names = [text for text in texts if text.startswith(("/dev/", "disk"))]
        yield DISK.found(command, path=" ".join(names)[:80])


# Processes


@FAMILY.judges("*")
def fork_bomb(command: Command, context: Context) -> Iterator[Finding]:
    """A function or script that starts itself twice, or in the background."""
    if command.recursive and (command.background or command.piped):
        calls = sum(1 for other in context.commands if other.recursive and other.function == command.function)
        if calls > 1 or not (command.condition or command.loop):
            yield FORK.found(command)
    elif (
        command.program is None
        and (command.background or command.piped)
        and command.argv[0].source.strip('"./{}') in {"$0", "${0"}
    ):
        yield FORK.found(command)


_SIGNAL = re.compile(r"-(?:\d+|(?:SIG)?[A-Z][A-Z0-9+-]*)$", re.IGNORECASE)
_ANYTHING = frozenset({".", ".*", "", "^", ".+", "*", "^.*", "^.*$", ".?"})


@FAMILY.judges("kill")
def kill(command: Command, context: Context) -> Iterator[Finding]:
    """The pid -1 is every process."""
    texts = [word.raw for word in command.args]
    if texts == ["-1"]:
        yield KILL.found(command, path="-1")
        return
    if texts and texts[0] in {"-l", "-L", "--list", "--help"}:
        return
    if texts and texts[0] in {"-s", "-n", "--signal"}:
        texts = texts[2:]
    elif (texts and texts[0].startswith("--signal")) or (texts and _SIGNAL.match(texts[0])):
        texts = texts[1:]
    if "-1" in texts:
        yield KILL.found(command, path="-1")
        return
    everyone = any(_every_process(word.commands) or (word.glob and _EVERY_PID.match(word.raw)) for word in command.args)
    if command.stdin is not None and (command.wrapped_by("xargs", "parallel") or _looped(command)):
        everyone = everyone or _every_process(command.stdin.commands)
    elif not everyone and _looped(command) and len(context.commands) < 8:
        # Nothing but the list of processes is left to loop over.
        everyone = _every_process(tuple(other for other in context.commands if other is not command))
    if everyone:
        yield KILL.found(command, path="every process")


def _looped(command: Command) -> bool:
    return command.loop and any(word.raw == HOLE for word in command.args)


#: Names of processes in the kernel's folder, all of them.
_EVERY_PID = re.compile(r"(?:/proc/)?(?:\[[01]-9\]\*|\*)\Z")
_PASS_ON = frozenset(
    ["awk", "cut", "tail", "tr", "sed", "sort", "cat", "xargs", "kill", "sudo", "echo", "basename", "read"]
)
#: Filters that leave every number.
_NUMBERS = re.compile(r"[\^(\\]*\[(?:0-9|\[:digit:\])\][*+\\){}1,$]*\Z|\^?\\d[*+]?\$?\Z")


def _upstream(commands: tuple[Command, ...]) -> tuple[Command, ...]:
    """The commands of a pipeline up to its start."""
    found = list(commands)
    for command in found:
        if command.stdin is not None and len(found) < 16:
            found.extend(other for other in command.stdin.commands if other not in found)
    return tuple(found)


def _every_process(last: tuple[Command, ...]) -> bool:
    commands = _upstream(last)
    return any(_lists_all(command) for command in commands) and all(
        _lists_all(command) or _passes_all(command) for command in commands
    )


def _lists_all(command: Command) -> bool:
    texts = [word.raw for word in command.args]
    if command.program == "ps":
        return bool(texts and re.search(r"[aAe]", texts[0])) and not {"-C", "-u", "-U", "-p", "--user"} & set(texts)
    if command.program == "ls":
        return any(command.path(word) == "/proc" or "/proc/[0-9]" in word.raw for word in command.args)
    return (
        command.program == "pgrep"
        and bool(texts)
        and texts[-1] in _ANYTHING
        and all(text in {"-f", "-a", "-l"} for text in texts[:-1])
    )


def _passes_all(command: Command) -> bool:
    if command.program in {"grep", "egrep"}:
        return any(_NUMBERS.match(word.raw) for word in command.args)
    if command.program in {"awk", "sed"}:
        return not re.search(r"/[^/]+/|==|~", " ".join(command.texts[1:]))
    return command.program in _PASS_ON


@FAMILY.judges("killall5", "pkill", "killall")
def pkill(command: Command, _: Context) -> Iterator[Finding]:
    """A pattern that fits every process."""
    texts = [word.raw for word in command.args]
    if "--help" in texts or "-l" in texts or "-V" in texts:
        return
    if command.program == "killall5":
        yield KILL.found(command, path="all")
    elif command.program == "pkill" or "-r" in texts or "--regexp" in texts:
        options = parse(command, Spec("u= U= g= G= P= s= t= signal= f x n o v i r regexp", numeric=True))
        if (
            options.operands
            and options.operands[-1].literal in _ANYTHING
            and not options.has("u", "U", "P", "t", "g", "G", "s")
        ):
            yield KILL.found(command, path=options.operands[-1].text)


# Power

_HARMLESS = frozenset({"--help", "--version", "-c", "-k", "--show", "-w", "--wtmp-only", "-V", "--dry-run"})
_TARGETS = re.compile(
    r"(?:poweroff|reboot|halt|kexec|emergency|rescue|shutdown|soft-reboot|runlevel[06])(?:\.target)?$"
)
_SYSTEMCTL = Spec(
    "H= host= M= machine= t= type= p= property= s= signal= n= lines= o= output= job-mode= root= f "
    "force i ignore-inhibitors q quiet now no-wall "
    "user system no-block no-pager no-ask-password when= message= help version dry-run "
    "check-inhibitors= kill-whom= what="
)


@FAMILY.judges("shutdown", "reboot", "halt", "poweroff", "kexec", "openrc-shutdown", "pm-powerdown", "systemd-shutdown")
def power(command: Command, _: Context) -> Iterator[Finding]:
    """The machine off or on again."""
    texts = {word.raw for word in command.args}
    if texts & _HARMLESS or (command.program == "kexec" and not texts & {"-e", "--exec", "-f", "--force"}):
        return
    yield POWER.found(command, severity="ask" if command.elsewhere else None)


@FAMILY.judges("init", "telinit")
def runlevel(command: Command, _: Context) -> Iterator[Finding]:
    """The runlevels 0 and 6."""
    if any(word.raw in {"0", "6"} for word in command.args):
        yield POWER.found(command, severity="ask" if command.elsewhere else None)


@FAMILY.judges("systemctl", "loginctl")
def systemctl(command: Command, _: Context) -> Iterator[Finding]:
    """The verbs and targets that end the session of everybody."""
    options: Options = parse(command, _SYSTEMCTL)
    if options.helps or options.has("dry-run") or (options.value("when") and str(options.value("when")) == "cancel"):
        return
    verb = options.subcommand()
    if _TARGETS.match(verb) and not verb.endswith(".target"):
        elsewhere = command.elsewhere or options.has("H", "host", "M", "machine", "user")
        yield POWER.found(command, severity="ask" if elsewhere else None)
    elif verb in {"isolate", "start"} and any(
        _TARGETS.match(word.raw) and (".target" in word.raw or verb == "isolate") for word in options.operands[1:]
    ):
        yield POWER.found(command, severity="ask" if command.elsewhere else None)


@FAMILY.judges("dbus-send", "busctl", "gdbus", "qdbus", "osascript")
def messages(command: Command, _: Context) -> Iterator[Finding]:
    """The same, asked of a service."""
    text = " ".join(command.texts[1:])
    if re.search(
        r"login1.*\b(?:PowerOff|Reboot|Halt|KExec)\b|ConsoleKit.*\b(?:Stop|Restart)\b|to\s+(?:shut\s*down|restart)\b",
        text,
    ):
        yield POWER.found(command, severity="ask" if command.elsewhere else None)
