"""Judges HTTP requests that delete data."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.sql.request_bodies import judge_address, judge_body, judge_form
from hermes_guard.rules.sql.rules import FAMILY, HTTP, TOO_LONG
from hermes_guard.rules.sql.script_files import Saved
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_CURL = Spec(
    "X= request= H= header= d= data= data-ascii= data-raw= data-binary= data-urlencode= json= F= form= o= output= u= "
    "user= A= user-agent= b= cookie= c= cookie-jar= e= referer= T= upload-file= x= proxy= m= max-time= w= "
    "write-out= connect-timeout= retry= cacert= E= cert= key= unix-socket= url= K= config= r= range= C= z= resolve= "
    "interface= limit-rate= D= dump-header= G get I head s S f k L v i g n N O J R q a j l p t= Q= 0 1 2 3 4 "
    "6 # silent show-error fail insecure location verbose include compressed globoff abstract-unix-socket= "
    "oauth2-bearer= help version method= body-data= body-file= post-data= post-file="
)
_LOCAL = re.compile(
    r"(?:https?://)?(?:[^@/]{0,200}@)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|(?=:\d))(?::(\d+))?(?:[/?]|$)"
)
#: Ports of data stores and of servers that manage others.
_STORES = names(
    "9200 9201 8500 2375 2376 2379 5984 8086 15672 8983 6333 6334 7474 8529 8200 6443 9090 9091 8123 7700 8108 4001 "
    "8428 9870 50070 14000 19530 4646 5601 8091 8093 28017 8047"
)
_DELETING_CALL = re.compile(
    r"/_delete_by_query|/_shutdown|/update\?.{0,300}delete|/containers/create|/exec/\w+/start"
    r"|/containers/[^/]+/(?:stop|kill|restart|exec)|/(?:volumes|images|containers|networks|system)/prune"
    r"|/(?:tsdb/)?delete_series\b|/tsdb/clean_tombstones|/kv/deleterange|/api/v2/delete(?:\?|\Z)|[?&]op=DELETE\b"
    r"|/controller/doFlush\b|/(?:collections|databases|indexes|partitions|aliases)/drop(?:\?|\Z)|/api/v\d/reset(?:\?|\Z)"
    r"|/points/delete(?:\?|\Z)|/v\d/kv/[^\s?]{0,300}\?recurse|/_purge\b|/loki/api/v1/delete(?:\?|\Z)"
    r"|/(?:collections|entities|vectors)/delete(?:\?|\Z)|[?&]action=(?:DELETE|UNLOAD)\b"
)
#: Paths where deleting means data, whatever the port.
_DELETED_DATA = re.compile(
    r"[^/]{0,300}(?://[^/]{0,300})?/(?:_all\b|solr/|v1/(?:schema|objects)\b"
    r"|(?:v\d/)?(?:collections|indexes|indices|databases|topics|subjects|connectors)/[^/?]+/?(?:\?|\Z))"
)


_HTTPIE = Spec(
    "a= auth= A= p= session= o= output= timeout= proxy= verify= cert= j json f form b body h headers v "
    "verbose d download F follow check-status ignore-stdin offline help version"
)
_CURL_DATA = ("d", "data", "data-raw", "data-binary", "data-ascii", "json", "data-urlencode", "F", "form")
_WGET_DATA = ("post-data", "post-file", "body-data", "body-file")
_CURLS = names("curl curlie wget")


@FAMILY.judges("curl", "wget", "http", "https", "xh", "httpie", "curlie", "xhs", "aria2c")
def requests(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about a DELETE request, or a request that contains a destructive statement."""
    program = command.program or ""
    options = parse(command, _CURL if program in _CURLS else _HTTPIE)
    if options.has("offline", "version"):
        return
    method, addresses = _method(program, options)
    for word in addresses:
        if _deletes(method, word, options):
            yield HTTP.found(command, path=f"{method} {word.text}"[:120])
            return
        if _SEARCH.search(word.raw):
            return
        if _asks_a_store(word):
            yield from judge_address(word.raw, command)
    if method == "DELETE" and not addresses:
        yield HTTP.found(command, path="DELETE")
    elif (method != "GET" or options.has(*_CURL_DATA)) and not (addresses and all(map(_only_text, addresses[:8]))):
        yield from _bodies(command, options, addresses, Saved(command, context))


def _deletes(method: str, word: Word, options: Options) -> bool:
    local = _LOCAL.match(word.raw)
    store = options.has("unix-socket") or (local is not None and local.group(1) in _STORES)
    if method == "DELETE" and (local is None or store or _DELETED_DATA.match(word.raw)):
        return True
    return method in {"POST", "PUT", "DELETE"} and _DELETING_CALL.search(word.raw) is not None


def _asks_a_store(word: Word) -> bool:
    """Return True for the port of a data store; elsewhere a query is only text."""
    return _PORT.match(word.raw) is not None


#: Paths where databases accept statements, whatever their port.
_TAKES_STATEMENTS = re.compile(
    r"/(?:_?p?sql|ksql|query|queries|exec|execute|statements?|cypher|tx|db|graphql|alter|write|update|mutate|imp|rpc)\b",
    re.IGNORECASE,
)


def _only_text(word: Word) -> bool:
    """Return True for a local server that is not a data store, for which a body is only data."""
    local = _LOCAL.match(word.raw)
    if local is None or local.group(1) in _STORES:
        return False
    return _TAKES_STATEMENTS.search(word.raw, local.end() - 1) is None


#: Search terms are only text.
_SEARCH = re.compile(r"/_?(?:m?search|select|suggest|count|analyze|autocomplete)\b")
_PORT = re.compile(r"(?:https?://)?[^/?]{0,300}:\d{2,5}(?:[/?]|$)")


def _bodies(command: Command, options: Options, addresses: list[Word], saved: Saved) -> Iterator[Finding]:
    """Yield the request bodies, including those from a file or the input."""
    if command.program not in _CURLS:
        store = any(map(_asks_a_store, addresses))
        for word in addresses[1:] if store else ():
            yield from judge_form(word.raw.replace("==", "=", 1).replace(":=", "=", 1), command, encoded=False)
        yield from judge_body(saved.input(), command)
        return
    for name in (*_CURL_DATA, *_WGET_DATA):
        for word in options.values(name):
            text = saved.word(word)
            if name.endswith("file"):
                text = saved.file(word)
            elif text[:1] == "@" and name not in {"data-raw", "post-data", "body-data"}:
                text = saved.file(word.tail(1))
            if name == "data-urlencode":
                yield from judge_form(text, command, encoded=False)
            yield from judge_body(text, command)
    if saved.exceeded:
        yield TOO_LONG.found(command)


def _method(program: str, options: Options) -> tuple[str, list[Word]]:
    """Return the method of a request, and its URLs."""
    addresses = [*options.operands, *options.values("url")]
    if program in _CURLS:
        given = options.value("method") if program == "wget" else options.value("X", "request")
        sends = options.has(*(_WGET_DATA if program == "wget" else _CURL_DATA)) and not options.has("G", "get")
        return given.raw.upper() if given else "POST" if sends else "GET", addresses
    if options.subcommand().upper() in {"DELETE", "POST", "PUT", "PATCH", "GET"}:
        return options.subcommand().upper(), addresses[1:]
    return "", addresses
