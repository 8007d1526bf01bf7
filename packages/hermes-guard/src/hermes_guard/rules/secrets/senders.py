"""Judges programs that send their arguments elsewhere: messages, queues, browsers, load generators."""

from collections.abc import Iterator
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.destinations import NAMES_HERE
from hermes_guard.rules.secrets.rules import FAMILY, UPLOAD
from hermes_guard.rules.secrets.sensitive_data import flowing_in, kept_file, output
from hermes_guard.rules.secrets.sensitive_files import filled
from hermes_guard.rules.secrets.vendor_keys import known_keys
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding


class _Sender(NamedTuple):
    """The verbs that make a program send (any, when empty), the options that name files, and whether operands do."""

    verbs: frozenset[str] = frozenset()
    spec: Spec = Spec()
    files: tuple[str, ...] = ()
    operands: bool = False
    stdin: bool = False


_CLOUD_VERBS = names(
    """
    publish send-message send-message-batch send-email send-raw-email invoke put-events put-record put-records
    put-log-events send-command put-parameter create-secret put-secret-value messages
    """
)
_REPOSITORY_VERBS = frozenset({"issue", "pr", "mr", "release", "api", "discussion", "comment", "note", "snippet"})
_LOAD = Spec("p= T= H= n= c= C= D= d= m= o= t= z= q= body-file= body=")
_BROWSERS = names(
    """
    lynx w3m links elinks xdg-open open firefox chromium chromium-browser google-chrome brave sensible-browser
    wslview www-browser start gio qutebrowser
    """
)
_SENDERS: dict[str, _Sender] = {
    **dict.fromkeys(
        ("gh", "glab"),
        _Sender(
            _REPOSITORY_VERBS,
            Spec("F= body= body-file= notes= notes-file= input= f= field= raw-field= b= t= title= n= R="),
            ("F", "body-file", "notes-file", "input", "field"),
        ),
    ),
    **dict.fromkeys(("aws", "gcloud", "az"), _Sender(_CLOUD_VERBS)),
    **dict.fromkeys(
        ("mosquitto_pub", "mqtt", "mqttx", "pub"),
        _Sender(spec=Spec("f= file= m= message= h= t= p= q= u= P= s l"), files=("f", "file"), stdin=True),
    ),
    **dict.fromkeys(
        ("kcat", "kafkacat", "amqp-publish", "nats", "rabbitmqadmin", "wscat"), _Sender(stdin=True, operands=True)
    ),
    "grpcurl": _Sender(spec=Spec("d= H= proto= import-path= max-time= authority="), stdin=True),
    **dict.fromkeys(_BROWSERS, _Sender()),
    **dict.fromkeys(
        ("ipfs", "w3", "arkb"), _Sender(frozenset({"add", "put", "up", "upload", "deploy"}), operands=True, stdin=True)
    ),
    **dict.fromkeys(
        (
            "ntfy",
            "apprise",
            "telegram-send",
            "slack-cli",
            "pushover",
            "signal-cli",
            "matrix-commander",
            "wall",
            "xmpp-send",
            "sendxmpp",
        ),
        _Sender(
            spec=Spec("f= file= b= body= a= attach= image= i= t= title="),
            files=("f", "file", "a", "attach", "i", "image"),
            stdin=True,
        ),
    ),
    **dict.fromkeys(
        ("ab", "hey", "oha", "bombardier", "wrk", "siege", "vegeta", "autocannon"),
        _Sender(spec=_LOAD, files=("p", "D", "body-file")),
    ),
    **dict.fromkeys(("snmptrap", "irc", "ii", "finger", "gopher", "ncftp", "nsupdate"), _Sender(stdin=True)),
}
_IN_FIELD = re.compile(r"[\w.-]*=?@")


@FAMILY.judges(*_SENDERS)
def speakers(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about secrets in what is sent."""
    speaker = _SENDERS[command.program or ""]
    texts = {word.raw for word in command.args[:6]}
    if (speaker.verbs and speaker.verbs.isdisjoint(texts)) or any(
        NAMES_HERE.search(word.raw[:400]) for word in command.args
    ):
        return
    options = parse(command, speaker.spec)
    files = [_file(word) for word in options.values(*speaker.files)]
    files += options.operands if speaker.operands else []
    found = (
        kept_file(files, command, context)
        or filled(files, command, context)
        or output((inner for word in command.args for inner in word.commands), context)
        or next((key for word in command.args for key in known_keys(word)), "")
        or (flowing_in(command, context) if speaker.stdin else "")
    )
    if found:
        yield UPLOAD.found(command, path=found)


def _file(word: Word) -> Word:
    """Return the file in `name=@file` and `@file`."""
    at = _IN_FIELD.match(word.raw)
    return word.tail(at.end()) if at else word


_STORES = Spec("h= p= a= n= u= i x r= d=")


@FAMILY.judges("redis-cli", "valkey-cli")
def databases(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about secrets that are sent to a remote database."""
    host = parse(command, _STORES).value("h", "u")
    if host is None or NAMES_HERE.search(host.raw) or not host.certain:
        return
    found = output((inner for word in command.args for inner in word.commands), context) or flowing_in(command, context)
    if found:
        yield UPLOAD.found(command, path=found)
