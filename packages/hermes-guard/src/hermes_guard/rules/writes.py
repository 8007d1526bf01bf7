"""Writes: every way in which a command puts something into a file that others rely on."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.argv.options import parse_words
from hermes_guard.rules.family import Context, Family, Rule
from hermes_guard.rules.hardline import DISK
from hermes_guard.rules.vital import FOLDERS, disk, look
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding, Verdict

FAMILY = Family("writes")

SYSTEM = FAMILY.rule(
    "write.system",
    "writes {path}: {why}",
    effects=("write", "privileged"),
    match=(
        "echo x > /etc/hosts",
        "echo x | sudo tee -a /etc/passwd",
        "cp f /etc/cron.d/",
        "sudo install -m 644 a /etc/a.conf",
        "sed -i s/a/b/ /etc/ssh/sshd_config",
        "dd if=x of=/boot/vmlinuz",
        "tar xf a.tgz -C /etc",
        "tcpdump -w /etc/x",
        "curl -K - <<< 'output = /etc/x'",
        "curl -o /usr/bin/tool https://h/t",
        "echo x > /private/etc/hosts",
        "patch /etc/fstab f.patch",
        "cat > /etc/motd <<E\nx\nE",
        "find /etc -name '*.conf' -exec sed -i s/a/b/ {} +",
        "vim /etc/hosts",
        "ssh h 'echo x >> /etc/hosts'",
        "sort -o /etc/passwd x",
        "echo x >/et''c/passwd",
        "find . -fprint /etc/hosts",
        "csplit -f /etc/cron.d/x f 1",
        "/usr/bin/time -o /etc/hosts ls",
        "python3 -m zipfile -e x.zip /etc",
        "sqlite3 x.db '.output /etc/hosts'",
        "socat OPEN:/etc/passwd,wronly STDIN",
    ),
    not_match=(
        "cat /etc/hosts",
        "cp /etc/hosts .",
        "grep root /etc/passwd > users.txt",
        "echo '> /etc/hosts'",
        "tar tf a.tgz",
        "tar xf a.tgz -C build",
        "sed -n 1p /etc/hosts",
        "sed s/a/b/ /etc/hosts",
        "make 2>&1 | tee build.log",
        "docker exec c sh -c 'echo x > /etc/motd'",
    ),
)
STARTUP = FAMILY.rule(
    "write.startup",
    "writes {path}: {why}",
    effects=("write", "exec"),
    match=(
        "echo x >> ~/.bashrc",
        "sed -i s/a/b/ ~/.zshrc",
        "cp f ~/.profile",
        "perl -pi -e s/a/b/ ~/.bash_profile",
        "ln -sf d ~/.bashrc",
        "tee -a $HOME/.zprofile",
        "cp .bashrc ~/",
        "cd ~ && echo x >> .bashrc",
        "echo x >> $H/.bashrc",
        "echo x >> ~/.bash*",
        "find . -fls ~/.bashrc",
        "script -a ~/.bashrc",
        "/usr/bin/time -ao ~/.bashrc ls",
        "socat - OPEN:/home/dev/.bashrc,append",
        "cp -rT dotfiles ~",
        "cp -a dotfiles/. ~/",
        "rsync -a dotfiles/ ~",
    ),
    not_match=(
        "cat ~/.bashrc",
        "grep alias ~/.zshrc",
        "source ~/.bashrc",
        "cp ~/.bashrc bashrc.txt",
        "diff ~/.bashrc b",
        "find . -fprint out.txt",
        "script -q log.txt",
        "/usr/bin/time -v ls",
        "cp -r dotfiles ~/backup",
        "socat -u OPEN:/home/dev/.bashrc,rdonly -",
    ),
)
SSH = FAMILY.rule(
    "write.ssh",
    "writes {path}: {why}",
    effects=("write", "exec"),
    match=(
        "echo k >> ~/.ssh/authorized_keys",
        "cp id_rsa ~/.ssh/",
        "cat k | tee -a /root/.ssh/authorized_keys",
        "wget -P ~/.ssh https://h/config",
        "cd ~/.ssh && curl -O https://h/authorized_keys",
    ),
    not_match=("cat ~/.ssh/config", "ls ~/.ssh", "cp ~/.ssh/config /tmp/x", "mkdir -p ~/.ssh", "chmod 700 ~/.ssh"),
)
CREDENTIALS = FAMILY.rule(
    "write.credentials",
    "writes {path}: {why}",
    effects=("write",),
    match=(
        "echo x > ~/.netrc",
        "cp f ~/.npmrc",
        "mv f ~/.aws/credentials",
        "sed -i s/a/b/ ~/.pgpass",
        "echo x >> ~/.git-credentials",
        "htpasswd -b .htpasswd u p",
    ),
    not_match=("ls ~/.aws", "openssl genrsa -out server.key 2048", "curl -o repo.pem https://h/repo.pem"),
)
AGENT = FAMILY.rule(
    "write.agent-config",
    "writes {path}: {why}",
    effects=("write", "privileged"),
    match=(
        "echo x > ~/.hermes/config.yaml",
        "cp f ~/.hermes/.env",
        'tee "$HERMES_HOME/config.yaml"',
        "sed -i s/a/b/ ~/.hermes/config.yaml",
        "echo {} > .claude/settings.json",
        "yq -i .a=1 ~/.hermes/config.yaml",
    ),
    not_match=("cat ~/.hermes/config.yaml", "cp ~/.hermes/config.yaml backup.yaml", "echo x > AGENTS.md"),
)
LATER = FAMILY.rule(
    "write.runs-later",
    "writes {path}: {why}",
    effects=("write", "exec"),
    match=(
        "echo x > .git/hooks/pre-commit",
        "cp t /usr/local/bin/",
        "cp evil ~/.local/bin/git",
        "curl -o ~/bin/t https://h/t",
        "echo x > ~/.config/systemd/user/a.service",
        "echo x > .vscode/tasks.json",
    ),
    not_match=(
        "cat .git/hooks/pre-commit",
        "ls .git/hooks",
        "cp t ./bin/",
        "echo x > Makefile",
        "cp tool ~/bin/",
        "ln -s $PWD/tool ~/.local/bin/tool",
    ),
)
PROJECT = FAMILY.rule(
    "write.project-secrets",
    "writes {path}: the settings and secrets of a project are kept there",
    effects=("write",),
    match=(
        "echo A=1 > .env",
        "cp .env.example .env",
        "mv x .env.production",
        "echo x >> deploy/config.yaml",
        "cp a config/config.yaml",
        "sed -i s/a/b/ .env",
        "perl -i.bak -pe s/a/b/ .env.local",
        "cat x > /opt/data/.env",
        'echo x > "$D/.env"',
    ),
    not_match=(
        "cat .env > backup",
        "cp config.yaml backup.yaml",
        "sed -i s/a/b/ /srv/app/config.yaml",
        "sed -i s/a/b/ notes.txt",
        "touch .env",
        "source .env",
        "echo x > .env.example",
        "grep A .env",
    ),
)
DEVICE = FAMILY.rule(
    "write.device",
    "writes {path}: {why}",
    effects=("write", "privileged"),
    match=("cat x > /dev/tcp/10.0.0.1/80", "echo 1 > /sys/class/leds/a/brightness", "mknod /tmp/x b 8 0"),
    not_match=(
        "mknod p p",
        "(echo > /dev/tcp/localhost/5432) && echo open",
        "echo x > /dev/null",
        "echo x >&2",
        "echo x > /dev/stderr",
        "make &> /dev/null",
        "exec 3>&1",
    ),
)
OUTSIDE = FAMILY.rule(
    "write.protected",
    "writes {path}: {why}",
    effects=("write",),
    match=("echo x > /swapfile", "tar xf a.tgz -C /"),
    not_match=("echo x > /tmp/scratch", "echo x > out.txt"),
)
LINK = FAMILY.rule(
    "write.link",
    "makes another name for {path}, so that a later write or read is not seen for what it is",
    effects=("write",),
    match=("ln -s /etc/shadow notes.txt", "ln -sf ~/.ssh/id_rsa key.txt", "ln -s ~/.ssh/authorized_keys x"),
    not_match=("ln -s ../shared shared", "ln -s /usr/bin/python3 python", "ln -s $PWD/dist current"),
)
ARCHIVE = FAMILY.rule(
    "write.archive",
    "unpacks an archive that chooses itself where to write or what to run: {path}",
    effects=("write", "exec"),
    match=(
        "tar xPf a.tar",
        "tar -xf a.tar --absolute-names",
        "tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec=sh",
        "cpio -i --absolute-filenames < a",
        "tar xf a --to-command=sh",
    ),
    not_match=("tar xpf a.tar", "tar czPf a.tgz d", "tar xf a.tar", "cpio -idmv < a"),
)
SETTING = FAMILY.rule(
    "write.system-setting",
    "changes a setting of the whole machine: {program} {path}",
    effects=("write", "privileged"),
    match=(
        "timedatectl set-time 10:00",
        "hostnamectl set-hostname x",
        "date -s 2020-01-01",
        "date --set=now",
        "ldconfig /tmp/x",
        "sudo make install",
        "hwclock -w",
        "debconf-set-selections < f",
        "scutil --set HostName x",
        "nvram boot-args=x",
        "a2ensite x",
        "postconf -e x=y",
        "sudo cmake --install build",
    ),
    not_match=(
        "timedatectl",
        "timedatectl status",
        "hostnamectl",
        "date +%s",
        "date -d tomorrow",
        "ldconfig -p",
        "make install",
        "make test",
        "scutil --get HostName",
        "sudo make -n install",
        "date --date=now",
        "nvram -p",
    ),
)
RC_TOOL = FAMILY.rule(
    "write.startup-tool",
    "lets {program} rewrite the start-up files of the shell",
    effects=("write", "exec"),
    match=(
        "conda init bash",
        "pipx ensurepath",
        "pnpm setup",
        "chezmoi apply",
        "micromamba shell init -s bash",
        "terraform -install-autocomplete",
        "uv tool update-shell",
        "stow -t ~ dotfiles",
    ),
    not_match=(
        "conda env list",
        "starship init bash",
        "conda init --dry-run",
        "chezmoi diff",
        "pipx list",
        "eval $(zoxide init bash)",
        "conda activate x",
        "stow -n -t ~ dotfiles",
        "stow --simulate vim",
    ),
)
LOGIN = FAMILY.rule(
    "write.login",
    "changes stored logins or keys: {program} {path}",
    effects=("write",),
    match=(
        "aws configure set aws_access_key_id x",
        "gpg --delete-secret-keys x",
        "ssh-copy-id u@h",
        "kubectl config set-credentials x --token=y",
        "gh auth logout",
        "npm config set //registry.npmjs.org/:_authToken x",
        "security add-generic-password -a a -s s -w p",
        "git credential approve < f",
        "secret-tool store --label=x a b",
        "keytool -importcert -cacerts -file ca.crt",
        "gcloud auth revoke",
        "gh ssh-key add k.pub",
        "pass rm mail",
        "ssh-add -D",
        "aws configure import --csv f",
    ),
    not_match=(
        "aws configure list",
        "aws configure set region eu-west-1",
        "gpg --list-keys",
        "kubectl config use-context x",
        "gh auth status",
        "gpg --verify f",
        "ssh-add -l",
        "keytool -list",
        "gcloud auth list",
        "ssh-add ~/.ssh/id_ed25519",
        "kubectl config view",
    ),
)
UNKNOWN_PATCH = FAMILY.rule(
    "write.patch",
    "patches files of the machine: {path}",
    effects=("write",),
    match=("patch -d / -p0 < x.patch", "patch -p1 <<E\n--- a/etc\n+++ /etc/passwd\nE"),
    not_match=("patch -p1 < x.patch", "patch --dry-run -d / -p0 < x.patch", "patch -p1 <<E\n--- a/x\n+++ b/x\nE"),
)

#: The rule of commands for each rule of paths.
_KINDS: dict[str, Rule] = {
    **dict.fromkeys(
        [
            "shadow",
            "accounts",
            "preload",
            "cron",
            "etc",
            "system-program",
            "system-state",
            "package-database",
            "boot",
            "kernel-module",
            "mail",
            "kernel-memory",
            "sysrq",
            "cgroup-escape",
            "proc-write",
            "sys-write",
        ],
        SYSTEM,
    ),
    **dict.fromkeys(["shell-startup", "session-startup", "program-startup", "python-startup"], STARTUP),
    "ssh-write": SSH,
    **dict.fromkeys(
        [
            "gpg",
            "cloud-credentials",
            "registry-credentials",
            "tool-credentials",
            "keyring",
            "browser",
            "wallet",
            "private-key",
            "secret-file",
            "infrastructure-state",
            "history",
        ],
        CREDENTIALS,
    ),
    **dict.fromkeys(["hermes-config", "agent-config", "hermes-secret", "agent-secret"], AGENT),
    **dict.fromkeys(
        [
            "git-hook",
            "git-config",
            "git-internals",
            "editor-task",
            "search-path",
            "package-hook",
            "user-application",
            "service",
        ],
        LATER,
    ),
    "dotenv": PROJECT,
    **dict.fromkeys(
        ["raw-disk", "device", "network-device", "control-socket", "fifo", "socket", "proc-write", "sys-write"], DEVICE
    ),
}
#: Rules of paths that know a secret by its name alone, wherever it lies.
BY_NAME = frozenset({"path.dotenv", "path.private-key", "path.secret-file", "path.infrastructure-state"})
#: Somebody else's home is not ours to judge: permissions are.
_NEVER = frozenset({"path.other-home", "path.outside-workspace"})
_KEYS = frozenset({"path.private-key"})
#: What an unknown folder is tried as the home for.
_HOME_RULES = frozenset(
    f"path.{name}"
    for name in [
        "shell-startup",
        "session-startup",
        "ssh-write",
        "tool-credentials",
        "cloud-credentials",
        "registry-credentials",
        "hermes-config",
        "agent-config",
    ]
)
#: What is grave on another machine too, where services have their own folders.
_REMOTE_RULES = frozenset(
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
        "shell-startup",
        "ssh-write",
        "hermes-config",
    ]
)
#: Where even a new folder or an empty file matters.
_ROOT_RULES = frozenset(
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
        "root-folder",
    ]
)
_LINKED_RULES = frozenset(
    f"path.{name}"
    for name in [
        "shadow",
        "accounts",
        "preload",
        "cron",
        "shell-startup",
        "ssh-write",
        "raw-disk",
        "kernel-memory",
        "sysrq",
        "hermes-config",
        "boot",
        "git-hook",
    ]
)
#: More words of one command are not looked at one by one: judging stays fast, and the command is asked about.
MANY = 100
_HARMLESS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/full", "/dev/stdin"})
#: Whether a port of this machine answers.
_PORT_HERE = re.compile(r"/dev/(?:tcp|udp)/(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1)/")
_HERMES = re.compile(r"[\"']?\$\{?HERMES_HOME\b")
_PRIVATE = re.compile(r"/private/(?:etc|var|tmp|home)/(?!folders/)", re.IGNORECASE)
_MAKES_KEYS = frozenset(
    [
        "openssl",
        "ssh-keygen",
        "age-keygen",
        "wg",
        "mkcert",
        "step",
        "certtool",
        "keytool",
        "cfssl",
        "cfssljson",
        "easyrsa",
        "certbot",
        "gpg",
        "minisign",
    ]
)


# Paths


def places(word: Word, command: Command, context: Context) -> list[tuple[str, bool]]:
    """The paths that a word may name; the flag says that the folder is only a guess."""
    raw = word.raw
    if not raw or word.process:
        return []
    if raw == "{}" and command.wrapped_by("find"):
        return [(path, False) for path in _found(command)]
    if HOLE not in raw:
        path = command.path(word)
        if path is not None:
            return [(path, False)]
        path = posixpath.normpath(raw)
        return [(path, False), (f"{context.home}/{path}", True)]
    if not raw.strip(HOLE):
        return []
    text = raw.replace(HOLE, "X")
    if raw[0] != HOLE:
        path = command.path(text)
        return [(path if path is not None else posixpath.normpath(text), False)]
    found = [(posixpath.normpath(text), False)]
    if _HERMES.match(word.source):
        return [(posixpath.normpath(f"{context.home}/.hermes{text[1:]}"), False)]
    if raw[1:2] == "/":
        found.append((f"{context.home}{text[1:]}", True))
    return found


def _found(command: Command) -> list[str]:
    """What the find around a command finds, as far as its words say."""
    for wrapper in command.wrappers:
        if wrapper.program == "find":
            return found_names(wrapper.argv[1:], command)
    return []


def found_names(words: "tuple[str, ...]", command: Command) -> list[str]:
    """The names that the words of a find stand for."""
    starts: list[str] = []
    names: list[str] = []
    for number, text in enumerate(words):
        if text in {"-name", "-iname", "-path", "-ipath", "-wholename"} and number + 1 < len(words):
            names.append(words[number + 1].lstrip("*/") if "path" in text or "whole" in text else words[number + 1])
    for text in words:
        if text[:1] in {"-", "(", "!"} and text not in {"-H", "-L", "-P"}:
            break
        if text[:1] != "-":
            starts.append(text)
    found: list[str] = []
    for start in starts[:8] or ["."]:
        folder = command.path(start) or start
        found.extend(f"{folder.rstrip('/')}/{name}" for name in (names[:8] or ["X"]))
    return found


def outside_path(path: str, command: Command) -> str | None:
    """The path on this machine: a container's own files are nobody's loss, its mounts are."""
    if not command.contained:
        return path
    for wrapper in command.wrappers:
        for outside, inside in wrapper.mounts:
            if (
                inside
                and outside[:1] in {"/", "~", "."}
                and (path == inside or path.startswith(inside.rstrip("/") + "/") or inside == "/")
            ):
                return posixpath.normpath(outside + "/" + path[len(inside.rstrip("/")) :])
    return None


def judged(
    op: Literal["read", "write"],
    word: Word,
    command: Command,
    context: Context,
    *,
    ignore: frozenset[str] = frozenset(),
    only: frozenset[str] | None = None,
) -> Iterator[tuple[str, Finding]]:
    """What the policy of paths says about every path that a word may name."""
    for path, guess in places(word, command, context):
        if path in _HARMLESS or _PORT_HERE.match(path):
            continue
        outside = outside_path(path, command)
        if outside is None:
            continue
        verdict = look(op, outside, context) if outside[:1] == "/" else _relative(op, outside, context.home)
        for finding in verdict.findings:
            rule = finding.rule
            if (
                rule in _NEVER
                or rule in ignore
                or (only is not None and rule not in only)
                or (guess and rule not in _HOME_RULES)
            ):
                continue
            yield outside, finding


@lru_cache(maxsize=2048)
def _relative(op: Literal["read", "write"], path: str, home: str) -> Verdict:
    """What the policy says about a relative path, for which nothing on the disk is looked at."""
    from hermes_guard.paths import judge_path

    return judge_path(op, path, home=home)


def _writes(
    words: Iterable[Word | None],
    command: Command,
    context: Context,
    *,
    ignore: frozenset[str] = frozenset(),
    only: frozenset[str] | None = None,
    config: bool = False,
    raw: bool = True,
) -> Iterator[Finding]:
    """Findings about written words, each rule once. `raw` is False when a disk would not be overwritten."""
    seen: set[str] = set()
    named = list(words)
    if len(named) > MANY:
        yield OUTSIDE.found(command, path=f"{len(named)} files", why="there are more of them than can be looked at")
    for word in named[:MANY]:
        if word is None:
            continue
        if raw and only is None and word.raw and not word.process and disk(word, command):
            yield DISK.found(command, path=word.text)
        for path, finding in judged("write", word, command, context, ignore=ignore, only=only):
            rule = _KINDS.get(finding.rule.removeprefix("path."), OUTSIDE)
            if rule.id not in seen:
                seen.add(rule.id)
                yield rule.found(command, path=path, why=finding.reason[:1].lower() + finding.reason[1:].rstrip("."))
        if not seen and only is None and _PRIVATE.match(word.raw):
            yield SYSTEM.found(command, path=word.raw, why="it is part of the machine")
            return
        if config and not seen and word.raw.rsplit("/", 1)[-1] == "config.yaml" and not command.contained:
            seen.add(PROJECT.id)
            yield PROJECT.found(command, path=word.text)


def _below(folder: Word, name: str) -> Word:
    return Word(f"{folder.raw.rstrip('/') or '/'}/{name}", folder.source, folder.span, folder.glob)


def _local(name: str, word: Word) -> Word:
    return Word(name, word.source, word.span)


# Redirections and what writes its input


@FAMILY.judges("*")
def redirects(command: Command, context: Context) -> Iterator[Finding]:
    """Redirections of any command."""
    if command.redirects:
        targets = [redirect.target for redirect in command.redirects if redirect.writes]
        if targets:
            ignore = _KEYS if command.program in _MAKES_KEYS else frozenset()
            yield from _writes(targets, command, context, ignore=ignore, config=True)


_PLAIN = Spec("a i p s r E append ignore-interrupts output-error? quiet help version")
_SIZED = Spec("s= c o r= l= n x m= d p z size= reference= length= offset= mode= no-create help version")


@FAMILY.judges("tee", "gtee", "sponge", "truncate", "gtruncate", "fallocate", "mkfifo", "mknod", "ed", "red")
def operands(command: Command, context: Context) -> Iterator[Finding]:
    """Programs that write every file they are given."""
    program = command.program or ""
    options = parse(command, _SIZED if program in {"truncate", "gtruncate", "fallocate", "mkfifo", "mknod"} else _PLAIN)
    if not options.helps:
        yield from _writes(
            options.operands,
            command,
            context,
            config=program in {"tee", "gtee", "sponge"},
            raw=program not in {"mkfifo", "mknod", "ed", "red"},
        )
    if command.program in {"ed", "red"} and command.stdin is not None and command.stdin.text:
        names = re.findall(r"^(?:\d+,(?:\d+|\$))?[wW]q?[ \t]+(\S+)", command.stdin.text, re.MULTILINE)
        yield from _writes([_local(name, command.argv[0]) for name in names[:8]], command, context)


@FAMILY.judges("htpasswd", "htdigest")
def htpasswd(command: Command, context: Context) -> Iterator[Finding]:
    """Passwords of a web server; `-n` only prints, and `-v` only checks."""
    options = parse(command, Spec("c i m B 2 5 d s p b n v C= r= D"))
    if not options.has("n", "v"):
        yield from _writes(options.operands[:1], command, context)


@FAMILY.judges("touch", "gtouch", "mkdir", "gmkdir")
def creates(command: Command, context: Context) -> Iterator[Finding]:
    """Empty files and folders matter only where the machine looks for them."""
    options = parse(
        command,
        Spec(
            "p v m= Z? a c d= f h r= t= parents verbose mode= date= time= reference= "
            "no-create no-dereference help version"
        ),
    )
    if options.helps:
        return
    if command.program in {"mkdir", "gmkdir"}:
        yield from _writes(options.operands, command, context, only=_ROOT_RULES)
    else:
        yield from _writes(options.operands, command, context, ignore=BY_NAME | {"path.search-path"}, raw=False)


# Copies

_COPY = Spec(
    "a b c d f i l L n P p R r s S= t= T u v x Z? H C D g= m= o= archive backup? force "
    "interactive link dereference no-clobber no-dereference "
    "preserve? no-preserve= parents recursive reflink? remove-destination sparse= strip-trailing-slashes "
    "symbolic-link suffix= "
    "target-directory= no-target-directory update? verbose one-file-system help version "
    "group= mode= owner= directory compare "
    "strip strip-program= preserve-timestamps attributes-only copy-contents exchange no-copy debug"
)
_CP = Spec(" ".join(f"{name}{kind}" for name, kind in _COPY.kinds.items() if name not in {"g", "m", "o"}) + " g m o")


@FAMILY.judges("cp", "gcp", "mv", "gmv", "install", "ginstall", "ditto", "pcp", "ucp")
def copies(command: Command, context: Context) -> Iterator[Finding]:
    """The last operand is the destination, unless an option names it."""
    program = (command.program or "").removeprefix("g")
    options = parse(command, _COPY if program == "install" else _CP)
    if options.helps:
        return
    if program == "install" and options.has("d", "directory"):
        yield from _writes(options.operands, command, context, only=_ROOT_RULES)
        return
    sources, targets = destination(options, command, context)
    if targets and command.path(targets[0]) == context.home and not command.elsewhere:
        whole = options.has("T", "no-target-directory") or any(word.raw.endswith("/.") for word in sources)
        if whole and options.has("r", "R", "a", "recursive", "archive"):
            yield STARTUP.found(command, path=context.home, why="its hidden files start with every shell")
    yield from _writes(
        targets[:1], command, context, config=True, ignore=_own_tools(sources, targets, command, context)
    )
    yield from _writes(targets[1:], command, context, ignore=BY_NAME | _own_tools(sources, targets, command, context))
    if program in {"cp", "mv"} and targets and _SERVED.search(targets[0].raw):
        for word in sources:
            for path, _ in judged("read", word, command, context, ignore=READ_IGNORED - {"path.dotenv"}):
                yield OUTSIDE.found(command, path=f"{path} to {targets[0].text}", why="everybody can fetch it there")
    if program == "mv":
        yield from _writes(sources, command, context, ignore=BY_NAME | {"path.search-path"}, raw=False)


_SERVED = re.compile(
    r"/var/www\b|/srv/http\b|/usr/share/nginx|public_html\b|/htdocs\b|(?:^|/)(?:public|www|wwwroot)(?:/|\Z)"
)
#: Names that people type without a path: whoever plants one is run in its place.
_KNOWN_TOOLS = (
    "git ls cat cd sudo su ssh scp sftp rsync bash sh zsh fish python python3 pip pip3 "
    "node npm npx yarn pnpm curl wget docker kubectl helm make gcc cc clang go cargo "
    "rustc java mvn gradle vim vi nano less more grep find sed awk tar gzip cp mv rm "
    "chmod chown ps kill top systemctl crontab gpg pass op aws gcloud az terraform "
    "ansible psql mysql redis-cli tmux screen man env which whoami id login passwd hermes "
    "claude codex code brew apt apt-get dnf yum open xdg-open date uname"
)


def _own_tools(sources: list[Word], targets: list[Word], command: Command, context: Context) -> frozenset[str]:
    """A tool of one's own may go into the home's search path, unless it takes the name of another."""
    if not targets:
        return frozenset()
    path = command.path(targets[0]) or ""
    names = {posixpath.basename(word.raw.rstrip("/")) for word in [*sources, targets[0]]}
    if not path.startswith(f"{context.home}/") or names.intersection(_KNOWN_TOOLS.split()):
        return frozenset()
    return frozenset({"path.search-path"})


def destination(options: Options, command: Command, context: Context) -> tuple[list[Word], list[Word]]:
    """The sources, and the targets: the destination first, then the names below it when it is a folder."""
    operands = options.operands
    folder = options.value("t", "target-directory")
    if folder is None:
        if len(operands) < 2:
            if operands and command.wrapped_by("xargs", "find", "parallel", "fd"):
                return [], [operands[-1]]
            return operands, []
        sources, folder = operands[:-1], operands[-1]
        if not _is_folder(folder, command, context) and len(sources) == 1:
            return sources, [folder]
    else:
        sources = operands
    names = [posixpath.basename(word.raw.rstrip("/")) for word in sources]
    return sources, [folder, *(_below(folder, name) for name in names if name not in {"", ".", ".."})]


def _is_folder(word: Word, command: Command, context: Context) -> bool:
    raw = word.raw
    if raw.endswith(("/", "/.")) or raw in {".", ".."}:
        return True
    path = command.path(word)
    return path is not None and (path == context.home or path in FOLDERS)


_LN = Spec(
    "b d F f i L n P r s S= t= T v h backup? directory force interactive logical no-dereference "
    "physical relative symbolic suffix= "
    "target-directory= no-target-directory verbose help version"
)


@FAMILY.judges("ln", "gln", "link")
def links(command: Command, context: Context) -> Iterator[Finding]:
    """A link at a protected name, or one that leads to a protected place."""
    options = parse(command, _LN)
    if options.helps or not options.operands:
        return
    sources, targets = destination(options, command, context)
    if not targets:
        sources = options.operands
        targets = [_local(posixpath.basename(word.raw.rstrip("/")), word) for word in sources]
    ignore = BY_NAME | _own_tools(sources, targets, command, context)
    yield from _writes(targets, command, context, ignore=ignore, raw=False)
    for word in sources:
        for path, _ in judged("write", word, command, context, only=_LINKED_RULES):
            yield LINK.found(command, path=path)
            return
        for path, _ in judged("read", word, command, context, ignore=READ_IGNORED | BY_NAME):
            yield LINK.found(command, path=path)
            return


#: Reads that the policy asks file tools about, but that commands do all day.
READ_IGNORED = frozenset(
    {
        "path.dotenv",
        "path.endless-device",
        "path.device",
        "path.fifo",
        "path.socket",
        "path.too-long",
        "path.infrastructure-state",
        "path.malformed",
        "path.empty",
        "path.unresolved",
    }
)

REMOTE = re.compile(r"(?:(?:rsync|scp|sftp)://[^/]*|(?:[^/:\s]+@)?(?:\[[^\]]*\]|[^/:\s]+)::?)(?!//)(.*)\Z", re.DOTALL)
RSYNC = Spec(
    "a v r n z P h H A X S x u c i l L k K p t g o D q 0 4 6 b m R W d C I O J N U s "
    "e= rsh= f= filter= exclude= exclude-from= include= "
    "include-from= files-from= T= temp-dir= B= M= max-size= min-size= bwlimit= port= "
    "password-file= log-file= rsync-path= "
    "link-dest= compare-dest= copy-dest= backup-dir= suffix= chmod= chown= usermap= "
    "groupmap= timeout= contimeout= partial-dir= progress "
    "info= debug= out-format= archive verbose recursive compress dry-run help version "
    "stats human-readable list-only delete "
    "delete-after delete-before delete-during delete-excluded remove-source-files ignore-existing "
    "partial update existing checksum "
    "size-only times perms links copy-links safe-links numeric-ids iconv= compress-level= "
    "skip-compress= modify-window= write-batch= "
    "read-batch= only-write-batch= checksum-choice= compress-choice= protocol= sockopts= address= no-motd"
)
SCP = Spec("1 2 3 4 6 A B C p q r v O R s T c= D= F= i= J= l= o= P= S= X=")


@FAMILY.judges("rsync", "scp", "pscp", "sftp")
def transfers(command: Command, context: Context) -> Iterator[Finding]:
    """Copies from or to another machine."""
    options = parse(command, RSYNC if command.program == "rsync" else SCP)
    if options.helps or (command.program == "rsync" and options.has("n", "dry-run", "list-only")):
        return
    yield from _writes([options.value("log-file"), options.value("backup-dir")], command, context)
    if len(options.operands) < 2:
        return
    *sources, target = options.operands
    remote = REMOTE.match(target.raw)
    if remote is not None:
        start = remote.start(1)
        there = target.tail(start)
        if there.raw and there.raw[0] not in "/~":
            there = _local(f"{context.home}/{there.raw}", target)
        yield from _writes([there], command, context, only=_REMOTE_RULES)
        return
    names = [posixpath.basename(word.raw) for word in sources]
    if command.path(target) == context.home and any(word.raw.endswith("/") for word in sources):
        yield STARTUP.found(command, path=context.home, why="its hidden files start with every shell")
    yield from _writes([target], command, context)
    if _is_folder(target, command, context):
        yield from _writes([_below(target, name) for name in names if name], command, context, ignore=BY_NAME)


# Edits in place

SED = Spec(
    "n e= E f= i? I? l= r s u z a b quiet silent expression= file= in-place? line-length= "
    "posix regexp-extended separate sandbox "
    "follow-symlinks debug null-data unbuffered help version"
)
_SED_WRITE = re.compile(r"(?:^|[;{}\n]|\d|[/$,|#@!]\w{0,3})[ \t]*[wW][ \t]+([^\s;}]+)")


@FAMILY.judges("sed", "gsed", "ssed")
def sed(command: Command, context: Context) -> Iterator[Finding]:
    """In-place edits, and the files that a script writes."""
    options = parse(command, SED)
    if options.helps:
        return
    scripts = options.values("e", "expression")
    files = options.operands
    if not scripts and not options.has("f", "file"):
        if files and files[0].raw == "":
            files = files[1:]
        scripts, files = files[:1], files[1:]
    if options.has("i", "I", "in-place"):
        yield from _writes(files, command, context)
        if command.wrapped_by("xargs"):
            yield from _writes(piped_names(command), command, context)
    for script in scripts:
        if "w" in script.raw or "W" in script.raw:
            names = _SED_WRITE.findall(script.raw)
            yield from _writes([_local(name, script) for name in names[:8]], command, context)


def piped_names(command: Command) -> list[Word]:
    """The names that a command before this one prints, as far as its words say."""
    if command.stdin is None:
        return []
    found: list[Word] = []
    for source in command.stdin.commands:
        texts = tuple(word.raw for word in source.args)
        if source.program in {"find", "gfind", "bfs"}:
            found.extend(_local(name, source.argv[0]) for name in found_names(texts, source))
        elif source.program in {"grep", "rg", "egrep", "locate", "mlocate", "plocate", "fd", "fdfind"}:
            names = [word for word in source.args if not word.raw.startswith("-")]
            found.extend(names if "locate" in source.program else names[1:])
        elif source.program in {"ls", "echo", "printf", "cat"}:
            found.extend(word for word in source.args if not word.raw.startswith("-"))
    return found[:16]


_PERL = Spec("e= E= i? n p a l? 0? F= I= M? m? w W c s S T t u U v V? x? C? d? D? f X h", posix=True)
_RUBY = Spec("e= i? n p a l 0? F= I= r= w W? c s S T? v x? C= d K? E= h verbose version help", posix=True)


@FAMILY.judges("perl", "ruby")
def one_liners(command: Command, context: Context) -> Iterator[Finding]:
    """Edits in place by perl and ruby."""
    options = parse(command, _PERL if command.program == "perl" else _RUBY)
    if options.has("i"):
        files = options.operands if options.has("e", "E") else options.operands[1:]
        yield from _writes(files, command, context)
        if command.wrapped_by("xargs"):
            yield from _writes(piped_names(command), command, context)


@FAMILY.judges("awk", "gawk", "mawk", "nawk")
def awk(command: Command, context: Context) -> Iterator[Finding]:
    """Edits in place by gawk."""
    options = parse(
        command, Spec("F= v= f= i= e= E= l= include= file= assign= field-separator= source= load=", posix=True)
    )
    if any(word.raw.startswith("inplace") for word in options.values("i", "include")):
        files = options.operands if options.has("f", "file", "e", "source") else options.operands[1:]
        yield from _writes(files, command, context)


_VIM = Spec(
    "c= S= u= U= i= s w= W= T= t= q= e E n N R Z A b d D g h H l L M m o? O? p? r? v "
    "V? x X y C es Es cmd= servername= remote clean noplugin "
    "not-a-term help version headless startuptime= remote-send= remote-expr= listen= embed api-info"
)
_VIM_WRITE = re.compile(
    r"(?:^|\||:)[ \t]*(?:silent!?[ \t]+)?(?:w|write|sav|saveas|up|update|wq|x)!?[ \t]+(?!!)([^\s|]+)"
)
_VIM_SHELL = re.compile(
    r"(?:^|\||:)[ \t]*(?:silent!?[ \t]+)?(?:%|\d*r[ \t]*|w[ \t]+|ter(?:minal)?[ \t]*)?!(.+)\Z", re.DOTALL
)


@FAMILY.judges("vi", "vim", "nvim", "ex", "gvim", "elvis", "nvi", "vim.basic", "vim.tiny", "rvim")
def vim(command: Command, context: Context) -> Iterator[Finding]:
    """Editors write what they open, and obey commands."""
    options = parse(command, _VIM)
    if options.helps or options.has("R", "M"):
        return
    files = [word for word in options.operands if not word.raw.startswith("+")]
    yield from _writes(files, command, context, ignore=BY_NAME, raw=False)
    orders = options.values("c", "cmd") + [word.tail(1) for word in options.operands if word.raw.startswith("+")]
    for order in orders:
        names = _VIM_WRITE.findall(order.raw)
        yield from _writes([_local(name, order) for name in names[:8]], command, context)
        shell = _VIM_SHELL.search(order.raw)
        if shell is not None:
            yield from context.judge_code(shell.group(1), command)


@FAMILY.judges(
    "nano",
    "pico",
    "emacs",
    "micro",
    "joe",
    "mcedit",
    "sudoedit",
    "kate",
    "gedit",
    "helix",
    "hx",
    "jed",
    "ne",
    "vise",
    "crudini",
    "PlistBuddy",
    "augtool",
    "dos2unix",
    "unix2dos",
    "rename",
    "ansible-vault",
)
def editors(command: Command, context: Context) -> Iterator[Finding]:
    """Programs that edit the files they are given."""
    options = parse(command, Spec("v view c= help version set del get merge eval= f= l= batch R"))
    if options.helps or options.has("v", "view", "R") or (command.program == "crudini" and options.has("get")):
        return
    yield from _writes(options.operands, command, context, ignore=BY_NAME, raw=False)


@FAMILY.judges("sudo")
def sudoedit(command: Command, context: Context) -> Iterator[Finding]:
    """`sudo -e` edits."""
    options = parse(command, Spec("e edit u= g= n A S H E b k i s p= h= C= user= group= prompt=", posix=True))
    if options.has("e", "edit"):
        yield from _writes(options.operands, command, context)


@FAMILY.judges(
    "yq", "jaq", "toml", "dasel", "gojq", "xmlstarlet", "rpl", "sd", "ruplacer", "replace", "prettier", "black", "gofmt"
)
def in_place(command: Command, context: Context) -> Iterator[Finding]:
    """Further programs that change files in place."""
    options = parse(command, Spec("i inplace in-place w write e= s= r p= n arg= help version L edit f="))
    changes = command.program in {"sd", "rpl", "replace", "black"} or options.has(
        "i", "inplace", "in-place", "w", "write", "L"
    )
    if changes and not options.helps:
        yield from _writes(
            options.operands[1:] if command.program in {"yq", "sd", "rpl"} else options.operands, command, context
        )


# Archives and patches

TAR = Spec(
    "x c t r u A d f= C= v z j J Z P p k O m h T= X= I= b= g= K= L= N= V= W w S s= o i l n B M G F= H= U a R "
    "directory= file= extract get create list append update concatenate diff compare "
    "delete absolute-names strip-components= transform= xform= "
    "exclude= exclude-from= files-from= to-command= checkpoint-action= checkpoint? use-compress-program= "
    "one-top-level? to-stdout "
    "info-script= new-volume-script= rsh-command= rmt-command= gzip bzip2 xz zstd verbose "
    "preserve-permissions same-owner no-same-owner "
    "overwrite keep-old-files owner= group= mode= mtime= sort= wildcards remove-files dereference help version "
    "totals exclude-vcs auto-compress show-transformed-names force-local occurrence? "
    "recursive-unlink unlink-first anchored",
    bundle=True,
)


@FAMILY.judges("tar", "gtar", "bsdtar", "star")
def tar(command: Command, context: Context) -> Iterator[Finding]:
    """Where an archive is unpacked, where it is written, and what runs meanwhile."""
    options = parse(command, TAR)
    if options.helps:
        return
    runs = options.values("to-command", "info-script", "new-volume-script", "rsh-command", "rmt-command", "F")
    runs += [word.tail(5) for word in options.values("checkpoint-action") if word.raw.startswith("exec=")]
    runs += [
        word
        for word in options.values("I", "use-compress-program")
        if re.match(r"\S*(?:sh|python\d?|perl|ruby|node)(?:\s|$)", word.raw)
    ]
    for word in runs:
        yield ARCHIVE.found(command, path=word.text)
        yield from context.judge_code(word.raw, command)
    if options.has("x", "extract", "get"):
        folders = options.values("C", "directory") + [
            word.tail(2) for word in command.args if word.raw.startswith("-C") and len(word.raw) > 2
        ]
        yield from _unpacked(folders, options.operands, command, context)
        if options.has("P", "absolute-names"):
            yield ARCHIVE.found(command, path=str(options.value("f", "file") or "its input"))
    elif options.has("c", "r", "u", "A", "create", "append", "update"):
        yield from _writes([options.value("f", "file")], command, context)


def _unpacked(folders: list[Word], members: list[Word], command: Command, context: Context) -> Iterator[Finding]:
    yield from _writes(folders, command, context, ignore=BY_NAME)
    base = folders[-1] if folders else None
    if base is None:
        if command.cwd and command.cwd != ".":
            yield from _writes([_local(command.cwd, command.argv[0])], command, context, ignore=BY_NAME)
        named = members
    else:
        named = [_below(base, word.raw) for word in members]
    yield from _writes(named, command, context, ignore=BY_NAME)


@FAMILY.judges("unzip", "7z", "7za", "7zr", "7zz", "unrar", "bsdunzip", "unar", "jar", "ditto", "unsquashfs")
def unzip(command: Command, context: Context) -> Iterator[Finding]:
    """Other archives, with their ways to name a folder."""
    texts = [word.raw for word in command.args]
    folders: list[Word] = []
    for number, word in enumerate(command.args):
        if (
            (word.raw in {"-d", "-o", "-C"} or re.match(r"-[a-zA-Z]{1,8}d\Z", word.raw))
            and command.program not in {"7z", "7za", "7zr", "7zz"}
            and number + 1 < len(texts)
        ):
            folders.append(command.args[number + 1])
        elif (word.raw.startswith("-o") and (command.program or "").startswith("7z")) or (
            word.raw.startswith("-d") and len(word.raw) > 2
        ):
            folders.append(word.tail(2))
    if command.program == "unzip" and any(re.match(r"-[A-Za-z]*[ltZzv]", text) for text in texts):
        return
    folders = [word for word in folders if "/" in word.raw or word.raw in {"~", ".."}]
    yield from _writes(folders, command, context, ignore=BY_NAME)


@FAMILY.judges("cpio", "pax")
def cpio(command: Command, context: Context) -> Iterator[Finding]:
    """Copies in, and copies through."""
    options = parse(
        command,
        Spec(
            "i o p r w d m u v t c a A B C= D= E= F= H= I= L M= O= R= V f n k s= absolute-filenames "
            "no-absolute-filenames directory= extract create "
            "pass-through list make-directories help version"
        ),
    )
    if options.helps or options.has("t", "list"):
        return
    if options.has("absolute-filenames"):
        yield ARCHIVE.found(command, path="absolute names")
    words = [options.value("D", "directory"), options.value("O")]
    if options.has("p", "pass-through") or (command.program == "pax" and options.has("r") and options.has("w")):
        words += options.operands[-1:]
    yield from _writes(words, command, context)
    if options.has("i", "extract", "r") and command.cwd and command.cwd != ".":
        yield from _writes([_local(command.cwd, command.argv[0])], command, context)


_PATCH = Spec(
    "b c C d= D= e E f F= g= i= l n N o= p= r= R s S t T u v V= Y= z= Z B= directory= "
    "input= output= strip= dry-run reverse forward "
    "backup prefix= suffix= reject-file= merge? batch force silent quiet verbose posix "
    "help version fuzz= unified context binary"
)
_PATCHED = re.compile(r"^\+\+\+ ([^\t\n]+)", re.MULTILINE)


@FAMILY.judges("patch", "gpatch")
def patch(command: Command, context: Context) -> Iterator[Finding]:
    """Patches of a named file, into a folder, or of the files that the text names."""
    options = parse(command, _PATCH)
    if options.helps or options.has("dry-run", "C"):
        return
    yield from _writes([options.value("o", "output"), *options.operands[:1]], command, context)
    folder = options.value("d", "directory")
    if folder is not None:
        for path, _ in judged("write", folder, command, context, ignore=BY_NAME):
            yield UNKNOWN_PATCH.found(command, path=path)
            break
    if command.stdin is not None and command.stdin.text:
        strip = options.value("p", "strip")
        count = int(strip.raw) if strip is not None and strip.raw.isdigit() else 0
        for name in _PATCHED.findall(command.stdin.text)[:16]:
            pieces = name.strip().split("/")
            # Both spellings: the number of parts to cut is easily left out.
            for text in (name.strip(), "/".join(pieces[count:])):
                if text and text != "/dev/null":
                    for path, _ in judged("write", _local(text, command.argv[0]), command, context):
                        yield UNKNOWN_PATCH.found(command, path=path)
                        return


# Downloads

CURL = Spec(
    "0 1 2 3 4 6 a B f g G i I j J k l L M n N O p q R s S v V Z # : "
    "A= b= c= C= d= D= e= E= F= h? H= K= m= o= P= Q= r= t= T= u= U= w= x= X= y= Y= z= "
    "data= data-raw= data-binary= data-urlencode= data-ascii= json= form= form-string= "
    "upload-file= output= output-dir= header= user= "
    "user-agent= referer= cookie= cookie-jar= config= dump-header= request= url= url-query= "
    "proxy= proxy-user= proxy-header= max-time= "
    "connect-timeout= retry= retry-delay= retry-max-time= cacert= capath= cert= cert-type= "
    "key= key-type= pass= trace= trace-ascii= stderr= "
    "write-out= range= resolve= interface= limit-rate= netrc-file= oauth2-bearer= unix-socket= "
    "abstract-unix-socket= etag-save= etag-compare= "
    "hsts= alt-svc= libcurl= variable= ciphers= continue-at= max-redirs= max-filesize= "
    "dns-servers= doh-url= connect-to= request-target= "
    "time-cond= speed-limit= speed-time= keepalive-time= noproxy= socks5= socks5-hostname= "
    "socks4= preproxy= proto= proto-default= quote= "
    "postquote= mail-from= mail-rcpt= mail-auth= aws-sigv4= expect100-timeout= tls-max= "
    "local-port= location location-trusted silent show-error "
    "fail fail-with-body head get include insecure compressed remote-name remote-name-all "
    "remote-header-name remote-time create-dirs "
    "verbose globoff netrc netrc-optional http1.1 http2 http3 ipv4 ipv6 parallel no-progress-meter "
    "progress-bar append anyauth basic digest "
    "help? version manual no-buffer raw tcp-nodelay path-as-is ssl-reqd no-clobber remove-on-error "
    "styled-output retry-all-errors "
    "retry-connrefused next"
)
WGET = Spec(
    "b V h d q v F c N S 4 6 x nd nc nH nv r k K m p H L np E "
    "O= P= o= a= e= i= B= t= T= w= Q= U= l= A= R= D= I= X= "
    "output-document= directory-prefix= output-file= append-output= execute= input-file= "
    "base= tries= timeout= wait= user-agent= header= "
    "post-data= post-file= method= body-data= body-file= user= password= http-user= "
    "http-password= load-cookies= save-cookies= referer= "
    "ca-certificate= certificate= private-key= level= accept= reject= domains= limit-rate= "
    "max-redirect= use-askpass= warc-file= "
    "rejected-log= quiet verbose continue timestamping no-check-certificate content-disposition "
    "trust-server-names spider recursive mirror "
    "no-parent no-directories no-host-directories page-requisites convert-links show-progress "
    "no-verbose help version no-clobber "
    "span-hosts cut-dirs= progress= read-timeout= connect-timeout= dns-timeout= waitretry= "
    "retry-connrefused bind-address= no-proxy"
)


def _url_name(word: Word) -> str:
    text = word.raw.split("?", 1)[0].split("#", 1)[0]
    after = text.split("://", 1)[-1]
    return after.rsplit("/", 1)[-1] if "/" in after else ""


@FAMILY.judges("curl")
def curl(command: Command, context: Context) -> Iterator[Finding]:
    """What curl saves."""
    options = parse(command, CURL)
    if options.helps:
        return
    files = options.values(
        "o",
        "output",
        "c",
        "cookie-jar",
        "D",
        "dump-header",
        "trace",
        "trace-ascii",
        "stderr",
        "etag-save",
        "hsts",
        "libcurl",
    )
    folder = options.value("output-dir")
    if folder is not None:
        files = [folder, *(_below(folder, word.raw) for word in files)]
    if options.has("O", "remote-name", "remote-name-all"):
        files += _downloaded([*options.operands, *options.values("url")], folder)
    if options.has("K", "config") and command.stdin is not None and command.stdin.text:
        files += [_local(name, command.argv[0]) for name in _CURL_CONFIG.findall(command.stdin.text)[:8]]
    yield from _writes([word for word in files if word.raw != "-"], command, context, ignore=_KEYS)


_CURL_CONFIG = re.compile(
    r"^[ \t]*-{0,2}(?:output|o|output-dir|dump-header|cookie-jar)[ \t=:]+\"?([^\"\s]+)", re.MULTILINE
)


def _downloaded(urls: list[Word], folder: Word | None) -> list[Word]:
    names = [(name, word) for word in urls if (name := _url_name(word))]
    return [_below(folder, name) if folder is not None else _local(name, word) for name, word in names]


@FAMILY.judges("wget", "wget2")
def wget(command: Command, context: Context) -> Iterator[Finding]:
    """What wget saves, its log, and its start-up orders."""
    options = parse(command, WGET)
    if options.helps or options.has("spider"):
        return
    files = options.values(
        "O", "output-document", "o", "output-file", "a", "append-output", "save-cookies", "rejected-log"
    )
    for order in options.values("e", "execute"):
        name, _, value = order.raw.partition("=")
        if name.strip().replace("-", "_") in {"output_document", "dir_prefix", "logfile"}:
            files.append(_local(value.strip(), order))
    folder = options.value("P", "directory-prefix")
    if folder is not None:
        files.append(folder)
    if not options.has("O", "output-document"):
        files += _downloaded(options.operands, folder)
    yield from _writes([word for word in files if word.raw != "-"], command, context, ignore=_KEYS)


@FAMILY.judges(
    "aria2c", "axel", "http", "https", "xh", "xhs", "lwp-download", "fetch", "yt-dlp", "youtube-dl", "lftp", "gdown"
)
def downloads(command: Command, context: Context) -> Iterator[Finding]:
    """Other programs that save what they fetch."""
    options = parse(
        command, Spec("o= O= d= dir= out= output= output-document= P= q c a= k x= s= j= n= v h help version download")
    )
    if options.helps:
        return
    folder = options.value("d", "dir", "P")
    files = options.values("o", "O", "out", "output", "output-document")
    if folder is not None:
        files = [folder, *(_below(folder, word.raw) for word in files)]
    yield from _writes(files, command, context, ignore=_KEYS)


# Named outputs of other programs

_O = Spec("o= output= out= O?")
_OUTPUTS: dict[str, tuple[Spec, tuple[str, ...]]] = {
    **dict.fromkeys(
        [
            "gcc",
            "cc",
            "g++",
            "c++",
            "clang",
            "clang++",
            "ld",
            "as",
            "tcc",
            "rustc",
            "go",
            "nasm",
            "bison",
            "flex",
            "pandoc",
            "dot",
            "protoc",
            "zig",
            "ghc",
            "ocamlopt",
            "ocamlfind",
            "swiftc",
            "gnatmake",
            "gfortran",
            "esbuild",
            "tcpdump",
            "strace",
            "ltrace",
            "plantuml",
            "xsltproc",
            "ssh-keyscan",
            "iconv",
            "mysqldump",
            "msgfmt",
            "objdump",
            "tsc",
            "gdc",
            "dmd",
            "ldc2",
            "nim",
            "valac",
            "emcc",
            "wasm-ld",
        ],
        (_O, ("o", "output", "out")),
    ),
    **dict.fromkeys(
        ("sort", "gsort", "shuf", "gshuf"),
        (
            Spec("o= output= k= t= S= T= n= i= e b d f g h M r u V z c C m s R key= field-separator= parallel="),
            ("o", "output"),
        ),
    ),
    **dict.fromkeys(
        ("gpg", "gpg2"),
        (
            Spec(
                "o= output= r= recipient= u= local-user= keyring= homedir= options= "
                "a d e s c b armor decrypt encrypt sign batch yes"
            ),
            ("o", "output"),
        ),
    ),
    "openssl": (
        Spec("out= keyout= CAserial= writerand= in= inkey= config= subj= days= newkey= passin= passout=", single=True),
        ("out", "keyout"),
    ),
    "ssh-keygen": (
        Spec(
            "f= t= b= C= N= P= O= I= n= s= V= z= R= F= H= l L y e p q v A c B i k K= "
            "m= M= r= S= U W= Y= Z= a= D= E= g h w= x",
            single=False,
        ),
        ("f",),
    ),
    "keytool": (Spec("keystore= destkeystore= file= alias= storepass=", single=True), ("destkeystore",)),
    "script": (Spec("c= a e f q t? I= O= B= T= command= append log-out="), ("O", "log-out", "B")),
    "mkcert": (Spec("cert-file= key-file= p12-file= install", single=True), ("cert-file", "key-file")),
    "pg_dump": (Spec("f= file= d= h= p= U= F= t= n= dbname= host= port= username= format="), ("f", "file")),
    "base64": (Spec("o= i= d D w= output= input= decode wrap="), ("o", "output")),
    "javac": (Spec("d= cp= classpath= s= h=", single=True), ("d", "s", "h")),
    "pip": (Spec("target= t= prefix= root= d= dest= r= i= c="), ("target", "t", "prefix", "root", "dest", "d")),
    "pip3": (Spec("target= t= prefix= root= d= dest= r= i= c="), ("target", "t", "prefix", "root", "dest", "d")),
    "tcpdump": (Spec("w= i= r= c= s= C= G= W= z= Z= n v X A e q U l D"), ("w",)),
    "tshark": (Spec("w= i= r= c= s= f= Y= T= e= a= b= n V q l"), ("w",)),
    "age": (Spec("o= output= d e p r= R= i= a"), ("o", "output")),
    "minisign": (Spec("s= p= m= x="), ("s",)),
}


def _output(command: Command, context: Context) -> Iterator[Finding]:
    spec, names = _OUTPUTS[command.program or ""]
    options = parse(command, spec)
    if options.helps or (command.program == "ssh-keygen" and options.has("l", "y", "e", "F", "L", "B", "Y", "R", "H")):
        return
    ignore = _KEYS if command.program in _MAKES_KEYS else frozenset()
    yield from _writes(options.values(*names), command, context, ignore=ignore)


FAMILY.judges(*_OUTPUTS)(_output)


@FAMILY.judges(
    "xxd",
    "uniq",
    "guniq",
    "split",
    "csplit",
    "qpdf",
    "pdftotext",
    "convert",
    "magick",
    "ffmpeg",
    "gzip",
    "bzip2",
    "xz",
    "zstd",
    "zip",
    "gunzip",
    "bunzip2",
    "unxz",
    "cryptsetup",
    "mksquashfs",
    "genisoimage",
    "sqlite3",
    "objcopy",
    "strip",
    "patchelf",
    "chrpath",
)
def last_operand(command: Command, context: Context) -> Iterator[Finding]:
    """Programs whose operands after the first, or which by their nature, are written."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    program = command.program or ""
    flags = "".join(word.raw[1:] for word in command.args if word.raw[:1] == "-" and word.raw[1:2] != "-")
    if program in {"gzip", "bzip2", "xz", "zstd", "gunzip", "bunzip2", "unxz"}:
        if "c" in flags or "k" in flags or "l" in flags or "t" in flags or program == "zstd":
            return
    elif program in {"objcopy", "strip", "patchelf", "chrpath"}:
        words = words[-1:] if "o" not in flags else words
    elif program == "zip":
        words = words[:1]
    elif program == "sqlite3" or (program == "cryptsetup" and {"luksDump", "isLuks", "status"} & {*command.texts}):
        return
    else:
        words = words[1:][-1:]
    yield from _writes(words, command, context, ignore=BY_NAME, raw=program != "cryptsetup")


