"""Programs that are no interpreters and still run commands that their options or scripts hold."""

import itertools
import re
from collections.abc import Iterable, Iterator

from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.rules.family import Context, Family
from hermes_guard.rules.interpreters import report_code
from hermes_guard.rules.languages.deed import quoted
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

FAMILY = Family("tool_escapes")

ESCAPE = FAMILY.rule(
    "escape.shell",
    "{program} opens a shell, or runs a command that nobody knows: {path}",
    effects=("execute",),
    match=(
        "vim -c '!sh'",
        "vim -c ':!/bin/bash'",
        "gdb -ex 'shell' -ex quit",
        "sqlite3 x.db '.shell sh'",
        "tar cf x y --checkpoint=1 --checkpoint-action=exec=sh",
        "psql -c '\\! sh'",
        "ssh -o ProxyCommand='sh' h",
        "less +'!sh' f",
        "man -P sh ls",
        "find . -exec sh ';' -quit",
        "git -c core.pager=sh log",
        "nmap --interactive",
        "rsync -e sh h:x .",
        "PAGER=sh man ls",
        "find . -name '*.sh' -exec {} ';'",
        "ssh-keygen -D ./x.so",
        "sftp -D ./x h",
        "wget -e use_askpass=./x http://h",
        "gdb -p 9 -batch -ex 'call exit(0)'",
    ),
    not_match=(
        "vim -c ':wq' f",
        "gdb -ex run ./a.out",
        "sqlite3 x.db '.tables'",
        "tar czf x.tgz y",
        "psql -c 'select 1'",
        "ssh -o StrictHostKeyChecking=no h",
        "git -c core.pager=cat log",
        "rsync -e 'ssh -p 22' a h:b",
        "vim +42 f",
        "git -c alias.x=status x",
        "ssh -o ProxyCommand='ssh -W %h:%p jump' h",
        "find . -exec sh -c 'echo {}' ';'",
        "EDITOR=vim git commit",
        "PAGER=cat man ls",
        "EDITOR='code --wait' crontab -l",
        "MAKEFLAGS=-j4 make",
        "tar -I 'zstd -T0' -cf x.tar.zst y",
        "make CC='ccache gcc' VERSION=1",
        "rsync -avze 'ssh -p 22' a h:b",
        "rsync --rsync-path='sudo rsync' a h:b",
        "rg --pre pdftotext x",
        "fzf --preview 'bat {}'",
        "gdb -p 9 -batch -ex bt",
        "ssh-keygen -t ed25519 -f k",
        "ansible all --check -m shell -a 'rm -rf /tmp/x'",
    ),
)
THERE = FAMILY.rule(
    "escape.remote-delete",
    "deletes files on another machine: {path}",
    effects=("delete", "network"),
    match=(
        "lftp -e 'rm -r /www; bye' h",
        "lftp -e 'mirror -R --delete . /www; quit' h",
        "sftp -b - h <<< 'rm /srv/*'",
        "ftp h <<< 'mdelete *'",
    ),
    not_match=(
        "lftp -e 'ls; bye' h",
        "lftp -e 'mirror -R dist /www; bye' h",
        "sftp -b - h <<< 'put x'",
        "sftp h",
        "lftp -c 'open h; get a.txt'",
    ),
)
PROGRAM = FAMILY.rule(
    "escape.database-program",
    "lets the database server run a program: {path}",
    effects=("execute",),
    match=("psql -c \"COPY t FROM PROGRAM 'id'\"", "psql -c \"copy x to program 'cat > y'\""),
    not_match=("psql -c 'COPY t FROM STDIN'",),
)

_BARE = re.compile(r"(?:/usr)?(?:/bin/)?(?:sh|bash|zsh|dash|ksh|fish|csh|tcsh)(?: -[il]+)?\Z")


def _runs(code: str, command: Command, context: Context) -> Iterator[Finding]:
    """Judge a command that a tool would run; a bare shell takes whatever it is given."""
    text = code.strip().strip("'\"")
    if not text or _BARE.match(text) or text.startswith(HOLE):
        yield ESCAPE.found(command, path=text.replace(HOLE, "…")[:80] or "a shell")
    else:
        yield from context.judge_code(text.replace(HOLE, "$unknown"), command)


