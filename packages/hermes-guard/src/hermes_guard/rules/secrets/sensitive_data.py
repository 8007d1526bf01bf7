"""Recognizes data that should not leave this machine: files, command output, and variables."""

from collections.abc import Iterable

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.rules.common.critical_paths import FOLDERS
from hermes_guard.rules.common.path_arguments import piped_names, places
from hermes_guard.rules.common.path_findings import MANY, READ_IGNORED, judged
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.file_arguments import COPIERS, READERS, files
from hermes_guard.rules.secrets.findings import unfolded
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word

_SENT_IGNORED = READ_IGNORED - {"path.dotenv", "path.infrastructure-state"} | {"path.raw-disk-read"}
#: Files that may be read here but should not be sent elsewhere.
_MACHINE = re.compile(r"/(?:etc|root|proc|var/lib|var/log|var/mail|boot|sys)(?:/|\Z)")
#: Directories in the home where programs store their logins.
_SETTINGS = frozenset({"/.config", "/.local/share", "/Library", "/Library/Application Support", "/.cache"})
_DUMP_FILE = re.compile(r"\.(?:sql|dump|sqlite3?|db|bak|rdb|bson)(?:\.(?:gz|bz2|xz|zst))?\Z", re.IGNORECASE)


def kept_file(words: Iterable[Word], command: Command, context: Context) -> str:
    """Return the path of the first of these files that should not leave this machine, or an empty string."""
    return next(
        (path for word in unfolded(words, command)[:MANY] if (path := _sensitive_path(word, command, context))), ""
    )


def _sensitive_path(word: Word, command: Command, context: Context) -> str:
    for path, _ in judged("read", word, command, context, ignore=_SENT_IGNORED):
        return path
    for path, guess in places(word, command, context):
        own = path == context.home or path.removeprefix(context.home) in _SETTINGS
        if not guess and (own or _MACHINE.match(path) or path in FOLDERS):
            return path
    return ""


def private_file(words: list[Word], command: Command, context: Context) -> str:
    """Return the path of a whole database or of a hidden file in the home, or an empty string."""
    for word in words[:MANY]:
        path = command.path(word)
        if path is not None and (_DUMP_FILE.search(path) or path.startswith(f"{context.home}/.")):
            return path
    return ""


_DUMPS = frozenset({"env", "printenv", "set", "history", "pbpaste", "export", "declare", "typeset", "compgen"})
#: Programs that print everything when called without arguments.
_WHOLE = frozenset({"env", "printenv", "set", "export", "history"})
_DATABASES = frozenset({"mysqldump", "pg_dump", "pg_dumpall", "mongodump", "mariadb-dump"})
CLIPBOARDS = frozenset({"xclip", "xsel", "wl-paste", "screencapture", "scrot", "grim", "import", "arecord", "logkeys"})
_SOURCES = READERS - COPIERS - {"sqlite3", "perl", "ruby"}
_SECRET_NAME = re.compile(r"SECRET|PASS|TOKEN|KEY|CRED", re.IGNORECASE)
_SECRET_VARIABLE = re.compile(
    r"\$\{?(AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|AWS_ACCESS_KEY_ID|GITHUB_TOKEN|GH_TOKEN|"
    r"NPM_TOKEN|DATABASE_URL|SSH_PRIVATE_KEY|OPENAI_API_KEY|ANTHROPIC_API_KEY|"
    r"\w*(?:SECRET|PASSWORD|PASSWD|PRIVATE_KEY|CREDENTIALS?)\w*)\b",
    re.IGNORECASE,
)
_LOGIN_FIELD = re.compile(
    r"(?:client_secret|client_id|secret|password|passwd|pass|pwd|access_token|token|api_?key|"
    r"key|username|assertion)(?:[=:]|\\?\"\s*:\s*)[\\\"']*\Z",
    re.IGNORECASE,
)


