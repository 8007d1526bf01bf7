"""Finds where a command saves what it fetches."""

import posixpath
from collections.abc import Callable
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.rules.remote_code.fetch_commands import fed, fetches
from hermes_guard.rules.remote_code.programs import PYTHONS
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word

_CURL = Spec(
    "o= output= O remote-name remote-name-all J L s S f k X= request= H= header= d= data= u= user= A= user-agent= e= "
    "b= cookie= c= "
    "x= proxy= m= max-time= F= form= T= upload-file= w= write-out= r= range= C= E= retry= connect-timeout= "
    "output-dir= create-dirs url= "
    "data-binary= data-raw= data-urlencode= cacert= cert= key= retry-delay= resolve= limit-rate= location silent "
    "show-error fail insecure"
)
_WGET = Spec(
    "O= output-document= P= directory-prefix= q quiet c N S= nv t= T= w= U= user-agent= header= user= password= "
    "post-data= i= o= a= e= "
    "no-check-certificate no-verbose show-progress r l= A= R= nc continue tries= timeout="
)
_CLONE = Spec(
    "b= branch= depth= o= origin= c= config= reference= separate-git-dir= j= jobs= filter= recurse-submodules? "
    "shallow-since= "
    "template= u= upload-pack= q quiet v verbose single-branch recursive bare mirror n no-checkout l"
)
_GIT = Spec("C= c= git-dir= work-tree= namespace=", posix=True)
_TFTP = Spec("g p l= r= b= c= m= v")
_DOWNLOAD = Spec("o= out= output= O= d= dir= D= p= pattern= R= repo=")
_SMB = Spec("c= command= U= user= W= workgroup= I= ip-address= p= port= D= directory= d= A= authentication-file= N k")
_FTP = Spec("o= a d i n N p v")


class Fetched(NamedTuple):
    """Files and a directory that a command fetches."""

    files: tuple[str, ...] = ()
    folder: str = ""


def place(command: Command, text: str) -> str:
    """Return a path relative to the command's directory, or unchanged when that is uncertain."""
    path = command.path(text) if HOLE not in text else None
    return path or text


def base(url: str) -> str:
    """Return the file name at the end of a URL."""
    return posixpath.basename(url.split("?", 1)[0].rstrip("/"))


def plain(command: Command) -> list[str]:
    """Return the arguments that are not options."""
    return [word.raw for word in command.args if not word.raw.startswith("-")]


_CLONERS = frozenset({"git", "gh", "hg", "svn", "glab"})
#: Programs that write their input to the named files.
_SINKS = frozenset({"tee", "sponge"})


def saves(command: Command) -> Fetched:
    """Find where a command saves what it fetches."""
    program = command.program or ""
    folder = _cloned(command) if program in _CLONERS else ""
    if folder:
        # An svn export may be a single file.
        where = place(command, folder)
        return Fetched((where,) if program == "svn" else (), folder=where)
    save = _SAVERS.get(program)
    names = save(command) if save is not None else []
    written = [found.target.raw for found in command.redirects if found.writes and found.fd in {None, 1}]
    if program in _SINKS:
        written += plain(command)
    if written and program and (fetches(command) or fed(command) is not None):
        names += written
    return Fetched(tuple(place(command, name) for name in names if name not in _NO_FILES))


#: Destinations that are printed or discarded.
_NO_FILES = frozenset({"", "-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1"})


def _cloned(command: Command) -> str:
    options = parse(command, _GIT)
    if command.program == "git" and [options.subcommand(), options.subcommand(1)] == ["submodule", "add"]:
        return _into(options.operands[2:])
    verbs = 2 if command.program in {"gh", "glab"} else 1
    if options.subcommand(verbs - 1) not in {"clone", "checkout", "co", "export"} or (
        command.program == "git" and options.subcommand() != "clone"
    ):
        return ""
    return _into(options.operands[verbs:])


def _into(words: list[Word]) -> str:
    """Return the directory that a clone creates."""
    clone = parse_words(words, _CLONE)
    if len(clone.operands) > 1:
        return clone.operands[1].raw
    return base(clone.operands[0].raw).removesuffix(".git") if clone.operands else ""