def _runs_each(codes: Iterable[str], command: Command, context: Context) -> Iterator[Finding]:
    """Judge many commands, each once; bare shells are told once."""
    told = False
    for code in dict.fromkeys(codes):
        for finding in _runs(code, command, context):
            if finding.rule != ESCAPE.id or finding.argv != command.texts or not told:
                yield finding
            told = told or finding.rule == ESCAPE.id


# Editors and pagers

# Spaces of one line only, and nowhere two optional runs of them side by side: what fails, fails at once.
_VIM_SHELL = re.compile(
    r"(?:^|[|:])[^\S\n]*(?:silent!?[^\S\n]+|exe(?:cute)?[^\S\n]+['\"])?(?:\d*,?[%$.]?)?(?:r(?:ead)?[^\S\n]*)?!(.*)$",
    re.MULTILINE,
)
_VIM_CALL = re.compile(r"\b(?:system|systemlist|termopen|job_start|jobstart)\(\s*(['\"])(.*?)\1")
_VIM_LANGUAGE = re.compile(
    r"^[^\S\n]*(?::[^\S\n]*)?(py3?|python3?|pythonx|pyx|lua|perl|ruby)[^\S\n]+(.+)$", re.MULTILINE
)
_VIM_DELETE = re.compile(r"\bdelete\(\s*(['\"])([^'\"]*)\1\s*(,\s*['\"]rf['\"])?")
_VIM = Spec(
    "c= cmd= e s E S= u= U= i= t= q= o? O? p? r= R b N n M m x y Z d h H v w= W= T= X l L A V? noplugin clean "
    "startuptime= headless embed servername= remote help version",
    posix=False,
)


@FAMILY.judges("vim", "vi", "nvim", "ex", "gvim", "view", "rvim", "vimdiff", "ed", "red", "nano", "pico", "joe")
def editors(command: Command, context: Context) -> Iterator[Finding]:
    """Commands of vi and ed that start with an exclamation mark."""
    options = parse(command, _VIM)
    if options.helps:
        return
    scripts = [word.raw for word in options.values("c", "cmd")]
    scripts += [word.raw[1:] for word in options.operands if word.raw.startswith("+")]
    if command.program in {"ex", "ed", "red"} or options.has("e", "s", "E"):
        text = command.stdin.text if command.stdin else None
        scripts += [text] if text else []
    for text in scripts:
        yield from _vim(text, command, context)


def _vim(text: str, command: Command, context: Context) -> Iterator[Finding]:
    # `q!` and `wq!` are no commands.
    yield from _runs_each((found.group(1) for found in _VIM_SHELL.finditer(text)), command, context)
    yield from _runs_each((found.group(2) for found in _VIM_CALL.finditer(text)), command, context)
    for found in itertools.islice(_VIM_DELETE.finditer(text), 8):
        folder = "-rf " if found.group(3) else ""
        yield from context.judge_code(f"rm {folder}-- {quoted(found.group(2))}", command)
    if re.search(r"(?:^|[|:])\s*(?:sh(?:ell)?|ter(?:minal)?)\s*$", text):
        yield ESCAPE.found(command, path="a shell")
    for language, code in dict.fromkeys(found.groups() for found in _VIM_LANGUAGE.finditer(text)):
        yield from _other_code(language, code, command, context)


def _other_code(language: str, code: str, command: Command, context: Context) -> Iterator[Finding]:
    if language.startswith("py"):
        from hermes_guard.rules.languages.python import read

        yield from report_code(code, read, command, context)
        return
    from hermes_guard.rules.languages.scripts import READERS

    yield from report_code(code, READERS[language], command, context)


