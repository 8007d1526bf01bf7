"""Judges raw disks that are formatted, overwritten or erased."""

from collections.abc import Callable, Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.common.container_isolation import rules_machine
from hermes_guard.rules.common.critical_paths import disk
from hermes_guard.rules.common.file_tool_options import COPY, CP
from hermes_guard.rules.common.path_arguments import found_names, handed, outside_path, renamed
from hermes_guard.rules.family import Context
from hermes_guard.rules.hardline.file_listings import FINDS
from hermes_guard.rules.hardline.rules import DISK, FAMILY, FORMAT, IMAGE, POWER
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

_MKFS = Spec(
    "t= type= V v c q F j E= O= L= b= m= i= I= N= U= T= g= G= f K s= d= l= n= label= help version "
    "force uuid= r= S= J= M= C= R= e= o="
)
_MAKERS = frozenset(["mke2fs", "mkswap", "mkdosfs", "mkntfs", "mkexfatfs", "mkreiserfs", "mkudffs", "mkfatfs", "mkfs"])
_EXT = Spec(
    "type= b= c C= d= D e= E= f= F g= G= i= I= j J= K l= L= m= M= n N= o= O= q r= s= S t= T= U= v V z= help version"
)
_XFS = Spec("t= type= b= c= d= f i= K l= L= m= n= N p= q r= s= V help version")
_NTFS = Spec(
    "t= type= c= C d f F H= I L= n p= q Q s= S= T U v V z= cluster-size= label= no-action sector-size= help version "
    "force quick"
)
_NEWFS = Spec("a= b= c= d= e= E f= g= h= i= j J k= L= l m= N n o= O= p= r= s= S= t T= U u= V v= help version")
#: The exact options of programs with a dry run, and the option for it. For other programs that letter is a label.
_DRY: dict[str, tuple[Spec, tuple[str, ...]]] = {
    **dict.fromkeys(("mke2fs", "mkfs.ext2", "mkfs.ext3", "mkfs.ext4", "mkfs.ext4dev"), (_EXT, ("n",))),
    "mkfs.xfs": (_XFS, ("N",)),
    **dict.fromkeys(("mkntfs", "mkfs.ntfs"), (_NTFS, ("n", "no-action"))),
    "newfs": (_NEWFS, ("N",)),
}


def _maker(command: Command) -> tuple[Options, bool, bool]:
    """Return the options of a program that creates file systems, if it is a dry run, and if that is certain."""
    program = command.program or ""
    options = parse(command, _MKFS)
    if program == "mkfs":
        # A lone `-V` prints the version; otherwise it is verbose, and given twice makes a dry run.
        if len(command.args) == 1 or sum(name == "V" for name, _ in options.given) > 1:
            return options, options.helps or options.has("V"), True
        kind = options.value("t", "type")
        program = f"mkfs.{kind.raw}" if kind is not None else "mkfs.ext2"
        told = options.helps
    else:
        told = options.helps or options.has("V")
    exact = _DRY.get(program)
    if exact is None:
        first = bool(command.args) and command.args[0].raw in {"-V", "--version", "--help"}
        return options, told, first or not options.unknown
    options = parse(command, exact[0])
    verbose = command.program == "mkfs"
    return options, options.helps or options.has(*exact[1], *(() if verbose else ("V",))), True