@FAMILY.judges("dd", "dcfldd", "dc3dd", "gdd")
def dd(command: Command, context: Context) -> Iterator[Finding]:
    """The output of dd."""
    yield from _writes(
        [word.tail(3) for word in command.args if word.raw.startswith("of=")], command, context, config=True
    )


GIT = Spec(
    "C= c= git-dir= work-tree= namespace= exec-path? p paginate P no-pager bare no-replace-objects "
    "super-prefix= config-env= "
    "literal-pathspecs no-optional-locks help version h v",
    posix=True,
)
_GIT_SUB = Spec(
    "b= B= c= o= u= j= depth= branch= origin= template= separate-git-dir= reference= "
    "filter= output= config= upload-pack= l s n q f "
    "prefix= format= remote= jobs= recurse-submodules? shallow-since= output-directory= d detach orphan"
)


@FAMILY.judges("git")
def git(command: Command, context: Context) -> Iterator[Finding]:
    """Clones and worktrees at a protected place, and files that git is told to write."""
    options = parse(command, GIT)
    name = options.subcommand()
    if options.helps or not name:
        return
    after = parse_words(options.operands[1:], _GIT_SUB)
    targets: list[Word | None] = []
    if name in {"clone", "submodule"}:
        targets = [*(after.operands[1:2] if name == "clone" else after.operands[2:3]), after.value("separate-git-dir")]
    elif name == "worktree" and after.subcommand() == "add":
        targets = [*after.operands[1:2]]
    elif name == "init":
        targets = [*after.operands[:1]]
    elif name in {"checkout", "restore", "reset", "pull", "merge", "stash", "switch", "read-tree", "checkout-index"}:
        targets = [options.value("work-tree")]
    elif name in {"diff", "log", "show", "archive", "format-patch", "range-diff"}:
        targets = [
            after.value("output", "output-directory"),
            after.value("o") if name in {"archive", "format-patch"} else None,
        ]
        yield from _writes(targets, command, context)
        return
    yield from _writes(targets, command, context, ignore=BY_NAME)