@FAMILY.judges("less", "more", "most", "man", "gman")
def pagers(command: Command, context: Context) -> Iterator[Finding]:
    """Pagers that are given a command, and manuals that are given a pager."""
    for number, word in enumerate(command.args):
        text = word.raw
        if command.program in {"less", "more", "most"} and re.match(r"\+!", text):
            yield from _runs(text[2:], command, context)
        elif command.program in {"man", "gman"} and (
            text in {"-P", "--pager", "-H", "--html"} or re.match(r"-P.|--(?:pager|html)=|-H.", text)
        ):
            value = re.sub(r"-[PH]|--\w+=", "", text, count=1)
            if text in {"-P", "--pager"} and number + 1 < len(command.args):
                value = command.args[number + 1].raw
            if value:
                yield from _runs(value, command, context)


# Debuggers


@FAMILY.judges("gdb", "lldb", "cgdb", "rust-gdb", "rust-lldb", "gdb-multiarch", "ipdb", "radare2", "r2")
def debuggers(command: Command, context: Context) -> Iterator[Finding]:
    """Debuggers that run shell commands, or call functions in a process."""
    options = parse(
        command,
        Spec(
            "ex= iex= eval-command= o= O= one-line= x= command= c= p= pid= q quiet batch nx args b s= S= k f= n= "
            "core= source=",
            single=True,
            posix=False,
        ),
    )
    for word in options.values("ex", "iex", "eval-command", "o", "O", "one-line", "c"):
        text = word.raw.strip()
        found = re.match(r"(?:shell|!|platform shell|make)\s*(.*)", text)
        if found:
            yield from _runs(found.group(1), command, context)
        elif text.startswith(("python ", "py ", "script ")):
            yield from _other_code("py", text.split(" ", 1)[1], command, context)
        elif called := re.search(r"\bsystem\s*\(\s*\"(.*?)\"", text):
            yield from _runs(called.group(1), command, context)


# Databases

_META = re.compile(
    r"^[^\S\n]*\.(?:shell|system)\b(.*)$|^[^\S\n]*\.(?:once|output|import)[^\S\n]+['\"]?\|(.*)$", re.MULTILINE
)
# The first `\copy` of a line is enough: what follows a later one follows the first as well.
_PSQL = re.compile(
    r"\\!(.*)$|\\(?:o|g|w)[^\S\n]*\|(.*)$|^(?:(?!\\copy\b|\\!).)*\\copy\b.*\bprogram[^\S\n]+'(.*?)'", re.MULTILINE
)
_MYSQL = re.compile(r"(?:^|;)[^\S\n]*(?:\\!|system[^\S\n])([^;\n]*)", re.MULTILINE)
_COPY = re.compile(r"\bcopy\b", re.IGNORECASE)
_WITH_PROGRAM = re.compile(r"\b(?:from|to)\s+program\b", re.IGNORECASE)


def _server_program(text: str) -> bool:
    """True when a statement copies from or to a program of the server."""
    for statement in text.split(";"):
        copy = _COPY.search(statement)
        if copy and _WITH_PROGRAM.search(statement, copy.end()):
            return True
    return False


@FAMILY.judges(
    "sqlite3",
    "sqlite",
    "psql",
    "mysql",
    "mariadb",
    "duckdb",
    "pgcli",
    "mycli",
    "litecli",
    "cockroach",
    "mongosh",
    "mongo",
    "clickhouse-client",
    "sqlcmd",
)
def databases(command: Command, context: Context) -> Iterator[Finding]:
    """The meta commands of database clients."""
    program = command.program or ""
    texts = [word.raw for word in command.args if not re.match(r"-\w\Z", word.raw)]
    if command.stdin is not None and command.stdin.text:
        texts.append(command.stdin.text)
    for given in texts:
        text = re.sub(r"^--(?:command|execute|eval|cmd)=|^-[ce](?=\S)", "", given)
        pattern = (
            _META
            if program in {"sqlite3", "sqlite", "duckdb", "litecli"}
            else _PSQL
            if program in {"psql", "pgcli", "cockroach"}
            else _MYSQL
        )
        if len(text) > 2:
            codes = (next((part for part in found.groups() if part), "") for found in pattern.finditer(text))
            yield from _runs_each(codes, command, context)
        if program in {"psql", "pgcli"} and _server_program(text):
            yield PROGRAM.found(command, path=text[:80])
        if program == "sqlcmd" and re.search(r"\bxp_cmdshell\b", text, re.IGNORECASE):
            yield PROGRAM.found(command, path=text[:80])