# The set of names is open: each file system has its own `mkfs.` program.
@FAMILY.judges("*")
def mkfs(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse creating a file system on a disk, with any program."""
    program = command.program or ""
    if not program.startswith(("mk", "newfs")) or not (
        program.partition(".")[0] in {"mkfs", "newfs"} or program in _MAKERS or program.startswith("newfs_")
    ):
        return
    options, told, certain = _maker(command)
    if told and certain:
        return
    devices = [
        word
        for word in command.args
        # A letter is a flag for one program and takes a value for another, so a device is recognized at any position.
        if word.raw.startswith("/dev/")
        or _found_disk(word, command)
        or not (word.certain or word not in options.operands or _names_image(word, context))
    ]
    loop = devices and all(word.raw.startswith("/dev/loop") for word in devices)
    names = " ".join(word.text for word in options.operands)[:80]
    if (devices and not loop) or not options.operands:
        yield FORMAT.found(command, path=names or "a disk", severity="ask" if told else None)
    elif program != "mkswap":
        yield IMAGE.found(command, path=names)


#: A disk as zpool accepts it, without its directory.
_BARE_DISK = re.compile(r"(?:(?:sd|vd|hd|xvd)[a-z]\d*|nvme\d+n\d+(?:p\d+)?|(?:ada|da|nvd|vtbd)\d+(?:p\d+)?)\Z")
_IMAGE_FILE = re.compile(r"\.(?:img|raw|iso|bin|ext[234]|squashfs|fs|qcow2|dmg)\Z", re.IGNORECASE)
_IMAGE_NAME = re.compile(r"\$\{?\w*(?:img|image|file|loop)", re.IGNORECASE)


def _names_image(word: Word, context: Context) -> bool:
    """Return True for an unknown word that, by its suffix, its name or earlier commands, is a file and not a disk."""
    return bool(
        _IMAGE_FILE.search(word.suffix)
        or _IMAGE_NAME.search(word.source)
        or any(other.program == "losetup" for other in context.commands[:40])
    )


#: The verbs of programs that create a file system or a pool, their options, and those of a dry run.
_VERBS: dict[str, tuple[str, Spec, tuple[str, ...]]] = {
    "bcachefs": ("format", Spec("h help L= U= label= fs_label= uuid= block_size= replicas= compression="), ("h",)),
    "zpool": ("create", Spec("f n d B b= o= O= m= R= t= help"), ("n",)),
    "pvcreate": (
        "",
        Spec(
            "f force y yes t test v verbose q quiet h help longhelp version u= uuid= M= metadatatype= Z= zero= config= "
            "devices= devicesfile= profile= commandprofile= lockopt= metadatasize= metadatacopies= pvmetadatacopies= "
            "dataalignment= dataalignmentoffset= bootloaderareasize= labelsector= restorefile= norestorefile "
            "setphysicalvolumesize= reportformat= driverloaded="
        ),
        ("t", "test", "h", "longhelp"),
    ),
}


@FAMILY.judges(*_VERBS)
def formats(command: Command, _: Context) -> Iterator[Finding]:
    """Judge programs that create a file system or a pool with a verb."""
    program = command.program or ""
    verb, spec, dry = _VERBS[program]
    options = parse(command, spec)
    if options.helps or options.has(*dry) or (verb and options.subcommand() != verb):
        return
    if _names_disk(command) or (program == "zpool" and any(_BARE_DISK.match(word.raw) for word in command.args)):
        yield FORMAT.found(command, path=" ".join(command.texts[1:])[:80])


@FAMILY.judges("format", "format.com")
def drives(command: Command, _: Context) -> Iterator[Finding]:
    """Judge formatting drives on Windows."""
    texts = [word.raw for word in command.args]
    drive = next((text for text in texts if not text.startswith("-")), "")
    if re.match(r"[a-zA-Z]:\\?\Z", drive) and not {"--help", "-h", "/?"} & set(texts):
        yield FORMAT.found(command, path=" ".join(command.texts[1:])[:80])


# Overwritten


@FAMILY.judges(">")
def redirects(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse redirections onto a raw disk or the kernel's SysRq trigger."""
    for redirect in command.redirects:
        if redirect.writes:
            yield from _judge_target(redirect.target, command, context)


def _judge_target(word: Word, command: Command, context: Context) -> Iterator[Finding]:
    if (
        disk(word, command)
        or _found_disk(word, command)
        or (word.raw in {f"/dev/{HOLE}", "/dev/{}", "/dev/%"} and _lists_disks(context))
    ):
        yield DISK.found(command, path=word.text)
    elif command.path(word) == "/proc/sysrq-trigger" or _brought_sysrq(word, command):
        # A container shares the machine's trigger, where writing it is allowed.
        there = command.elsewhere and not rules_machine(command)
        yield POWER.found(command, path=word.text, severity="ask" if there else None, contained=there)


def _may_be_found(path: str) -> bool:
    """Return True for a path with which a device search reports disks: one disk, or all if it names none."""
    return disk(path) or path in {"/dev/X", "/dev/block/X", "/dev/disk/X"}


def _found_disk(word: Word, command: Command) -> bool:
    """Return True when find or xargs replaces this word with the name of a disk."""
    return bool(command.wrappers) and any(map(_may_be_found, handed(word, command)))


def _brought_sysrq(word: Word, command: Command) -> bool:
    path = command.path(word) if command.contained else None
    return path is not None and outside_path(path, command) == "/proc/sysrq-trigger"


def _lists_disks(context: Context) -> bool:
    """Return True when a command in the text lists the disks of the machine."""
    return any(
        other.program in {"lsblk", "blkid", "fdisk", "sfdisk", "diskutil"}
        or any(word.raw.startswith(("/sys/block", "/proc/partitions")) for word in other.args[:4])
        or (other.program == "ls" and any(disk(word) for word in other.args[:4]))
        or (other.program in FINDS and any(map(_may_be_found, found_names(other))))
        for other in context.commands[:40]
    )


_DDRESCUE = Spec(
    "a= b= c= e= E= F= H= i= K= m= o= r= s= T= x= Z= size= input-position= output-position= domain-mapfile="
)
_BADBLOCKS = Spec("b= c= d= e= i= o= p= t= n s v w X f B")
_CLONE = Spec("o= O= s= overwrite= output= source=")
_PV = Spec("o= output=")


def _operands(command: Command) -> list[Word]:
    return [word for word in command.args if not word.raw.startswith("-")]


def _last(command: Command) -> list[Word]:
    return _operands(command)[-1:]


def _copied(command: Command) -> list[Word]:
    options = parse(command, COPY if command.program in {"install", "ginstall"} else CP)
    given = options.value("t", "target-directory")
    if given is not None:
        return [given]
    return options.operands[-1:] if len(options.operands) > 1 else []


#: dc3dd and dcfldd write several outputs, and can wipe.
_DD_TARGETS = ("of=", "hof=", "ofs=", "hofs=", "wipe=", "hwipe=", "fhod=")


def _dd(command: Command) -> list[Word]:
    return [word.tail(word.raw.index("=") + 1) for word in command.args if word.raw.startswith(_DD_TARGETS)]


def _badblocks(command: Command) -> list[Word]:
    options = parse(command, _BADBLOCKS)
    return options.operands if options.has("w") else []


def opened_by_socat(command: Command) -> list[Word]:
    """Return the files that socat writes; with `-u` it writes only its second address."""
    words = command.args[-1:] if any(word.raw == "-u" for word in command.args) else command.args
    files: list[Word] = []
    for word in words:
        kind, _, rest = word.raw.partition(":")
        if kind.upper() in {"OPEN", "FILE", "GOPEN", "CREATE"} and "rdonly" not in rest:
            files.append(renamed(rest.split(",", 1)[0], word))
    return files


#: The targets that each program overwrites.
_OVERWRITTEN: dict[str, Callable[[Command], list[Word]]] = {
    **dict.fromkeys(
        ("tee", "gtee", "sponge", "shred", "gshred", "scrub", "nwipe", "wipe", "blkdiscard", "srm"), _operands
    ),
    **dict.fromkeys(("flash_erase", "flash_eraseall", "flashcp", "nandwrite"), _operands),
    **dict.fromkeys(("cp", "gcp", "mv", "gmv", "install", "ginstall"), _copied),
    **dict.fromkeys(("dd", "gdd", "dcfldd", "dc3dd", "sdd", "ddpt", "sg_dd", "sgp_dd", "sgm_dd", "lmdd"), _dd),
    **dict.fromkeys(("bmaptool", "rpi-imager"), _last),
    **dict.fromkeys(
        (
            *("ntfsclone", "partclone.restore", "partclone.dd"),
            *(f"partclone.{kind}" for kind in ("ext2", "ext3", "ext4", "xfs", "btrfs", "ntfs", "fat", "vfat", "f2fs")),
        ),
        lambda command: parse(command, _CLONE).values("O", "overwrite", "o", "output"),
    ),
    **dict.fromkeys(("dd_rescue", "dd_rhelp", "safecopy", "myrescue"), lambda command: _operands(command)[1:2]),
    "ddrescue": lambda command: parse(command, _DDRESCUE).operands[1:2],
    "badblocks": _badblocks,
    "socat": opened_by_socat,
    "pv": lambda command: parse(command, _PV).values("o", "output"),
}


_NOISE = frozenset({"if=/dev/zero", "if=/dev/urandom", "if=/dev/random", "if=/dev/null"})
_ONLY_ERASE = frozenset({"shred", "gshred", "scrub", "nwipe", "wipe", "blkdiscard", "srm"})


@FAMILY.judges(*_OVERWRITTEN)
def overwriters(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that overwrite their targets."""
    if any(word.raw in {"--help", "--version"} for word in command.args):
        return
    erases = command.loop and (command.program in _ONLY_ERASE or any(word.raw in _NOISE for word in command.args))
    if command.program in _ONLY_ERASE and command.wrapped_by("xargs", "parallel") and _lists_disks(context):
        yield DISK.found(command, path="the disks that are listed")
    for word in _OVERWRITTEN[command.program or ""](command):
        if erases and word.raw == HOLE and _lists_disks(context):
            yield DISK.found(command, path=word.text)
        yield from _judge_target(word, command, context)


# Erased

_SGDISK = Spec(
    "a= A= b= c= C d= D e E f= F g G h i= I j= k= l= L m? M n= N= o O p P r= R= s S= t= T= u= U= v V? z Z "
    "clear pretend zap zap-all new= delete= typecode= change-name= partition-guid= disk-guid= help version"
)
_WIPEFS = Spec("a b? f i J n o= O= p q t= all backup? force no-act offset= output= types= quiet help version")
_DISKUTIL = frozenset(
    {"erasedisk", "erasevolume", "zerodisk", "randomdisk", "secureerase", "partitiondisk", "reformat"}
)


def _names_disk(command: Command) -> bool:
    return any(disk(word, command) or _found_disk(word, command) for word in command.args)


def _hdparm(_: Command, options: Options) -> bool:
    return any(name.startswith(("security-erase", "trim-sector")) for name, _ in options.given)


def _cryptsetup(command: Command, options: Options) -> bool:
    verbs = {"luksFormat", "erase", "luksErase", "reencrypt"}
    return any(word.raw in verbs for word in options.operands) and _names_disk(command)


def _qemu_img(command: Command, options: Options) -> bool:
    return options.subcommand() in {"convert", "dd", "create"} and (
        disk(command.args[-1], command)
        or any(word.raw.startswith("of=") and disk(word.raw[3:]) for word in options.operands)
    )


def _parted(command: Command, options: Options) -> bool:
    return any(word.raw in {"mklabel", "mktable"} for word in options.operands) and _names_disk(command)


def _sfdisk(_: Command, options: Options) -> bool:
    return options.has("delete") and len(options.operands) == 1 and not options.has("n", "no-act")


def _gpart(_: Command, options: Options) -> bool:
    return options.subcommand() == "destroy" and options.has("F")


_SCSI: tuple[Spec, Callable[[Command, Options], bool]] = (
    Spec(),
    lambda command, options: _names_disk(command) and not options.has("dry-run", "deviceInfo", "showEraseSupport"),
)
#: When each program erases.
_ERASES: dict[str, tuple[Spec, Callable[[Command, Options], bool]]] = {
    "wipefs": (_WIPEFS, lambda _, options: options.has("a", "all") and not options.has("n", "no-act")),
    "hdparm": (Spec(), _hdparm),
    "sgdisk": (
        _SGDISK,
        lambda _, options: options.has("Z", "z", "o", "zap-all", "zap", "clear") and not options.has("P", "pretend"),
    ),
    "nvme": (Spec(posix=True), lambda _, options: options.subcommand() in {"format", "sanitize"}),
    "diskutil": (Spec(posix=True), lambda _, options: options.subcommand().lower() in _DISKUTIL),
    "cryptsetup": (Spec(), _cryptsetup),
    "qemu-img": (Spec(posix=True), _qemu_img),
    "parted": (Spec("a= s m l f align= script machine list fix"), _parted),
    "sfdisk": (
        Spec("n no-act delete X= label= N= w= W= wipe= wipe-partitions= o= O= q f force quiet no-reread lock?"),
        _sfdisk,
    ),
    "gpart": (Spec(), _gpart),
    **dict.fromkeys(("sg_sanitize", "sg_write_same", "sg_unmap", "openSeaChest_Erase", "SeaChest_Erase"), _SCSI),
    "nwipe": (Spec(), lambda _, options: options.has("autonuke")),
    "sg_format": (Spec(), lambda command, options: options.has("format", "F") and _names_disk(command)),
}


@FAMILY.judges(*_ERASES)
def erasers(command: Command, _: Context) -> Iterator[Finding]:
    """Judge programs that erase a disk with an option or a verb."""
    spec, erases = _ERASES[command.program or ""]
    options = parse(command, spec)
    if not options.has("help") and erases(command, options):
        names = [word.raw for word in command.args if word.raw.startswith(("/dev/", "disk"))]
        file = command.program in _ALSO_FILES and not _may_be_disk(command, options)
        yield DISK.found(command, path=" ".join(names)[:80], severity="ask" if file else None)


_ALSO_FILES = frozenset({"wipefs", "sgdisk", "sfdisk"})


def _may_be_disk(command: Command, options: Options) -> bool:
    return not options.operands or any(
        disk(word, command) or not word.certain or _found_disk(word, command) for word in options.operands
    )
