"""Permissions: files that everybody may write, programs that run as somebody else, owners that change."""

import re
from collections.abc import Iterator

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.family import Context, Family
from hermes_guard.rules.vital import folder
from hermes_guard.rules.writes import BY_NAME, MANY, judged
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

FAMILY = Family("permissions")

WORLD = FAMILY.rule(
    "permissions.world-writable",
    "lets every user write {path}",
    effects=("write", "privileged"),
    match=(
        "chmod 777 f",
        "chmod 0777 f",
        "chmod 666 f",
        "chmod -R 777 .",
        "chmod a+w f",
        "chmod o+w f",
        "chmod ugo+rwx f",
        "chmod u=rwx,o=rwx f",
        "chmod o=u f",
        "chmod --recursive 777 d",
        "chmod f 777",
        "chmod =777 f",
        "chmod go+w f",
        "install -m 777 a b",
        "mkdir -m 0777 d",
        "find . -type d -exec chmod 777 {} +",
        "chmod +a 'everyone allow write' f",
        "umask 000",
        "umask 0",
        "chmod u+x,a+rw f",
        "chmod 1777 d",
    ),
    not_match=(
        "chmod 644 f",
        "chmod 755 f",
        "chmod +x f",
        "chmod u+w f",
        "chmod +w f",
        "chmod -R u+rwX d",
        "chmod g+w f",
        "chmod a-w f",
        "chmod o-w f",
        "chmod a+x f",
        "chmod 777 --help",
        "echo chmod 777 f",
        "umask 022",
        "umask 077",
        "umask",
        "mkdir d",
        "chmod go-rwx f",
        "chmod 600 ~/.ssh/id_rsa",
        "chmod a+r f",
        "chmod --reference=a b",
    ),
)
SETID = FAMILY.rule(
    "permissions.set-id",
    "makes {path} run with the rights of its owner, whoever starts it",
    effects=("privileged",),
    match=(
        "chmod +s f",
        "chmod u+s f",
        "chmod 4755 f",
        "chmod 04755 f",
        "chmod ug+s f",
        "chmod 6755 f",
        "install -m 4755 a b",
        "chmod u=rwxs f",
        "chmod 2755 f",
        "chmod --reference=/bin/su f",
    ),
    not_match=("chmod u-s f", "chmod 755 s", "chmod 0755 f", "chmod 1755 d"),
)
BROAD = FAMILY.rule(
    "permissions.broad",
    "changes owner or rights of everything in {path}",
    effects=("write", "privileged"),
    match=(
        "chmod -R 755 /",
        "chmod -R 700 ~",
        "sudo chown -R me /usr",
        "chmod -R -x /",
        "chown -R a:b /etc",
        "chgrp -R x /var",
        "chmod -R 000 .",
        "chmod 000 f",
        "chown -R www-data /var/www",
        "chmod -R 755 /srv/app",
    ),
    not_match=(
        "chmod -R 755 dist",
        "chown -R me:me .",
        "chown -R me /tmp/x",
        "chown -R me ~/.npm",
        "docker exec c chown -R a /var/www",
        "chmod -R g+rX src",
        "chmod 755 ~",
    ),
)
SYSTEM = FAMILY.rule(
    "permissions.system",
    "changes owner or rights of {path}, on which the machine relies",
    effects=("write", "privileged"),
    match=(
        "chmod 644 /etc/shadow",
        "chown me /etc/passwd",
        "sudo chmod o+r /etc/sudoers",
        "chgrp users /etc/shadow",
        "chmod 000 /etc/passwd",
        "chmod 644 ~/.ssh/id_rsa",
        "chown nobody ~/.ssh/authorized_keys",
    ),
    not_match=(
        "chmod 600 ~/.ssh/id_rsa",
        "chmod 700 ~/.ssh",
        "chmod 400 key.pem",
        "chmod +x /usr/local/bin/tool",
        "ls -l /etc/shadow",
        "chmod 644 README.md",
        "chmod 600 .env",
        "chmod u+x .git/hooks/pre-commit",
    ),
)
ROOT = FAMILY.rule(
    "permissions.root-owner",
    "gives {path} and everything in it to root",
    effects=("write", "privileged"),
    match=(
        "chown -R root d",
        "chown --recursive root:root d",
        "chown -hR 0:0 d",
        "chown root -R d",
        "sudo chown -R :root d",
    ),
    not_match=("chown me f", "chown -R me:staff d", "chown root f", "chown -R $USER d"),
)
ACL = FAMILY.rule(
    "permissions.acl",
    "changes who else may use {path}",
    effects=("write", "privileged"),
    match=(
        "setfacl -m u:nobody:rwx f",
        "setfacl -R -m o::rwx d",
        "setfacl --restore=f",
        "icacls f /grant Everyone:F",
        "takeown /f x",
        "chmod -E f",
    ),
    not_match=("getfacl f", "setfacl --help", "setfacl --test -m u:a:r f", "icacls f"),
)
FLAGS = FAMILY.rule(
    "permissions.file-flags",
    "changes whether {path} can be changed or deleted, or is checked before it runs",
    effects=("write", "privileged"),
    match=(
        "chattr +i f",
        "chattr -R -i /etc",
        "chattr =i f",
        "sudo chattr -a log",
        "chflags schg f",
        "chflags -R noschg d",
        "xattr -d com.apple.quarantine App.app",
        "xattr -cr App.app",
    ),
    not_match=("lsattr f", "chattr +C d", "chflags hidden f", "xattr -l f", "xattr f"),
)