# Archives, copies, connections


@FAMILY.judges("tar", "gtar", "bsdtar", "zip", "cpio", "star")
def archives(command: Command, context: Context) -> Iterator[Finding]:
    """Archivers that run a command at a checkpoint, or as their filter."""
    options = parse(
        command,
        Spec(
            "f= C= file= directory= checkpoint? checkpoint-action= to-command= I= use-compress-program= rsh-command= "
            "info-script= F= new-volume-script= TT= unzip-command= X= T= exclude= "
            "c x t r u v z j J p O k m h P S a Z l B W U exclude-from= files-from= strip-components= transform= xform= "
            "owner= group= mode= mtime= one-file-system",
            bundle=command.program != "zip",
        ),
    )
    for word in options.values("checkpoint-action"):
        if word.raw.startswith("exec="):
            yield from _runs(word.raw[5:], command, context)
    for word in options.values(
        *(("I",) if command.program in {"tar", "gtar"} else ()),
        "to-command",
        "use-compress-program",
        "rsh-command",
        "info-script",
        "new-volume-script",
        "unzip-command",
    ):
        yield from _runs(word.raw, command, context)
    if command.program == "zip":
        for word, after in zip(command.args, command.args[1:], strict=False):
            if word.raw in {"-TT", "--unzip-command"}:
                yield from _runs(after.raw, command, context)


@FAMILY.judges("ssh", "scp", "sftp", "autossh", "rsync", "mosh")
def connections(command: Command, context: Context) -> Iterator[Finding]:
    """Local commands in the options of ssh and rsync."""
    for number, word in enumerate(command.args):
        text = word.raw
        following = command.args[number + 1].raw if number + 1 < len(command.args) else ""
        option = following if text == "-o" else text[2:] if text.startswith("-o") and command.program != "rsync" else ""
        found = re.match(r"\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*(.*)", option, re.IGNORECASE)
        if found and found.group(1).lower() != "none":
            yield from _runs(re.sub(r"%[hprunC]", "x", found.group(1)), command, context)
        if command.program in {"rsync", "scp", "sftp"}:
            shell = ""
            if text in {"-e", "--rsh"} and command.program == "rsync":
                shell = following
            elif text.startswith("--rsh="):
                shell = text[6:]
            elif text == "-S" and command.program in {"scp", "sftp"}:
                shell = following
            if shell and not re.match(r"(?:\S*/)?(?:ssh|rsh)\b", shell):
                yield from _runs(shell, command, context)


# Version control and builds

_GIT = Spec(
    "C= c= git-dir= work-tree= namespace= exec-path? p paginate P no-pager bare config-env= super-prefix= "
    "no-replace-objects literal-pathspecs",
    posix=True,
)
_GIT_COMMAND = re.compile(
    r"(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|hookspath)|sequence\.editor|diff\.external|"
    r"pager\.\w+|credential\.helper|gpg\.program|"
    r"(?:diff|merge|filter|difftool|mergetool)\.[^.=]+\.(?:command|driver|clean|smudge|textconv|process|cmd)|"
    r"uploadpack\.packobjectshook|interactive\.difffilter)=(.*)\Z",
    re.IGNORECASE | re.DOTALL,
)


@FAMILY.judges("git")
def git(command: Command, context: Context) -> Iterator[Finding]:
    """Commands in git's settings and in the verbs that run one."""
    options = parse(command, _GIT)
    for word in options.values("c"):
        text = word.raw
        found = _GIT_COMMAND.match(text)
        if (
            found
            and found.group(1) not in {"", "true", "false", "store", "cache", "osxkeychain", "manager"}
            and "hookspath" not in text.lower()
        ):
            value = found.group(1).removeprefix("!")
            yield from _runs(value, command, context)
        elif (alias := re.match(r"alias\.[^=]+=!(.*)\Z", text, re.DOTALL)) is not None:
            yield from _runs(alias.group(1), command, context)
    verb = options.subcommand()
    rest = options.operands[1:]
    yield from _git_verb(verb, rest, command, context)


