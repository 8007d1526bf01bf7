"""Recognizes commands that fetch text from the network, and those whose text another command reads."""

from collections.abc import Iterable, Iterator

from hermes_guard.name_sets import names
from hermes_guard.rules.family import abbreviate
from hermes_guard.shell.command import Command, Wrapper

_FETCHERS = names(
    "curl curl.exe wget wget.exe wget2 fetch aria2c http https xh xhs httpie curlie axel lynx links elinks w3m "
    "lwp-request lwp-download GET POST ftp lftp tftp nc ncat netcat nc.openbsd nc.traditional socat telnet dig host "
    "nslookup drill smbclient scp sftp snarf gsutil rclone s3cmd s5cmd ipfs youtube-dl gopher finger whois hurl "
    "websocat wscat grpcurl uget torify got gist"
)
#: Programs that fetch with some of their subcommands only.
_FETCHING = {
    "aws": names("s3 s3api ssm secretsmanager"),
    "az": names("storage"),
    "doctl": names("compute"),
    "gcloud": names("storage compute"),
    "gh": names("api gist release repo"),
    "glab": names("api snippet"),
    "mc": names("cat"),
    "openssl": names("s_client"),
    "oras": names("pull"),
}
#: Connections that bash opens by itself.
SOCKETS = ("/dev/tcp/", "/dev/udp/")
#: The maximum number of commands checked upstream in a pipe.
_MAX_DISTANCE = 64


def fetches(command: Command) -> bool:
    """Return True when a command fetches text from the network."""
    program = command.program or ""
    if any(redirect.target.raw.startswith(SOCKETS) for redirect in command.redirects):
        return True
    if program in _FETCHING:
        return any(word.raw in _FETCHING[program] for word in command.args[:6])
    if program == "git":
        return any(word.raw.startswith("--remote") for word in command.args) and command.args[0].raw == "archive"
    if program == "rsync":
        return any(":" in word.raw for word in command.args)
    return program in _FETCHERS and not any(word.raw in {"--version", "--help"} for word in command.args)


def _abroad(command: Command) -> tuple[Wrapper, ...]:
    """Return the wrappers that move a command to another machine or into a container."""
    return tuple(wrapper for wrapper in command.wrappers if wrapper.elsewhere)


def fetchers(commands: Iterable[Command], reader: Command | None = None) -> Iterator[Command]:
    """Yield the commands among these, or earlier in their pipes, that fetch text to where its reader runs."""
    here = _abroad(reader) if reader is not None else ()
    seen: set[int] = set()
    waiting = list(commands)[:_MAX_DISTANCE]
    while waiting and len(seen) < _MAX_DISTANCE:
        command = waiting.pop(0)
        if id(command) in seen:
            continue
        seen.add(id(command))
        if fetches(command) or (command.elsewhere and _abroad(command) != here):
            yield command
        if command.stdin is not None:
            waiting.extend(command.stdin.commands[:_MAX_DISTANCE])
        for word in command.args:
            waiting.extend(word.commands[:_MAX_DISTANCE])


def fetcher(commands: Iterable[Command], reader: Command | None = None) -> Command | None:
    """Return the first fetching command, or None."""
    return next(fetchers(commands, reader), None)


def fed(command: Command) -> Command | None:
    """Return the fetching command whose text a command reads on its input, or None."""
    return fetcher(command.stdin.commands, command) if command.stdin is not None else None


def source(command: Command) -> str:
    """Return a fetching command as shown in a finding."""
    return abbreviate(command, 80)