_CHMOD = Spec(
    "R v c f h H L P recursive verbose changes silent quiet reference= preserve-root "
    "no-preserve-root dereference no-dereference help version E C i I N a"
)
_CHOWN = Spec(
    "R v c f h H L P x recursive verbose changes silent quiet reference= from= preserve-root "
    "no-preserve-root dereference no-dereference help version"
)
_OCTAL = re.compile(r"[=+]?0*([0-7]{1,5})\Z")
_CLAUSE = re.compile(r"([ugoa]*)((?:[-+=][rwxXstugo]*)+)\Z")
_ACTION = re.compile(r"([-+=])([rwxXstugo]*)")
#: Places of the machine; folders of services are not among them.
_MACHINE = frozenset(
    f"path.{name}"
    for name in [
        "shadow",
        "accounts",
        "preload",
        "cron",
        "etc",
        "system-program",
        "boot",
        "kernel-module",
        "service",
        "package-database",
        "raw-disk",
        "kernel-memory",
        "root-folder",
        "device",
        "control-socket",
        "proc-write",
        "sys-write",
    ]
)


def loosens(mode: str) -> tuple[bool, bool]:
    """Whether a mode lets everybody write, and whether it sets the user or group at start."""
    octal = _OCTAL.match(mode)
    if octal is not None:
        number = int(octal.group(1), 8)
        return bool(number & 0o002), bool(number & 0o6000)
    world = setid = False
    for clause in mode.split(","):
        found = _CLAUSE.match(clause)
        if found is None:
            continue
        who = found.group(1)
        for sign, rights in _ACTION.findall(found.group(2)):
            if sign == "-":
                continue
            if "s" in rights and who != "o":
                setid = True
            if ("o" in who or "a" in who) and ("w" in rights or (rights in {"u", "g"} and "o" in who)):
                world = True
    return world, setid


def _exposes(mode: str) -> bool:
    """Whether a mode lets others read."""
    octal = _OCTAL.match(mode)
    if octal is not None:
        return bool(int(octal.group(1), 8) & 0o044)
    return any("r" in rights and sign != "-" for sign, rights in _ACTION.findall(mode)) and any(
        who in mode.split("=", maxsplit=1)[0].split("+", maxsplit=1)[0] for who in "goa"
    )