def _git_verb(verb: str, rest: list[Word], command: Command, context: Context) -> Iterator[Finding]:
    texts = [word.raw for word in rest]
    if verb == "bisect" and texts[:1] == ["run"]:
        yield from context.judge_code(_joined(rest[1:]), command)
    elif verb == "submodule" and "foreach" in texts:
        code = [word for word in rest[texts.index("foreach") + 1 :] if not word.raw.startswith("--")]
        yield from context.judge_code(_joined(code, split=len(code) == 1), command)
    elif verb == "rebase":
        for word in parse_words(
            rest, Spec("x= exec= onto= i interactive s= strategy= X= autosquash autostash root r? rebase-merges?")
        ).values("x", "exec"):
            yield from _runs(word.raw, command, context)
    elif verb == "filter-branch":
        for word in parse_words(
            rest,
            Spec(
                "tree-filter= index-filter= env-filter= msg-filter= commit-filter= parent-filter= tag-name-filter= "
                "d= f force"
            ),
        ).values("tree-filter", "index-filter", "env-filter", "msg-filter", "commit-filter", "parent-filter"):
            yield from _runs(word.raw, command, context)
    elif verb in {"difftool", "mergetool"}:
        for word in parse_words(rest, Spec("x= extcmd= t= tool=")).values("x", "extcmd"):
            yield from _runs(word.raw, command, context)
    elif verb in {"clone", "fetch", "pull", "ls-remote", "push"}:
        for word in parse_words(
            rest, Spec("u= upload-pack= receive-pack= exec= b= branch= depth= c= config= o= origin= j=")
        ).values("upload-pack", "receive-pack", "exec"):
            if not word.raw.endswith(("git-upload-pack", "git-receive-pack")):
                yield from _runs(word.raw, command, context)
        for text in texts:
            if text.startswith("ext::"):
                yield from _runs(text[5:].replace("% ", " "), command, context)


def _joined(words: list[Word], *, split: bool = False) -> str:
    if split and words:
        return words[0].raw.replace(HOLE, "$unknown")
    return " ".join(quoted(word.raw) for word in words) or "true"