@FAMILY.judges("docker", "podman", "nerdctl", "kubectl", "oc", "lxc")
def container_copies(command: Command, context: Context) -> Iterator[Finding]:
    """Files that leave a container."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    if len(words) > 2 and words[0].raw == "cp" and ":" in words[-2].raw and ":" not in words[-1].raw:
        yield from _writes(words[-1:], command, context)


@FAMILY.judges("update-alternatives", "dpkg-divert", "alternatives")
def alternatives(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that change what a name of the system stands for."""
    texts = {word.raw for word in command.args}
    if command.program in {"update-alternatives", "alternatives"} and texts & {
        "--install",
        "--set",
        "--config",
        "--remove",
        "--remove-all",
        "--auto",
        "--set-selections",
    }:
        yield SYSTEM.found(command, path="/etc/alternatives", why="the names of programs lead there")
    elif command.program == "dpkg-divert" and texts & {"--add", "--remove", "--rename"}:
        yield SYSTEM.found(command, path="/var/lib/dpkg", why="it moves the files of packages")


_SETTINGS: dict[str, re.Pattern[str]] = {
    "timedatectl": re.compile(r"(?:-\S+ )*(?:set-|ntp-servers)"),
    "hostnamectl": re.compile(r"(?:-\S+ )*(?:set-\w+|(?:hostname|chassis|location|deployment|icon-name) \S)"),
    "localectl": re.compile(r"(?:-\S+ )*set-"),
    "hostname": re.compile(r"(?!-)\S|-[bF]"),
    "date": re.compile(r"(?:.* )?(?:-s\b|-us\b|--set\b)|\d{8,12}(?:\.\d\d)?\Z"),
    "hwclock": re.compile(r"(?:.* )?(?:-w|-s|--systohc|--hctosys|--set|--adjust)\b"),
    "ldconfig": re.compile(r"(?!.*(?:-p\b|--print-cache|-V\b|--version|-N\b.*-X\b))"),
    "debconf-set-selections": re.compile(r""),
    "dpkg-reconfigure": re.compile(r"(?!-h)."),
    "locale-gen": re.compile(r""),
    "scutil": re.compile(r"(?:.* )?--(?:set|nc|prefs)\b"),
    "systemsetup": re.compile(r"(?:.* )?-set"),
    "networksetup": re.compile(r"(?:.* )?-(?:set|add|remove|create|delete|switch)"),
    "nvram": re.compile(r"(?:.* )?(?:\S+=|-d\b|-c\b|-f\b)"),
    "pmset": re.compile(r"(?!-g).*\d|schedule|repeat|sleepnow"),
    "postconf": re.compile(r"(?:.* )?-(?:e|X|M)\b"),
    "netplan": re.compile(r"(?:apply|set|try)\b"),
    "eselect": re.compile(r"\S+ set\b"),
    "efibootmgr": re.compile(r"(?:.* )?-[a-zA-Z]*[cBoOnNaAtD]"),
    "grub-editenv": re.compile(r"(?:.* )?(?:set|unset|create)\b"),
    "tzselect": re.compile(r"(?!)."),
    "newaliases": re.compile(r""),
    "make": re.compile(
        r"(?!(?:.* )?(?:-[a-zA-Z]*n[a-zA-Z]*|--dry-run|--just-print|--recon)(?: |\Z))(?:.* "
        r")?(?:\w+-)?(?:un)?install(?:-\w+)?(?: |\Z)"
    ),
    "ninja": re.compile(r"(?!(?:.* )?-n(?: |\Z))(?:.* )?(?:un)?install(?: |\Z)"),
    "cmake": re.compile(r"(?:.* )?--(?:install|build .*--target install)\b"),
    "meson": re.compile(r"install\b(?!.*(?:-n|--dry-run)\b)"),
    "gmake": re.compile(r"(?:.* )?install(?: |\Z)"),
    "bmake": re.compile(r"(?:.* )?install(?: |\Z)"),
    **dict.fromkeys(
        ("a2ensite", "a2dissite", "a2enmod", "a2dismod", "a2enconf", "a2disconf", "phpenmod", "phpdismod"),
        re.compile(r"(?!-)."),
    ),
}
_BUILDERS = frozenset({"make", "ninja", "cmake", "meson", "gmake", "bmake"})