def _is_mode(text: str) -> bool:
    return _OCTAL.match(text) is not None or (
        all(_CLAUSE.match(clause) for clause in text.split(",") if clause) and any(sign in text for sign in "+-=")
    )


def _recursive(options: Options) -> bool:
    return options.has("R", "recursive")


def _names(words: list[Word]) -> str:
    return " ".join(word.text for word in words[:6])[:120]


@FAMILY.judges("chmod", "gchmod")
def chmod(command: Command, context: Context) -> Iterator[Finding]:
    """Modes in numbers and letters."""
    options = parse(command, _CHMOD)
    if options.helps:
        return
    operands = list(options.operands)
    removal = next((word.raw for word in command.args if re.match(r"-[rwxXst]+\Z", word.raw)), "")
    mode = removal
    if not removal and not options.has("reference") and operands:
        # Some write the file first: whichever word is a mode is the mode.
        at = next((number for number, word in enumerate(operands) if _is_mode(word.raw)), 0)
        word = operands.pop(at)
        mode = word.raw
        if mode in {"+a", "=a", "+a#"} or (word.raw.startswith("+a") and " " in word.raw):
            yield WORLD.found(command, path=_names(operands[1:] or operands))
            return
        if HOLE in mode and mode[-1:] in {"2", "3", "6", "7"}:
            mode = mode[-1:]
    names = _names(operands)
    world, setid = loosens(mode)
    model = options.value("reference")
    if model is not None and (command.path(model) or "").startswith(("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/")):
        setid = True
    if world:
        yield WORLD.found(command, path=names)
    if setid:
        yield SETID.found(command, path=names)
    if options.has("E", "C", "i", "I", "N") and not removal:
        yield ACL.found(command, path=names)
    yield from _where(operands, options, command, context, mode)


def _where(operands: list[Word], options: Options, command: Command, context: Context, mode: str) -> Iterator[Finding]:
    if _recursive(options) or _closes(mode):
        for word in operands:
            path = folder(word, command, context) or _far(word, command, context)
            if path or _closes(mode):
                yield BROAD.found(command, path=path or word.text)
                break
    only_runs = bool(re.match(r"(?:[ugoa]*\+x|0?[57]55|0?[57][01]1|0?700)\Z", mode))
    for word in operands[:MANY]:
        for path, finding in judged("write", word, command, context, only=_MACHINE):
            if not (only_runs and finding.rule == "path.search-path"):
                yield SYSTEM.found(command, path=path)
                return
        if mode and _exposes(mode):
            for path, _ in judged("read", word, command, context, ignore=BY_NAME | _NOT_EXPOSED):
                yield SYSTEM.found(command, path=path)
                return


def _far(word: Word, command: Command, context: Context) -> str:
    """A folder outside of the home, of temporary places and of where the work is done."""
    path = command.path(word)
    if path is None or not path.startswith("/") or command.contained:
        return ""
    near = [context.home, "/tmp", "/var/tmp", "/home", "/Users", "/private/tmp", "/workspace", "/workspaces", "/app"]  # noqa: S108 - compared only
    if command.cwd and command.cwd.startswith("/"):
        near.append(command.cwd)
    return "" if any(path == place or path.startswith(place.rstrip("/") + "/") for place in near) else path


_NOT_EXPOSED = frozenset({"path.device", "path.endless-device", "path.history", "path.mail"})


def _closes(mode: str) -> bool:
    octal = _OCTAL.match(mode)
    return octal is not None and not int(octal.group(1), 8) & 0o700