@FAMILY.judges(
    "make",
    "gmake",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "nix-shell",
    "nix",
    "nmap",
    "logsave",
    "start-stop-daemon",
    "byobu",
    "dialog",
    "ionice",
    "wget",
    "rlwrap",
    "run-parts",
    "pdb",
    "cpulimit",
    "dvtm",
    "aria2c",
    "crash",
    "ftp",
    "irssi",
    "mail",
    "mutt",
    "ncftp",
    "restic",
    "borg",
    "xterm",
    "gnome-terminal",
    "konsole",
    "kitty",
    "alacritty",
    "xdotool",
    "wsl",
    "wsl.exe",
    "cmd",
    "cmd.exe",
    "flatpak-spawn",
    "distrobox",
    "toolbox",
    "sem",
    "expect_unbuffer",
    "reptyr",
    "pssh",
    "parallel-ssh",
    "pdsh",
    "clush",
    "salt",
    "fab",
    "gcloud",
    "kubectl-exec",
    "tmuxinator",
    "concurrently",
    "nodemon",
    "watchexec",
    "cargo-watch",
    "onchange",
    "watchmedo",
    "inotifywait",
)
def others(command: Command, context: Context) -> Iterator[Finding]:
    """Further programs with an option for a command."""
    words = command.args
    texts = [word.raw for word in words]
    program = command.program or ""
    if program in {"make", "gmake"}:
        for text in texts:
            found = re.match(r"(?:SHELL|MAKESHELL)=(.*)", text)
            if found and not _BARE.match(found.group(1)):
                yield ESCAPE.found(command, path=text[:80])
            given = re.match(r"[A-Za-z_]\w*[?:+]?=(.*)", text, re.DOTALL)
            if given and HOLE not in text and _SEVERAL.search(given.group(1)):
                yield from context.judge_code(given.group(1).replace("$(shell ", "$("), command)
        for number, text in enumerate(texts):
            value = text[7:] if text.startswith("--eval=") else ""
            if text in {"--eval", "-E"} and number + 1 < len(texts):
                value = texts[number + 1]
            if value:
                recipe = re.sub(r"^[^:\n]*:[^\n]*\n?\s*|\$\(shell\s*", "", value).strip(" @-\t)")
                yield from _runs(recipe or value, command, context)
        if (
            command.stdin is not None
            and command.stdin.text
            and any(
                text in {"-f-", "--file=-", "--makefile=-"}
                for text in [*texts, *map("".join, itertools.pairwise(texts))]
            )
        ):
            lines = re.findall(r"^\t[@-]*(.*)$|:[^\S\n]*;(.*)$", command.stdin.text, re.MULTILINE)
            codes = (next((part for part in line if part), "") for line in lines)
            yield from _runs_each((code for code in codes if code.strip()), command, context)
        return
    if program == "nmap":
        if "--interactive" in texts:
            yield ESCAPE.found(command, path="nmap --interactive")
        return
    if program in {"cmd", "cmd.exe"}:
        joined = " ".join(texts).lower()
        deletes = re.search(r"\b(?:del|erase|rd|rmdir)\b", joined)
        if (deletes and "/s" in joined[deletes.end() :]) or re.search(
            r"\bformat\b|\breg\s+delete\b|\bshutdown\b|powershell|\bbcdedit\b|"
            r"\bdiskpart\b|vssadmin\s+delete",
            joined,
        ):
            yield ESCAPE.found(command, path=joined[:80])
        return
    yield from _by_option(program, words, command, context)


_OPTIONS: dict[str, tuple[str, ...]] = {
    "npm": ("-c", "--call"),
    "npx": ("-c", "--call"),
    "nix-shell": ("--run", "--command"),
    "wget": ("--use-askpass",),
    "pssh": (),
    "restic": ("--password-command",),
    "watchmedo": ("--command", "-c"),
    "nodemon": ("--exec", "-x"),
    "xterm": (),
    "aria2c": ("--on-download-complete",),
    "yarn": (),
    "pnpm": ("-c",),
}
#: Programs whose words after the option are the command itself.
_REST: dict[str, tuple[str, ...]] = {
    "nix": ("-c", "--command"),
    "xterm": ("-e",),
    "gnome-terminal": ("--", "-e", "-x"),
    "konsole": ("-e",),
    "kitty": ("--",),
    "alacritty": ("-e", "--command"),
    "wsl": ("--", "-e", "--exec"),
    "wsl.exe": ("--", "-e", "--exec"),
    "distrobox": ("--",),
    "watchexec": ("--",),
    "flatpak-spawn": ("--host",),
    "run-parts": (),
    "logsave": (),
    "start-stop-daemon": (),
    "rlwrap": (),
}


def _by_option(program: str, words: tuple[Word, ...], command: Command, context: Context) -> Iterator[Finding]:
    for number, word in enumerate(words):
        text = word.raw
        after = words[number + 1 :]
        for option in _OPTIONS.get(program, ()):
            if text == option and after:
                yield from context.judge_code(after[0].raw.replace(HOLE, "$unknown"), command)
            elif option.startswith("--") and text.startswith(f"{option}="):
                yield from context.judge_code(text[len(option) + 1 :].replace(HOLE, "$unknown"), command)
        if text in _REST.get(program, ()) and after:
            yield from context.judge_code(_joined(list(after), split=len(after) == 1), command)
            return
    if program in {"concurrently", "onchange", "cargo-watch"}:
        for word in words:
            if " " in word.raw:
                yield from context.judge_code(word.raw.replace(HOLE, "$unknown"), command)
    if program in {"logsave", "rlwrap"} and len(words) > 1:
        rest = [word for word in words[program == "logsave" :] if not word.raw.startswith("-")]
        yield from context.judge_code(_joined(rest), command)
    if program in {"pssh", "parallel-ssh", "pdsh", "clush"} and words:
        yield from context.judge_code(words[-1].raw.replace(HOLE, "$unknown"), command)


