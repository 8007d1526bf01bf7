"""Detects secret environment variables that a script sends to another machine."""

from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.secret_variables import here, logs_in, own_vendor, secret

if TYPE_CHECKING:
    from hermes_guard.languages.scripts.script import Script

#: How each language reads an environment variable, or all of them.
_NODE = re.compile(
    r"\b(?:process|Bun|import\.meta)\.env\b(?:\??\.(\w+)|\[\s*['\"](\w+)['\"]\s*\])?"
    r"|\bDeno\.env\.(?:get\(\s*['\"](\w+)['\"]|toObject\(\))"
)
_RUBY = re.compile(
    r"\bENV(?:\[\s*['\"](\w+)['\"]\s*\]|\.fetch\(?\s*['\"](\w+)['\"]|(?=\.(?:to_|inspect|map|each|select|reject|sort))|(?=[\s),}]))"
)
_PERL = re.compile(r"\$ENV\{\s*['\"]?(\w+)['\"]?\s*\}|%ENV\b|%\{?\\?%?ENV\}?")
_PHP = re.compile(r"\bgetenv\(\s*(?:['\"](\w+)['\"]|\))|\$_(?:ENV|SERVER)\b(?:\[\s*['\"]?(\w+)['\"]?\s*\])?")
_READS = {"node": _NODE, "ruby": _RUBY, "perl": _PERL, "php": _PHP}
_SENDER = re.compile(
    r"\b(?:fetch|axios|got|ky|needle|superagent|post\w*|put|patch|get|request|write|sendBeacon|send\w*|end|start|URI|"
    r"file_get_contents|fopen|curl_setopt\w*|curl_init|stream_context_create|mail|wp_remote_\w+|getstore|getprint|open|"
    r"puts|print|fwrite|upload|readfile)\b[\w.:]{0,40}\s*(\(?)"
)
_ASSIGNED = re.compile(r"(?:\A|[\s;,(])([$@]?\w+)\s*=(?![=>])[^=;\n]{0,200}\Z")
_ADDRESS = re.compile(r"\w+://[^\s'\"`)]{1,200}")
_HEADER = re.compile(r"header|Authorization|HTTPHEADER|set_header|add_field|\bauth\b", re.IGNORECASE)
#: Operators that join a string and a value.
_JOINED = re.compile(r"['\"`\s+.]{0,8}(?:\$\{|#\{)?\Z")
#: The maximum number of characters between a call and a secret in its arguments, and of secrets and calls that are
#: checked.
_REACH, _LIMIT = 400, 40
_EVERYTHING = "the environment"


def sent(script: "Script", code: str) -> None:
    """Report a script that sends a secret to another machine."""
    pattern = _READS.get(script.language.name)
    if pattern is None or not (script.fetches or script.sockets):
        return
    senders = [found for _, found in zip(range(_LIMIT), _SENDER.finditer(code), strict=False)]
    for _, found in zip(range(_LIMIT), pattern.finditer(code), strict=False):
        name = next((part for part in found.groups() if part), "") or _EVERYTHING
        if name != _EVERYTHING and not secret(name):
            continue
        if script.budget.reads(20) and _leaves(code, found.start(), name, senders):
            script.found.append(Operation("send", name))
            return


def _leaves(code: str, place: int, name: str, senders: list[re.Match[str]]) -> bool:
    """Return True when the value here is passed to a sending call, directly or through a variable."""
    before = code[max(0, place - _REACH) : place]
    if logs_in(before, name) or logs_in(_JOINED.sub("", before), name):
        return False
    for call in senders:
        if call.end() == place and name != _EVERYTHING:
            # The URL itself comes from the environment.
            return False
        if call.end() <= place <= call.end() + _REACH and _inside(code[call.end() : place], call.group(1)):
            return not _exempt(code, call, place, name)
    assigned = _ASSIGNED.search(before)
    if assigned is None:
        return False
    variable = re.compile(rf"(?<![\w.]){re.escape(assigned.group(1))}\b")
    for call in senders:
        used = variable.search(code, call.end(), call.end() + _REACH) if call.start() > place else None
        if used is not None and _inside(code[call.end() : used.start()], call.group(1)):
            return not logs_in(code[call.end() : used.start()], name) and not _exempt(code, call, used.start(), name)
    return False


def _inside(between: str, parenthesis: str) -> bool:
    """Return True when the call that begins before a text is still open behind it."""
    if not parenthesis:
        return ";" not in between and "\n" not in between
    depth = 1
    for char in between:
        depth += (char == "(") - (char == ")")
        if not depth:
            return False
    return True


def _exempt(code: str, call: re.Match[str], place: int, name: str) -> bool:
    """Return True for a header, a local address, and the vendor that issued the secret."""
    between = code[call.start() : place]
    header = list(_HEADER.finditer(between))
    if header and name != _EVERYTHING:
        behind = between[header[-1].end() :]
        opened = sum(behind.count(one) for one in "{[(") - sum(behind.count(one) for one in "}])")
        if opened > 0 or len(behind) < 24:
            return True
    addresses = _ADDRESS.findall(code[call.start() : place + _REACH]) or _ADDRESS.findall(code[:_REACH])
    return bool(addresses) and all(here(one) or own_vendor(one, name) for one in addresses)