@FAMILY.judges(*_SETTINGS)
def settings(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that change the machine as a whole; builds only when they install as root."""
    if command.contained or (command.program in _BUILDERS and not command.as_root):
        return
    line = " ".join(word.raw for word in command.args)[:400]
    if "--help" not in line and "--version" not in line and _SETTINGS[command.program or ""].match(line):
        yield SETTING.found(command, path=line[:80])


_RC_TOOLS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("conda", "mamba"), re.compile(r"init(?: |\Z)(?!.*(?:--dry-run|-d\b))")),
    "micromamba": re.compile(r"shell init\b|shell (?:.* )?-s\b.*init"),
    "pipx": re.compile(r"ensurepath\b"),
    "pnpm": re.compile(r"setup\b"),
    "volta": re.compile(r"setup\b"),
    "chezmoi": re.compile(r"(?:.* )?(?:apply|update|init --apply)\b(?!.*(?:--dry-run|-n\b))"),
    "uv": re.compile(r"(?:tool|python) update-shell\b"),
    "terraform": re.compile(r"-install-autocomplete"),
    "vault": re.compile(r"-autocomplete-install"),
    "consul": re.compile(r"-autocomplete-install"),
    "nomad": re.compile(r"-autocomplete-install"),
    "fish_add_path": re.compile(r"."),
    "rustup-init": re.compile(r""),
    "yadm": re.compile(r"(?:clone|pull|checkout|bootstrap)\b"),
    "homeshick": re.compile(r"(?:link|clone|pull)\b"),
    "home-manager": re.compile(r"switch\b"),
    "stow": re.compile(r"(?!(?:.* )?(?:-[a-zA-Z]*[nhV][a-zA-Z]*|--no|--simulate|--version)(?: |\Z))."),
}


@FAMILY.judges(*_RC_TOOLS)
def rc_tools(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that edit the start-up files of the shell themselves."""
    line = " ".join(word.raw for word in command.args)[:400]
    if "--help" not in line and _RC_TOOLS[command.program or ""].match(line):
        yield RC_TOOL.found(command)


_LOGINS: dict[str, re.Pattern[str]] = {
    "aws": re.compile(
        r"(?:.* )?configure (?:set (?!(?:\S*\.)?(?:region|output|cli_pager|cli_auto_prompt|"
        r"max_attempts|retry_mode)\b)|import\b|\Z)|configure\Z"
    ),
    **dict.fromkeys(
        ("gpg", "gpg2"),
        re.compile(
            r"(?:.* )?--(?:delete-(?:secret|key|secret-and)|import-ownertrust|edit-key|"
            r"quick-(?:revoke|set-expire|lsign|sign)|lsign-key|sign-key)"
        ),
    ),
    "ssh-copy-id": re.compile(r"(?!(?:.* )?-n\b)."),
    **dict.fromkeys(
        ("kubectl", "oc"),
        re.compile(r"config (?:set-credentials|delete-user|delete-context|delete-cluster|unset|set |set-cluster)"),
    ),
    "gh": re.compile(r"(?:auth (?:logout|setup-git)|(?:ssh|gpg)-key (?:add|delete)|repo deploy-key (?:add|delete))\b"),
    "glab": re.compile(r"(?:auth logout|ssh-key (?:add|delete))\b"),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn"),
        re.compile(r"(?:config set|set) \S*(?:_authToken|_auth\b|_password|npmAuthToken)|token (?:create|revoke)"),
    ),
    "security": re.compile(
        r"(?:add-(?:generic|internet)-password|delete-\S+|import|set-\S+-password|create-keychain|add-certificates)\b"
    ),
    "git": re.compile(r"(?:.* )?credential(?:-store|-cache)? (?:.* )?(?:approve|store|reject|erase)\b"),
    "secret-tool": re.compile(r"(?:store|clear)\b"),
    "keytool": re.compile(r"(?:.* )?-(?:import(?:cert|keystore|pass)?|delete|storepasswd|keypasswd|changealias)\b"),
    "gcloud": re.compile(r"auth (?:revoke|activate-service-account)\b"),
    "az": re.compile(r"(?:logout|account clear|ad sp create-for-rbac|ad sp credential reset)\b"),
    **dict.fromkeys(("pass", "gopass"), re.compile(r"(?:rm|remove|delete|insert|edit|generate|mv|init)\b")),
    "ssh-add": re.compile(r"(?:.* )?-(?:D|d|s|e|x|X)\b"),
    "op": re.compile(r"(?:item|document|vault|user) (?:delete|edit|create)\b"),
    "mysql_config_editor": re.compile(r"(?:set|remove|reset)\b"),
    "cargo": re.compile(r"(?:login|logout|owner --(?:add|remove))\b"),
    "poetry": re.compile(r"config (?:--\S+ )*(?:pypi-token|http-basic|certificates)\."),
    "composer": re.compile(r"config (?:-\S+ )*(?:http-basic|github-oauth|bearer|gitlab-token)"),
    "rclone": re.compile(r"config (?:create|update|delete|password)\b"),
    "certutil": re.compile(r"(?:.* )?-(?:A|D|M|addstore|delstore)\b"),
    "smbpasswd": re.compile(r"."),
    "vault": re.compile(
        r"(?:kv (?:put|patch|delete|destroy|metadata delete)|write|delete|secrets disable|"
        r"auth disable|token revoke|operator seal)\b"
    ),
}