@FAMILY.judges("sh", "bash", "dash", "zsh", "ksh", "ash")
def found_shells(command: Command, _: Context) -> Iterator[Finding]:
    """A bare shell that find, awk or another tool starts."""
    if command.wrapped_by("find", "gfind", "fd", "env -S") and not command.args:
        yield ESCAPE.found(command, path="a shell")


# Variables and options that hold a command

#: More than one command in a text.
_SEVERAL = re.compile(r"[;&|`]|\$\(shell ")
_HOLDS_COMMAND = frozenset(
    [
        "PAGER",
        "MANPAGER",
        "BAT_PAGER",
        "DELTA_PAGER",
        "EDITOR",
        "VISUAL",
        "FCEDIT",
        "SUDO_EDITOR",
        "KUBE_EDITOR",
        "SYSTEMD_EDITOR",
        "SYSTEMD_PAGER",
        "GH_PAGER",
        "GLAB_PAGER",
        "AWS_PAGER",
        "PSQL_PAGER",
        "PSQL_EDITOR",
        "LESSOPEN",
        "LESSCLOSE",
        "RSYNC_RSH",
        "CVS_RSH",
        "SVN_SSH",
        "SVN_EDITOR",
        "HGEDITOR",
        "GIT_PAGER",
        "GIT_EDITOR",
        "GIT_SEQUENCE_EDITOR",
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "SUDO_ASKPASS",
        "FZF_DEFAULT_COMMAND",
        "PROMPT_COMMAND",
    ]
)
_HOLDS_OPTIONS = {"TAR_OPTIONS": "tar", "MAKEFLAGS": "make", "GNUMAKEFLAGS": "make", "FZF_DEFAULT_OPTS": "fzf"}


@FAMILY.judges("*")
def variables(command: Command, context: Context) -> Iterator[Finding]:
    """Variables before a command that make it run another one. Those of git are judged with git."""
    if not command.assignments or not command.argv or command.program == "git":
        return
    for name, value in command.assignments.items():
        text = value.strip()
        if not text or text.startswith(HOLE):
            continue
        if name in _HOLDS_COMMAND:
            yield from _runs(text.lstrip("|-"), command, context)
        elif name in _HOLDS_OPTIONS:
            words = " ".join(quoted(word) for word in text.split())
            yield from context.judge_code(f"{_HOLDS_OPTIONS[name]} {words}", command)
        elif command.program in {"make", "gmake"} and HOLE not in text and _SEVERAL.search(text):
            yield from context.judge_code(text.replace("$(shell ", "$("), command)


@FAMILY.judges("{}")
def whatever_is_found(command: Command, _: Context) -> Iterator[Finding]:
    """find and its like that run every file they find."""
    if command.wrapped_by("find", "gfind", "fd", "fdfind", "xargs", "parallel"):
        yield ESCAPE.found(command, path="every file that is found")


_RSYNC_SHELL = re.compile(r"-[a-df-zA-Z]*e(.*)\Z", re.DOTALL)
_RSYNC_THERE = re.compile(r"(?:sudo (?:-\S+ )*)?\S*rsync(?: --?\S+)*")


@FAMILY.judges("rsync")
def rsync(command: Command, context: Context) -> Iterator[Finding]:
    """The shell that rsync connects with, and the command that it starts at the other end."""
    for word, after in itertools.zip_longest(command.args, command.args[1:]):
        text, following = word.raw, after.raw if after is not None else ""
        found = _RSYNC_SHELL.match(text)
        shell = (found.group(1) or following) if found else text[6:] if text.startswith("--rsh=") else ""
        if re.match(r"(?:\S*/)?ssh\b", shell):
            if "command" in shell.lower():
                yield from context.judge_code(f"{shell.replace(HOLE, '$unknown')} h", command)
        elif shell and text != "-e" and not text.startswith("--"):
            yield from _runs(shell, command, context)
        there = text[13:] if text.startswith("--rsync-path=") else following if text == "--rsync-path" else ""
        if there and not _RSYNC_THERE.fullmatch(there):
            yield from _runs(there, command, context)


