"""Requests that delete."""

import re
from collections.abc import Iterator

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.argv.names import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.sql.table import FAMILY, HTTP
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_CURL = Spec(
    "X= request= H= header= d= data= data-raw= data-binary= data-urlencode= json= F= form= o= output= u= "
    "user= A= user-agent= b= cookie= c= cookie-jar= e= referer= T= upload-file= x= proxy= m= max-time= w= "
    "write-out= connect-timeout= retry= cacert= E= cert= key= unix-socket= url= K= config= r= range= C= z= resolve= "
    "interface= limit-rate= D= dump-header= G get I head s S f k L v i g n N O J R q a j l p t= Q= 0 1 2 3 4 "
    "6 # silent show-error fail insecure location verbose include compressed globoff abstract-unix-socket= "
    "oauth2-bearer= help version method= body-data= body-file= post-data= post-file="
)
_LOCAL = re.compile(r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?::(\d+))?(?:/|$)")
#: Ports of data stores and of servers that manage others.
_STORES = names("9200 9201 8500 2375 2376 2379 5984 8086 15672 8983 6333 7474 8529 8200 6443 9090")
_DELETING_CALL = re.compile(
    r"/_delete_by_query|/_shutdown|/update\?.{0,300}delete|/_all\b|/containers/create|/exec/\w+/start"
    r"|/containers/[^/]+/(?:stop|kill|restart|exec)|/(?:volumes|images|containers)/prune"
)


_HTTPIE = Spec(
    "a= auth= A= p= session= o= output= timeout= proxy= verify= cert= j json f form b body h headers v "
    "verbose d download F follow check-status ignore-stdin offline help version"
)
_CURL_DATA = ("d", "data", "data-raw", "data-binary", "json", "data-urlencode", "F", "form")


@FAMILY.judges("curl", "wget", "http", "https", "xh", "httpie", "curlie", "xhs", "aria2c")
def requests(command: Command, _: Context) -> Iterator[Finding]:
    """A request with the method DELETE."""
    program = command.program or ""
    options = parse(command, _CURL if program in {"curl", "curlie", "wget"} else _HTTPIE)
    if options.has("offline", "version"):
        return
    method, addresses = _method(program, options)
    for word in addresses:
        local = _LOCAL.match(word.raw)
        store = options.has("unix-socket") or (local is not None and local.group(1) in _STORES)
        if (method == "DELETE" and (local is None or store)) or (
            method in {"POST", "PUT", "DELETE"} and _DELETING_CALL.search(word.raw)
        ):
            yield HTTP.found(command, path=f"{method} {word.text}"[:120])
            return
    if method == "DELETE" and not addresses:
        yield HTTP.found(command, path="DELETE")


def _method(program: str, options: Options) -> tuple[str, list[Word]]:
    """The method of a request, and its addresses."""
    addresses = [*options.operands, *options.values("url")]
    if program in {"curl", "curlie", "wget"}:
        given = options.value("method") if program == "wget" else options.value("X", "request")
        data = ("post-data", "post-file") if program == "wget" else _CURL_DATA
        return given.raw.upper() if given else "POST" if options.has(*data) else "GET", addresses
    if options.subcommand().upper() in {"DELETE", "POST", "PUT", "PATCH", "GET"}:
        return options.subcommand().upper(), addresses[1:]
    return "", addresses