@FAMILY.judges(*_LOGINS)
def logins(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that keep logins and keys, when they change them."""
    line = " ".join(word.raw for word in command.args)[:600]
    if "--help" not in line and "--dry-run" not in line and _LOGINS[command.program or ""].match(line):
        yield LOGIN.found(command, path=line[:80])


@FAMILY.judges("find", "gfind", "bfs")
def find(command: Command, context: Context) -> Iterator[Finding]:
    """Lists that find writes into a file."""
    files = [after for word, after in pairwise(command.args) if word.raw in _FIND_FILES]
    if files:
        yield from _writes(files, command, context)


_FIND_FILES = frozenset({"-fls", "-fprint", "-fprint0", "-fprintf"})
_TIME = Spec("p f= format= o= output= a append v verbose q quiet l h", posix=True)


@FAMILY.judges("time", "gtime", "csplit", "script", "socat", "mknod", "sqlite3", "python", "python3")
def named_files(command: Command, context: Context) -> Iterator[Finding]:
    """Files that a program writes beside its work."""
    program = command.program or ""
    words: list[Word | None] = []
    if program in {"time", "gtime"}:
        words = [*parse(command, _TIME).values("o", "output")]
    elif program == "csplit":
        words = [*parse(command, Spec("f= b= n= k s q z prefix= suffix-format= digits=")).values("f", "prefix")]
    elif program == "script":
        words = [*parse(command, Spec("c= a e f q t? I= O= B= T= E= o= m= command= append")).operands[:1]]
    elif program == "socat":
        for word in command.args:
            kind, _, rest = word.raw.partition(":")
            opens = kind.upper() in {"OPEN", "FILE", "GOPEN", "CREATE"} and "rdonly" not in rest
            if opens and _written_by(command, word):
                words.append(_local(rest.split(",", 1)[0], word))
    elif program == "sqlite3":
        for word in command.args[1:]:
            words += [_local(name, word) for name in _SQLITE_FILE.findall(word.raw)[:8]]
    elif program == "mknod":
        texts = [word.raw for word in command.args if not word.raw.startswith("-")]
        if texts[1:2] in (["b"], ["c"], ["u"]) and texts[1:3] != ["c", "1"]:
            yield DEVICE.found(command, path=texts[0], why="it becomes a door to a device")
    elif _PYTHON_UNPACKS.match(" ".join(word.raw for word in command.args[:3])):
        words = [*command.args[4:5]]
    yield from _writes(words, command, context, ignore=BY_NAME)


_PYTHON_UNPACKS = re.compile(r"-m (?:zipfile|tarfile) (?:-e|--extract)\Z")
_SQLITE_FILE = re.compile(r"(?:^|[\n;])[ \t]*\.(?:output|once|backup|save)[ \t]+[\"']?([^\s\"']+)")


def _written_by(command: Command, word: Word) -> bool:
    """With `-u` socat writes its second address only."""
    return not any(other.raw == "-u" for other in command.args) or word is command.args[-1]


_LONG_OUTPUTS = ("--output=", "--output-file=", "--outfile=", "--out-file=", "--log-file=", "--logfile=")


@FAMILY.judges("*")
def long_outputs(command: Command, context: Context) -> Iterator[Finding]:
    """`--output=` means the same nearly everywhere."""
    if command.program in _OUTPUTS or len(command.argv) < 2:
        return
    for word in command.argv[1:]:
        raw = word.raw
        if raw[:3] in {"--o", "--l"} and raw.startswith(_LONG_OUTPUTS):
            yield from _writes(
                [word.tail(raw.index("=") + 1)], command, context, ignore=BY_NAME | {"path.system-state"}
            )