_FZF_ACTION = re.compile(r"(?:execute|execute-silent|become|reload|transform|preview)\(([^()]*)\)")


@FAMILY.judges("fzf", "sk", "rg")
def searches(command: Command, context: Context) -> Iterator[Finding]:
    """Commands that run for what a search finds."""
    options = parse(
        command, Spec("pre= pre-glob= preview= bind= preview-window= e= regexp= g= glob= t= T= A= B= C= m=")
    )
    for word in options.values("pre", "preview"):
        text = word.raw.replace("{}", "x").replace(HOLE, "$unknown")
        yield from context.judge_code(f"{text} x" if command.program == "rg" else text, command)
    for word in options.values("bind"):
        for code in itertools.islice(_FZF_ACTION.findall(word.raw), 8):
            yield from context.judge_code(code.replace("{}", "x").replace(HOLE, "$unknown"), command)


_OWN_LIBRARY = ("/usr/", "/lib", "/opt/", "internal")


@FAMILY.judges("ssh-keygen", "ssh-add", "sftp", "wget")
def loaded(command: Command, _: Context) -> Iterator[Finding]:
    """Libraries and helpers that a program is told to load."""
    option = {"ssh-add": "-s", "wget": "-e"}.get(command.program or "", "-D")
    for word, after in itertools.pairwise(command.args):
        wanted = not after.raw.startswith(("-", *_OWN_LIBRARY))
        if command.program == "wget":
            wanted = re.match(r"use_?askpass\s*=", after.raw, re.IGNORECASE) is not None
        if word.raw == option and wanted:
            yield ESCAPE.found(command, path=after.text)


@FAMILY.judges("gdb", "lldb", "rust-gdb", "gdb-multiarch")
def attached(command: Command, _: Context) -> Iterator[Finding]:
    """Functions that a debugger calls inside of a running process."""
    texts = [word.raw for word in command.args]
    if any(re.match(r"--?p(?:id)?(?:=|\Z)", text) for text in texts):
        called = next((text for text in texts if re.match(r"\s*(?:call|print|p|expr)\s[^(]*\(", text)), "")
        if called:
            yield ESCAPE.found(command, path=called[:80])


_THERE = re.compile(
    r"\s*-?@?(?:(?:glob\s+)?rm\s+(?:-\w*[rR]|[^\n]*[*?])|mrm\s|mdel(?:ete)?\s|"
    r"mirror\s[^\n]*(?:--delete\b|\s-\w*e\w*(?:\s|\Z)))"
)


@FAMILY.judges("lftp", "sftp", "ftp", "ncftp")
def transfers(command: Command, context: Context) -> Iterator[Finding]:
    """Scripts of file transfer programs: commands of this machine, and deletions at the other end."""
    codes = [after.raw for word, after in itertools.pairwise(command.args) if word.raw in {"-e", "-c"}]
    if command.program == "sftp":
        codes = []
    if command.stdin is not None and command.stdin.text:
        codes.append(command.stdin.text)
    lines = [line for code in codes for line in re.split(r"[;\n]", code)]
    for line in lines[:64]:
        text = line.strip()
        if text.startswith("!"):
            yield from _runs(text[1:], command, context)
        elif _THERE.match(text):
            yield THERE.found(command, path=text[:80])


@FAMILY.judges("zf_rm", "zf_mv", "zf_ln", "zf_chmod", "zf_chown", "zf_rmdir")
def zsh_files(command: Command, context: Context) -> Iterator[Finding]:
    """The file commands that zsh brings along do what those of the system do."""
    words = " ".join(quoted(word.raw) for word in command.args)
    yield from context.judge_code(f"{(command.program or '')[3:]} {words}", command)