def _by_curl(command: Command) -> list[str]:
    options = parse(command, _CURL)
    names = [word.raw for word in options.values("o", "output")]
    if options.has("O", "remote-name", "remote-name-all"):
        names += [base(word.raw) for word in [*options.operands, *options.values("url")]]
    folder = options.value("output-dir")
    return names if folder is None else [posixpath.join(folder.raw, name) for name in names]


def _by_wget(command: Command) -> list[str]:
    options = parse(command, _WGET)
    target = options.value("O", "output-document")
    if target is not None:
        return [target.raw] if target.raw != "-" else []
    folder = options.value("P", "directory-prefix")
    return [posixpath.join(folder.raw if folder else "", base(word.raw)) for word in options.operands]


def _by_tftp(command: Command) -> list[str]:
    options = parse(command, _TFTP)
    names = [word.raw for word in options.values("l", "r")] if options.has("g") else []
    texts = [word.raw for word in command.args]
    if "get" in texts:
        names += [base(text) for text in texts[texts.index("get") + 1 :]]
    return names


def _by_copy(command: Command) -> list[str]:
    operands = plain(command)
    if len(operands) < 2 or ":" not in operands[-2] or ":" in operands[-1]:
        return []
    return [posixpath.join(operands[-1], base(operands[-2].rsplit(":", 1)[-1])), operands[-1]]


def _by_download(command: Command) -> list[str]:
    """Return every likely file of programs that name the URL and the file in other ways."""
    if not fetches(command):
        return []
    options = parse(command, _DOWNLOAD)
    # A remote path has a name before it: `remote:folder/file`.
    operands = [word.raw if "://" in word.raw else word.raw.rsplit(":", 1)[-1] for word in options.operands]
    names = [word.raw for word in options.values("o", "out", "output", "O")] + [base(name) for name in operands]
    names += [word.raw for word in options.values("p", "pattern")] if command.program == "gh" else []
    names += operands[-1:]
    if len(operands) > 1:
        names.append(posixpath.join(operands[-1], base(operands[-2])))
    return names


_GETS = re.compile(r"\bm?get\s{1,9}\"?([^\s;\"]{1,200})(?:\"?[ \t]{1,9}([^\s;]{1,200}))?")


def _by_smbclient(command: Command) -> list[str]:
    orders = parse(command, _SMB).value("c", "command")
    found = _GETS.findall(orders.raw) if orders is not None else []
    return [target or base(name) for name, target in found]


#: Possible file names in code.
_NAMED = re.compile(r"['\"]([\w./~-]{1,120})['\"]")


def _by_code(command: Command) -> list[str]:
    """Return every file named in code on the command line, if the code also contains a URL."""
    code = [word.raw for word in command.args if "://" in word.raw]
    return [name for text in code for name in _NAMED.findall(text)[:16]]


def _by_ftp(command: Command) -> list[str]:
    """Return the ftp of the BSDs, which also accepts URLs."""
    options = parse(command, _FTP)
    return [word.raw for word in options.values("o")] or [
        base(word.raw) for word in options.operands if "/" in word.raw
    ]


_SAVERS: dict[str, Callable[[Command], list[str]]] = {
    **dict.fromkeys(("curl", "curl.exe"), _by_curl),
    **dict.fromkeys(("wget", "wget2", "axel"), _by_wget),
    **dict.fromkeys(("scp", "sftp", "rsync"), _by_copy),
    **dict.fromkeys(
        ("aria2c", "http", "https", "xh", "fetch", "lwp-download", "gsutil", "aws", "gh", "rclone", "s3cmd"),
        _by_download,
    ),
    **dict.fromkeys(PYTHONS | {"php", "ruby", "perl", "node"}, _by_code),
    "ftp": _by_ftp,
    "smbclient": _by_smbclient,
    "tftp": _by_tftp,
}
#: Programs that may save a file or directory named in their arguments.
SAVING = frozenset({*_SAVERS, *_CLONERS, *_SINKS})