@FAMILY.judges("chown", "gchown", "chgrp", "gchgrp")
def chown(command: Command, context: Context) -> Iterator[Finding]:
    """Owners and groups."""
    options = parse(command, _CHOWN)
    if options.helps:
        return
    operands = list(options.operands)
    owner = operands.pop(0).raw if operands and not options.has("reference") else ""
    names = _names(operands)
    if _recursive(options):
        parts = owner.replace(".", ":").split(":")
        if any(part in {"root", "0", "wheel"} for part in parts):
            yield ROOT.found(command, path=names)
        for word in operands:
            path = folder(word, command, context) or _far(word, command, context)
            if path:
                yield BROAD.found(command, path=path)
                break
    for word in operands[:MANY]:
        for path, _ in judged("write", word, command, context, only=_MACHINE | {"path.ssh-write"}):
            mine = HOLE in owner or context.home.rsplit("/", 1)[-1] in owner
            if not (mine and "/.ssh" in path):
                yield SYSTEM.found(command, path=path)
                return


@FAMILY.judges("install", "ginstall", "mkdir", "gmkdir", "mkfifo")
def made_with_mode(command: Command, _: Context) -> Iterator[Finding]:
    """Files and folders made with a mode."""
    options = parse(command, Spec("m= mode= o= owner= g= group= t= S= suffix= target-directory= p v d D help version"))
    mode = options.value("m", "mode")
    if mode is None or options.helps:
        return
    world, setid = loosens(mode.raw)
    if world:
        yield WORLD.found(command, path=_names(options.operands[-1:]))
    if setid:
        yield SETID.found(command, path=_names(options.operands[-1:]))


@FAMILY.judges("umask")
def umask(command: Command, _: Context) -> Iterator[Finding]:
    """A mask that masks nothing."""
    for word in command.args:
        text = word.raw
        if (re.match(r"0*[0-7]{1,4}\Z", text) and not int(text, 8) & 0o002) or re.match(
            r"(?:.*,)?(?:a|[ug]*o)[=+][rx]*w", text
        ):
            yield WORLD.found(command, path="every new file")
            return


@FAMILY.judges("setfacl", "icacls", "takeown", "cacls")
def acl(command: Command, _: Context) -> Iterator[Finding]:
    """Access control lists."""
    texts = [word.raw.lower() for word in command.args]
    if command.program == "setfacl":
        options = parse(
            command,
            Spec(
                "m= x= M= X= b k d n R L P modify= remove= set= set-file= modify-file= "
                "remove-file= remove-all remove-default "
                "restore= test help version recursive default no-mask mask"
            ),
        )
        if not options.helps and not options.has("test") and options.given:
            yield ACL.found(command, path=_names(options.operands) or "files")
    elif command.program == "takeown" or any(
        text in {"/grant", "/setowner", "/reset", "/g", "/e"} or text.startswith("/grant") for text in texts
    ):
        yield ACL.found(command, path=_names(list(command.args[:1])))


@FAMILY.judges("chattr", "chflags", "xattr", "SetFile")
def flags(command: Command, _: Context) -> Iterator[Finding]:
    """Flags of files that stand above their mode."""
    texts = [word.raw for word in command.args]
    path = texts[-1] if texts else ""
    if command.program == "chattr":
        if any(
            re.match(r"[-+=][A-Za-z]*[iaA-Z]*\Z", text) and re.search(r"[ia]", text[1:]) and text != "-V"
            for text in texts
            if text[:1] in "-+="
        ):
            yield FLAGS.found(command, path=path)
    elif command.program == "chflags":
        if any(
            name
            in {
                "schg",
                "noschg",
                "uchg",
                "nouchg",
                "sappnd",
                "uappnd",
                "nosappnd",
                "nouappnd",
                "restricted",
                "norestricted",
                "simmutable",
                "uimmutable",
            }
            for text in texts
            for name in text.split(",")
        ):
            yield FLAGS.found(command, path=path)
    elif command.program == "xattr":
        packed = "".join(text[1:] for text in texts if text[:1] == "-")
        if "c" in packed or ("d" in packed and any("quarantine" in text or "provenance" in text for text in texts)):
            yield FLAGS.found(command, path=path)