def source(command: Command, context: Context) -> str:
    """Return the sensitive data that a command prints, or an empty string."""
    program = command.program or ""
    if program in _DUMPS:
        return _dumped(command)
    if program in _DATABASES:
        return "a whole database"
    if program in CLIPBOARDS and not command.redirects and command.stdin is None:
        return "the clipboard or screen"
    if program in {"echo", "printf"}:
        told = (_SECRET_VARIABLE.search(word.source) for word in command.args if HOLE in word.raw)
        return next((found.group(1) for found in told if found), "")
    words: list[Word] = []
    if program in _SOURCES:
        words = files(command)
        if command.wrapped_by("xargs", "parallel"):
            words = [*words, *piped_names(command)]
    read = [found.target for found in command.redirects if found.operator == "<" and not found.target.process]
    return kept_file(words, command, context) or kept_file(read, command, context)


def _dumped(command: Command) -> str:
    """Return the environment or the history that a program prints."""
    program = command.program or ""
    operands = [word for word in command.args if not word.raw.startswith("-")]
    if program == "printenv" and operands:
        return next((word.text for word in operands if _SECRET_NAME.search(word.raw)), "")
    if program == "env":
        # `env A=1` without a command also prints everything.
        operands = [word for word in operands if "=" not in word.raw]
    if program == "history":
        return "the history"
    return "" if operands and program != "pbpaste" else "the environment"


def dumped_before(words: Iterable[Word], command: Command, context: Context) -> str:
    """Return the environment, when it was captured before and unknown text is sent now: `d=$(env); curl -d "$d"`."""
    if not any(HOLE in word.raw and not word.commands for word in words):
        return ""
    for other in context.commands[:64]:
        if other is command:
            return ""
        if other.program in _WHOLE and len(other.argv) == 1 and not other.redirects and _only_encoded(other):
            return "the environment"
    return ""


def _only_encoded(command: Command) -> bool:
    return all(reader.program in ENCODING | {"tr", "jq", "sort"} for reader in command.feeds)


def output(commands: Iterable[Command], context: Context) -> str:
    """Return the sensitive data that the first of these commands prints, or an empty string."""
    return next((found for command in commands if (found := source(command, context))), "")


def flowing_in(command: Command, context: Context) -> str:
    """Return the sensitive data in the input of a command, or an empty string."""
    stdin = command.stdin
    if stdin is None:
        return ""
    if stdin.file is not None:
        return kept_file([stdin.file], command, context)
    told = (_variable(found.target) for found in command.redirects if found.operator in {"<<", "<<<"})
    return output(_upstream(stdin.commands), context) or next(filter(None, told), "")


def _upstream(commands: tuple[Command, ...]) -> list[Command]:
    """Return the commands that write into a pipe, back to its start if those between only reformat the data."""
    found = list(commands)
    for command in found:
        if command.program in _PASSING and command.stdin is not None and len(found) < 16:
            found += [other for other in command.stdin.commands if other not in found]
    return found


ENCODING = frozenset({"base64", "xxd", "od", "hexdump", "base32", "gzip"})
#: Programs that describe this machine or obscure their input.
_SUSPICIOUS = ENCODING | {
    "whoami",
    "id",
    "ifconfig",
    "ps",
    "last",
    "who",
    "w",
    "arp",
    "netstat",
    "ss",
    "crontab",
    "sudo",
}
_PASSING = ENCODING | names("tr sort uniq head tail sed jq rev fold tee bzip2 xz zstd gpg openssl paste xargs cat")
_ADDRESS = re.compile(r"\w+://|[\w.-]+\.\w+/")


def inside(words: Iterable[Word], context: Context) -> str:
    """Return a secret inside of sent words, or an empty string."""
    for word in words:
        found = output(word.commands, context) or _variable(word)
        if found:
            return found
        told = {inner.program for inner in word.commands} & _SUSPICIOUS
        if told and (_ADDRESS.match(word.raw.replace(HOLE, "x")) or told - ENCODING):
            return f"what {min(str(name) for name in told)} says"
    return ""


def _variable(word: Word) -> str:
    """Return a secret variable in a body or a URL, unless it is in a login field."""
    if HOLE not in word.raw:
        return ""
    for found in _SECRET_VARIABLE.finditer(word.source):
        name = found.group(1)
        before = word.source[max(0, found.start() - 40) : found.start()]
        if name.upper().startswith("AWS_S") or not _LOGIN_FIELD.search(before):
            return name
    return ""
