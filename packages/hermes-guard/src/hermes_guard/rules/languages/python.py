"""Reads Python through its own syntax tree."""

import ast
import base64
import codecs
import posixpath
import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from hermes_guard.budget import Budget
from hermes_guard.rules.languages.deed import TOO_LONG, Deed, deletes, quoted, runs, starts
from hermes_guard.shell.word import HOLE

#: A hole must be a name to stand where code is expected.
_HOLE_NAME = "hole_of_the_shell"
#: Bounds for what is computed while reading.
_LIMIT = 65_536
_MOST_ITEMS = 1024
_LONGEST_PIECE = 1024
_DEEPEST = 4
#: Steps to parse a text, beside two for each piece of it.
_PER_PARSE = 20
_PIECE = re.compile(r"\w+|[^\w ]")


class _TooLongError(Exception):
    """Raised when there is more to read than the budget allows."""


class _Unknown:
    """A value that only the running program knows."""


UNKNOWN: Final = _Unknown()
_SHELL = frozenset(
    [
        "os.system",
        "os.popen",
        "os.popen2",
        "os.popen3",
        "os.popen4",
        "subprocess.getoutput",
        "subprocess.getstatusoutput",
        "commands.getoutput",
        "commands.getstatusoutput",
        "popen2.popen2",
        "popen2.popen3",
        "popen2.popen4",
        "asyncio.create_subprocess_shell",
        "platform.popen",
        "os.startfile",
    ]
)
_PROCESS = frozenset(
    [
        "subprocess.run",
        "subprocess.call",
        "subprocess.check_call",
        "subprocess.check_output",
        "subprocess.Popen",
        "pty.spawn",
        "pexpect.spawn",
        "pexpect.run",
        "asyncio.create_subprocess_exec",
    ]
)
_EXEC = re.compile(r"os\.(?:exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)\Z")
_TREES = frozenset(["shutil.rmtree", "os.removedirs", "distutils.dir_util.remove_tree"])
_FILES = frozenset(["os.remove", "os.unlink"])
_EVAL = frozenset(["exec", "eval", "compile", "execfile"])
#: Functions that run the code in their first argument, and the place of code that runs before it.
_CODE_RUNNERS: dict[str, int | None] = {
    **dict.fromkeys(
        [
            "cProfile.run",
            "cProfile.runctx",
            "profile.run",
            "profile.runctx",
            "pdb.run",
            "pdb.runeval",
            "bdb.Bdb.run",
            "code.interact",
            "builtins.exec",
            "trace.Trace.run",
        ],
        None,
    ),
    "timeit.timeit": 1,
    "timeit.repeat": 1,
    "timeit.Timer": 1,
}
#: Methods of client libraries that destroy what a server keeps, by what is imported.
_CLIENTS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(
        ("boto3", "botocore", "aioboto3", "google", "azure", "kubernetes", "openstack", "digitalocean"),
        re.compile(r"(?:begin_)?(?:delete|terminate|deregister|purge|destroy)_\w+\Z"),
    ),
    "docker": re.compile(r"(?:prune|prune_\w+|remove|remove_\w+|kill)\Z"),
    "redis": re.compile(r"flush(?:all|db)\Z"),
    "pymongo": re.compile(r"(?:drop|drop_\w+|delete_many)\Z"),
    "motor": re.compile(r"(?:drop|drop_\w+|delete_many)\Z"),
    "elasticsearch": re.compile(r"delete_by_query\Z"),
    "pika": re.compile(r"queue_(?:delete|purge)\Z"),
    "sqlalchemy": re.compile(r"drop_all\Z"),
}
_ACTING = _SHELL | _PROCESS | _TREES | _FILES
#: Others are never used to hide code, and some take long.
_ENCODINGS = frozenset(
    [
        "utf-8",
        "utf8",
        "utf_8",
        "ascii",
        "us-ascii",
        "latin-1",
        "latin1",
        "iso-8859-1",
        "utf-16",
        "utf-16-le",
        "utf-16le",
        "utf-16-be",
        "utf-32",
        "unicode_escape",
        "unicode-escape",
        "raw_unicode_escape",
        "cp1252",
    ]
)
_TARGETS: dict[str, int] = {
    "shutil.copy": 1,
    "shutil.copy2": 1,
    "shutil.copyfile": 1,
    "shutil.copytree": 1,
    "shutil.move": 1,
    "os.rename": 1,
    "os.replace": 1,
    "os.symlink": 1,
    "os.link": 1,
    "os.mkfifo": 0,
    "os.mknod": 0,
    "urllib.request.urlretrieve": 1,
    "urllib.urlretrieve": 1,
    "wget.download": 1,
}
_NETWORK = re.compile(
    r"(?:urllib2?(?:\.request)?\.(?:urlopen|urlretrieve|Request)|requests\.(?:get|post|request|put|Session)|"
    r"httpx\.(?:get|post|stream|Client)"
    r"|aiohttp\.ClientSession|urllib3\.PoolManager|http\.client\.HTTPS?Connection|wget\.download|ftplib\.FTP)\Z"
)
#: Flags of `os.open`.
_WRITING = ("O_WRONLY", "O_RDWR", "O_CREAT")
_LEAVES = (ast.expr_context, ast.Name, ast.Constant, ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.alias)
_CALLED_BY_NAME = frozenset(["map", "filter", "functools.partial", "partial"])
_METHODS = frozenset(
    [
        "unlink",
        "rmtree",
        "system",
        "popen",
        "write_text",
        "write_bytes",
        "chmod",
        "execute",
        "executescript",
        "reboot",
        "setuid",
    ]
)
_NATIVE = frozenset(
    [
        "execve",
        "execv",
        "execl",
        "execlp",
        "unlink",
        "rmdir",
        "kill",
        "syscall",
        "mprotect",
        "mmap",
        "memmove",
        "setuid",
        "ptrace",
        "mount",
        "VirtualAlloc",
    ]
)
_PRINT = re.compile(r"(^|[;:\n])([ \t]*)print[ \t]+(?![=(.\[])([^;\n]*)")
_BULK = frozenset({"glob", "rglob", "iglob", "listdir", "scandir", "walk", "iterdir", "iter_child"})


def read(code: str, *, home: str = "~", depth: int = 0, budget: Budget | None = None) -> list[Deed]:
    """What this Python code would do."""
    budget = budget or Budget()
    reader = _Reader(home, depth, budget)
    try:
        tree = _parse(code.replace(HOLE, _HOLE_NAME), budget)
        if tree is None:
            return [Deed("unreadable", "Python code that cannot be read")]
        reader.visit(tree)
    except _TooLongError:
        return [*reader.deeds(), TOO_LONG]
    except RecursionError:
        return [*reader.deeds(), Deed("unreadable", "Python code that is nested too deeply")]
    except (ValueError, MemoryError):
        # A number that is too long to be written.
        return [*reader.deeds(), TOO_LONG]
    return reader.deeds()


def _parse(text: str, budget: Budget) -> ast.Module | None:
    """The tree of a text, as it stands, without its indentation, or as Python 2."""
    for attempt in _attempts(text):
        # Counting the pieces takes time as well.
        if not budget.reads(_PER_PARSE + len(attempt) // 32) or not budget.reads(2 * len(_PIECE.findall(attempt))):
            raise _TooLongError
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(attempt)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _attempts(text: str) -> Iterator[str]:
    yield text
    bare = text.strip()
    if bare != text:
        yield bare
    modern = _PRINT.sub(r"\1\2print(\3)", bare)
    if modern != bare:
        yield modern


class _Reader:
    def __init__(self, home: str, depth: int, budget: Budget) -> None:
        self.budget = budget
        self.home = home
        self.depth = depth
        self.found: list[Deed] = []
        #: What names stand for: dotted names of modules and functions, and values.
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {"__file__": UNKNOWN}
        self.stars: list[str] = []
        #: The outermost packages that are imported.
        self.packages: set[str] = set()
        self.loop = 0
        self.bulk = False
        self.network = False
        self.socket = False
        self.spawned = False
        self.redirected = False
        self.environment = False

    def deeds(self) -> list[Deed]:
        """Everything found, with what only the whole shows."""
        if self.socket and (self.spawned or self.redirected):
            self.found.append(Deed("reverse", "a program is connected to a socket"))
        elif self.network and self.environment:
            self.found.append(Deed("remote", "sends the environment elsewhere"))
        elif self.network and self.spawned:
            self.found.append(Deed("remote", "code fetches something and starts a program"))
        return self.found

    # Statements

    def spend(self, steps: int) -> None:
        """Take steps of the budget, or stop reading."""
        if not self.budget.reads(steps):
            raise _TooLongError

    def walk(self, node: ast.AST) -> Iterator[ast.AST]:
        """Every node below, each for a step."""
        for one in ast.walk(node):
            self.spend(1)
            yield one

    def mentions(self, node: ast.AST, names: frozenset[str]) -> bool:
        """True when one of the names stands below."""
        return any(
            (isinstance(one, ast.Name) and one.id in names) or (isinstance(one, ast.Attribute) and one.attr in names)
            for one in self.walk(node)
        )

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, _LEAVES):
            return
        self.spend(2)
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is not None:
            handler(node)
        else:
            for child in ast.iter_child_nodes(node):
                self.visit(child)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.packages.add(alias.name.partition(".")[0])
            if alias.asname:
                self.names[alias.asname] = alias.name

    def _importfrom(self, node: ast.ImportFrom) -> None:
        self.packages.add((node.module or "").partition(".")[0])
        for alias in node.names:
            if alias.name == "*":
                if node.module and node.module not in self.stars[-8:]:
                    self.stars.append(node.module)
            else:
                self.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def _assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            if (
                isinstance(target, ast.Tuple)
                and isinstance(node.value, ast.Tuple)
                and len(target.elts) == len(node.value.elts)
            ):
                for one, value in zip(target.elts, node.value.elts, strict=True):
                    self._bind(one, value)
            else:
                self._bind(target, node.value)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._bind(node.target, node.value)

    def _namedexpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._bind(node.target, node.value)

    def _augassign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            old, new = self.values.get(node.target.id, UNKNOWN), self.value(node.value)
            self.values[node.target.id] = _add(old, new) if isinstance(node.op, ast.Add) else UNKNOWN

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if not isinstance(target, ast.Name):
            return
        name = self.dotted(value)
        self.names.pop(target.id, None)
        if name and name != target.id:
            self.names[target.id] = name
        self.values[target.id] = self.value(value)

    def _endless(self, iterated: ast.expr, body: list[ast.AST]) -> None:
        """A fork in a loop over something that never ends."""
        if isinstance(iterated, ast.Call) and (self.dotted(iterated.func) or "").rsplit(".", 1)[-1] in {
            "iter",
            "count",
            "cycle",
            "repeat",
        }:
            calls = [one for part in body for one in self.walk(part) if isinstance(one, ast.Call)]
            if any(self.dotted(one.func) == "os.fork" for one in calls):
                self.found.append(Deed("bomb", "forks without end"))

    def _for(self, node: ast.For) -> None:
        self._endless(node.iter, list(node.body))
        self.visit(node.iter)
        items = self.value(node.iter)
        outer, self.bulk = self.bulk, self.bulk or self.mentions(node.iter, _BULK)
        self.loop += 1
        known = (
            items
            if isinstance(items, (list, tuple)) and len(items) <= 8 and isinstance(node.target, ast.Name)
            else [UNKNOWN]
        )
        for item in known:
            if isinstance(node.target, ast.Name):
                self.names.pop(node.target.id, None)
                self.values[node.target.id] = item
            else:
                self._forget(node.target)
            for child in (*node.body, *node.orelse):
                self.visit(child)
        self.loop -= 1
        self.bulk = outer

    _asyncfor = _for

    def _forget(self, target: ast.AST) -> None:
        for name in self.walk(target):
            if isinstance(name, ast.Name):
                self.values[name.id] = UNKNOWN
                self.names.pop(name.id, None)

    def _while(self, node: ast.While) -> None:
        if any(
            isinstance(call, ast.Call) and self.dotted(call.func) in {"os.fork", "fork", "multiprocessing.Process"}
            for call in self.walk(node)
        ) and (isinstance(node.test, ast.Constant) or self.mentions(node.test, frozenset({"fork"}))):
            self.found.append(Deed("bomb", "forks without end"))
        self.loop += 1
        for child in ast.iter_child_nodes(node):
            self.visit(child)
        self.loop -= 1

    def _comprehension_of(self, node: ast.AST) -> None:
        generators: list[ast.comprehension] = getattr(node, "generators", [])
        outer, self.bulk = self.bulk, self.bulk or any(self.mentions(one.iter, _BULK) for one in generators)
        self.loop += 1
        for one in generators:
            self._endless(one.iter, [node])
            self.visit(one.iter)
            self._forget(one.target)
            for test in one.ifs:
                self.visit(test)
        for name in ("elt", "key", "value"):
            child = getattr(node, name, None)
            if child is not None:
                self.visit(child)
        self.loop -= 1
        self.bulk = outer

    _listcomp = _setcomp = _generatorexp = _dictcomp = _comprehension_of

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            self.values[argument.arg] = UNKNOWN
            self.names.pop(argument.arg, None)
        recursive = any(isinstance(one, ast.Call) and self.dotted(one.func) == node.name for one in self.walk(node))
        if recursive and any(
            isinstance(one, ast.Call) and self.dotted(one.func) == "os.fork" for one in self.walk(node)
        ):
            self.found.append(Deed("bomb", "forks without end"))
        for child in (*node.decorator_list, *node.body):
            self.visit(child)

    _asyncfunctiondef = _functiondef

    # Calls

    def _call(self, node: ast.Call) -> None:
        for child in ast.iter_child_nodes(node):
            self.visit(child)
        name = self.dotted(node.func) or ""
        if name:
            self._named(name, node.args, {word.arg: word.value for word in node.keywords if word.arg}, node)
            self._handed_over(name, node)
            if name in {"str", "repr", "json.dumps"} or _NETWORK.match(name):
                given = (*node.args, *(word.value for word in node.keywords))
                self.environment = self.environment or any(self.dotted(one) == "os.environ" for one in given)
        if isinstance(node.func, ast.Attribute):
            self._client(node.func, node)
            self._method(node.func, name, node)
        elif (
            isinstance(node.func, ast.Call)
            and self.dotted(node.func.func) in {"operator.methodcaller", "methodcaller"}
            and node.func.args
            and node.args
        ):
            owner, called = self.dotted(node.args[0]), self.value(node.func.args[0])
            if owner and isinstance(called, str):
                self._named(_canonical(f"{owner}.{called}"), node.func.args[1:], {}, node)
        elif isinstance(node.func, ast.Call) and self.dotted(node.func.func) == "getattr" and not name:
            owner = self.dotted(node.func.args[0]) if node.func.args else None
            if owner in {"os", "subprocess", "shutil", "builtins", "__builtins__"}:
                self.found.append(Deed("eval", f"a function of {owner} under a name that nobody knows"))
        elif (
            isinstance(node.func, ast.Subscript)
            and not name
            and self.mentions(node.func, frozenset({"__builtins__", "__globals__"}))
        ):
            self.found.append(Deed("eval", "a built-in function under a name that nobody knows"))

    def _client(self, func: ast.Attribute, node: ast.Call) -> None:
        """Calls of client libraries that destroy something, or that run a command elsewhere."""
        method = func.attr
        for package in self.packages & _CLIENTS.keys():
            if _CLIENTS[package].match(method):
                self.found.append(Deed("delete", f"{method} of {package}"))
        if "git" in self.packages and isinstance(func.value, ast.Attribute) and func.value.attr == "git":
            words = [_text(self.value(one)) for one in node.args]
            self.found.append(starts(["git", method.replace("_", "-"), *words], "a command of git"))
        elif method == "exec_command" and self.packages & {"paramiko", "asyncssh"} and node.args:
            self.found.append(starts(["ssh", "host", _text(self.value(node.args[0]))], method))
        elif method in {"runsource", "runcode", "push"} and "code" in self.packages and node.args:
            self._eval(method, node.args[0])

    def _handed_over(self, name: str, node: ast.Call) -> None:
        """Functions that are given to others to be called."""
        keywords = {word.arg: word.value for word in node.keywords if word.arg}
        for number, argument in enumerate([*node.args, *([keywords["target"]] if "target" in keywords else [])]):
            given = self.dotted(argument) if isinstance(argument, (ast.Name, ast.Attribute)) else None
            if given is None or not (given in _ACTING or given in _EVAL or _EXEC.match(given)):
                continue
            rest = list(node.args[number + 1 :])
            packed = keywords.get("args")
            if isinstance(packed, (ast.Tuple, ast.List)):
                rest = list(packed.elts)
            if name in _CALLED_BY_NAME and rest and isinstance(rest[0], (ast.List, ast.Tuple)):
                for item in rest[0].elts:
                    self._named(given, [item], {}, node)
                continue
            if name in {"map", "filter"}:
                self.loop += 1
                self._named(given, [], {}, node)
                self.loop -= 1
                continue
            if rest or name not in {
                "callable",
                "print",
                "help",
                "inspect.getsource",
                "repr",
                "type",
                "hasattr",
                "str",
                "id",
            }:
                self._named(given, rest, {}, node)

    def _named(self, name: str, args: Sequence[ast.expr], keywords: dict[str, ast.expr], node: ast.AST) -> None:
        first = (
            args[0]
            if args
            else next((keywords[key] for key in ("args", "cmd", "command", "path") if key in keywords), None)
        )
        if name in _SHELL:
            self.spawned = True
            self.found.append(runs(_text(self.value(first)) if first is not None else None, name))
        elif name in _PROCESS:
            self.spawned = True
            self._process(name, args, first, keywords)
        elif _EXEC.match(name):
            self.spawned = True
            self._exec(name, args)
        elif name in _TREES:
            self.found += deletes(_text(self.value(first)) if first is not None else None, name, recursive=True)
        elif name in _FILES:
            path = _text(self.value(first)) if first is not None else None
            self.found += deletes(path, name, many=self.bulk or (bool(self.loop) and not _certain(path)))
        elif name in _EVAL:
            self._eval(name, first)
        elif name in _CODE_RUNNERS:
            self._run_code(name, args, keywords)
        elif name in _TARGETS:
            place = _TARGETS[name]
            self._writes(args[place] if len(args) > place else keywords.get("dst"), name)
            if name in {"shutil.move", "os.rename", "os.replace"} and args:
                self._writes(args[0], name)
            elif name.startswith("shutil.copy") and args:
                self._reads(args[0], name)
            self.network = self.network or _NETWORK.match(name) is not None
        elif name in {"open", "io.open", "codecs.open", "os.open"}:
            self._open(args, keywords, name)
        elif name in {"os.kill", "os.killpg", "signal.pthread_kill"}:
            self._kill(name, args)
        elif name in {"os.chmod", "os.chown", "os.lchown"}:
            self._mode(args, name)
        elif _NETWORK.match(name):
            self.network = True
        elif name in {"socket.socket", "socket.create_connection", "socket.create_server"}:
            self.socket = True
        elif name in {"os.truncate", "os.ftruncate"} and len(args) > 1:
            size = self.value(args[1])
            path = _text(self.value(args[0]))
            self.found.append(
                Deed("shell", name, f"truncate -s {size if isinstance(size, int) else 0} -- {quoted(path)}")
            )
        elif name in {"os.dup2", "pty.fork"}:
            self.redirected = True
        elif name in {"os.setuid", "os.seteuid", "os.setresuid"}:
            self.found.append(Deed("permission", "changes the user it runs as"))
        elif name in {"os.reboot", "os.abort"} and name == "os.reboot":
            self.found.append(runs("reboot", name))
        elif name in {"runpy.run_path", "runpy.run_module"} and self.network:
            self.found.append(Deed("remote", "runs what it has fetched"))
        elif name in {"types.FunctionType", "types.CodeType", "marshal.loads"}:
            self.found.append(Deed("eval", f"{name} builds code"))
        elif name.startswith(("sh.", "plumbum.cmd.")):
            self.spawned = True
            self.found.append(
                starts([name.rsplit(".", 1)[1].replace("_", "-"), *(_text(self.value(one)) for one in args)], name)
            )
        elif name in {"pickle.loads", "dill.loads", "cloudpickle.loads"} and (
            self.network or (first is not None and self.mentions(first, frozenset({"b64decode", "fromhex", "recv"})))
        ):
            self.found.append(Deed("eval", f"{name} of data that can run code"))
        _ = node

    def _process(
        self, name: str, args: Sequence[ast.expr], first: ast.expr | None, keywords: dict[str, ast.expr]
    ) -> None:
        if name == "asyncio.create_subprocess_exec":
            self.found.append(starts([_text(self.value(one)) for one in args], name))
            return
        value = self.value(first) if first is not None else UNKNOWN
        shell = keywords.get("shell")
        by_shell = shell is not None and self.value(shell) not in (False, None, 0)
        if isinstance(value, (list, tuple)) and not by_shell:
            self.found.append(starts([_text(item) for item in value], name))
        elif isinstance(value, (list, tuple)):
            self.found.append(runs(_text(value[0]) if value else None, name))
        elif by_shell or name in {"pty.spawn", "pexpect.spawn", "pexpect.run"}:
            self.found.append(runs(_text(value), name))
        else:
            text = _text(value)
            # Without a shell a text is split only where the system does so; read it as if it were.
            self.found.append(runs(text, name))

    def _exec(self, name: str, args: Sequence[ast.expr]) -> None:
        values = [self.value(one) for one in args]
        if name.startswith("os.spawn"):
            values = values[1:]
        if not values:
            return
        if re.search(r"l(?:pe?|e)?\Z", name):
            argv = [values[0], *values[2:]]
        else:
            rest = values[1] if len(values) > 1 else UNKNOWN
            argv = [values[0], *(rest[1:] if isinstance(rest, (list, tuple)) else [UNKNOWN])]
        self.found.append(starts([_text(one) for one in argv], name))

    def _run_code(self, name: str, args: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> None:
        """Code in a text, with what is to run before it. Whatever else is given is no code."""
        before = _CODE_RUNNERS[name]
        setup = keywords.get("setup") or (args[before] if before is not None and len(args) > before else None)
        texts = [self.value(one) for one in (setup, args[0] if args else keywords.get("stmt")) if one is not None]
        code = "\n".join(text for text in texts if isinstance(text, str))
        if code and HOLE not in code and self.depth < _DEEPEST:
            self.found += read(code, home=self.home, depth=self.depth + 1, budget=self.budget)

    def _own_script(self, node: ast.expr | None) -> bool:
        """`open("x.py").read()`: a script on disk, which runs as `python x.py` does."""
        if isinstance(node, ast.Call) and self.dotted(node.func) == "compile" and node.args:
            node = node.args[0]
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in {"read", "read_text"}
        ):
            opened = node.func.value
            path = opened.args[0] if isinstance(opened, ast.Call) and len(opened.args) == 1 else None
            text = self.value(path) if path is not None else None
            known = isinstance(opened, ast.Call) and self.dotted(opened.func) in {"open", "pathlib.Path", "Path"}
            return known and isinstance(text, str) and text.endswith(".py") and HOLE not in text
        return False

    def _eval(self, name: str, first: ast.expr | None) -> None:
        value = self.value(first) if first is not None else UNKNOWN
        if isinstance(value, ast.AST):
            return
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, str) and HOLE not in value and self.depth < _DEEPEST:
            inner = read(value, home=self.home, depth=self.depth + 1, budget=self.budget)
            # Text that is no code does nothing.
            self.found += [deed for deed in inner if deed.kind != "unreadable" or name != "eval"]
            return
        if (
            isinstance(first, ast.Call)
            and self.dotted(first.func) == "compile"
            and first.args
            and _certain(_text(self.value(first.args[0])))
        ):
            # Judged where it is compiled.
            return
        if not self.network and self._own_script(first):
            return
        if first is not None and (self.network and self.mentions(first, _FETCHING)):
            self.found.append(Deed("remote", f"{name} of code that was fetched"))
        elif name != "compile":
            self.found.append(Deed("eval", f"{name} of code that nobody knows before it runs"))

    def _open(self, args: Sequence[ast.expr], keywords: dict[str, ast.expr], name: str) -> None:
        mode = args[1] if len(args) > 1 else keywords.get("mode")
        text = self.value(mode) if mode is not None else "r"
        first = args[0] if args else keywords.get("file")
        if name == "os.open":
            flags = self.walk(mode) if mode is not None else iter(())
            writes = any((getattr(one, "attr", "") or getattr(one, "value", "")) in _WRITING for one in flags)
            text = "w" if writes else "r"
        if isinstance(text, str) and not set(text) & set("wax+"):
            self._reads(first, name)
        else:
            self._writes(first, name)

    def _writes(self, node: ast.expr | None, name: str) -> None:
        path = _text(self.value(node)) if node is not None else None
        if path:
            self.found.append(Deed("write", name, path=path))

    def _reads(self, node: ast.expr | None, name: str) -> None:
        path = _text(self.value(node)) if node is not None else None
        if path:
            self.found.append(Deed("read", name, path=path))

    def _kill(self, name: str, args: Sequence[ast.expr]) -> None:
        pid = self.value(args[0]) if args else UNKNOWN
        if isinstance(pid, int):
            if pid <= 1:
                self.found.append(Deed("shell", name, f"kill -9 {pid}"))
            if pid <= 1 or name == "os.killpg":
                self.found.append(Deed("kill", f"signals the process {pid}"))
        elif name == "os.killpg" or self.loop:
            self.found.append(Deed("kill", "signals processes that nobody has named"))

    def _mode(self, args: Sequence[ast.expr], name: str) -> None:
        path = _text(self.value(args[0])) if args else None
        mode = self.value(args[1]) if len(args) > 1 else UNKNOWN
        if name == "os.chmod" and isinstance(mode, int):
            if mode & 0o6002:
                self.found.append(Deed("permission", f"{name} to {mode:o}"))
            elif path:
                self.found.append(Deed("shell", name, f"chmod {mode:o} -- {quoted(path)}"))
        elif name != "os.chmod":
            self.found.append(Deed("permission", f"{name} gives a file to somebody else"))

    def _method(self, func: ast.Attribute, name: str, node: ast.Call) -> None:
        method = func.attr
        owner = name.rpartition(".")[0]
        known = owner in {"os", "shutil", "platform", "subprocess"}
        if known or method not in _METHODS | {"kill", "terminate", "recv", "extractall", "delete", "open", "rmdir"}:
            if method in _NATIVE and (
                "ctypes" in owner or self.mentions(func.value, frozenset({"CDLL", "cdll", "windll", "PyDLL"}))
            ):
                self.found.append(Deed("native", f"calls {method} of the system's library"))
            return
        base = self.value(func.value)
        path = base if isinstance(base, str) else None
        first = node.args[0] if node.args else None
        if method == "rmtree":
            target = _text(self.value(first)) if first is not None else path
            self.found += deletes(target, method, recursive=True)
        elif method == "unlink":
            target = path if first is None else _text(self.value(first))
            self.found += deletes(target, method, many=self.bulk or (bool(self.loop) and not _certain(target)))
        elif method == "rmdir" and self.bulk:
            self.found += deletes(path, method, many=True)
        elif method in {"write_text", "write_bytes"}:
            if path:
                self.found.append(Deed("write", method, path=path))
        elif method == "open" and path and first is not None:
            mode = self.value(first)
            kind = set(mode) & set("wax+") if isinstance(mode, str) else {"w"}
            self.found.append(Deed("write" if kind else "read", method, path=path))
        elif method in {"system", "popen"} and (node.args or method == "popen"):
            self.spawned = True
            self.found.append(runs(_text(self.value(first)) if first is not None else None, method))
        elif method == "reboot":
            self.found.append(runs("reboot", method))
        elif method == "setuid":
            self.found.append(Deed("permission", "changes the user it runs as"))
        elif method == "chmod" and first is not None:
            mode = self.value(first)
            if isinstance(mode, int) and mode & 0o6002:
                self.found.append(Deed("permission", f"chmod to {mode:o}"))
        elif method in {"execute", "executescript"} and first is not None:
            wrapped = isinstance(first, ast.Call) and self.dotted(first.func) in {"text", "sqlalchemy.text"}
            sql = _text(self.value(first.args[0] if isinstance(first, ast.Call) and wrapped and first.args else first))
            if sql and " " in sql.strip():
                self.found.append(Deed("shell", "a statement for a database", f"sqlite3 x.db {quoted(sql)}"))
        elif method in {"kill", "terminate"} and self.loop:
            self.found.append(Deed("kill", "signals processes that nobody has named"))
        elif method == "extractall":
            target = _text(self.value(first)) if first is not None else None
            if target:
                self.found.append(Deed("write", method, path=posixpath.join(target, "x")))
        elif method == "recv":
            self.socket = True
        elif (
            method == "delete"
            and not node.args
            and self.mentions(func.value, frozenset({"objects"}))
            and self.mentions(func.value, frozenset({"all"}))
        ):
            self.found.append(Deed("delete", "every record of a table"))

    # Names

    def dotted(self, node: ast.AST) -> str | None:
        """The dotted name that an expression stands for."""
        self.spend(1)
        if isinstance(node, ast.Name):
            name = self.names.get(node.id, node.id)
            if name == node.id and self.stars and name not in self.values:
                self.spend(len(self.stars))
                for module in self.stars:
                    full = f"{module}.{name}"
                    if full in _ACTING or full in _TARGETS or _EXEC.match(full):
                        return full
            return name
        if isinstance(node, ast.Attribute):
            owner = self.dotted(node.value)
            if owner is None:
                return None
            return _canonical(f"{owner}.{node.attr}")
        if isinstance(node, ast.Call):
            called = self.dotted(node.func)
            if (
                called in {"__import__", "importlib.import_module", "importlib.__import__", "import_module"}
                and node.args
            ):
                value = self.value(node.args[0])
                return _canonical(value) if isinstance(value, str) and HOLE not in value else None
            if called == "getattr" and len(node.args) > 1:
                owner, value = self.dotted(node.args[0]), self.value(node.args[1])
                if owner and isinstance(value, str) and HOLE not in value:
                    return _canonical(f"{owner}.{value}")
                return None
            if isinstance(node.func, ast.Attribute) and node.func.attr == "__getattribute__" and node.args:
                owner, value = self.dotted(node.func.value), self.value(node.args[-1])
                return _canonical(f"{owner}.{value}") if owner and isinstance(value, str) else None
            if (
                isinstance(node.func, ast.Call)
                and node.args
                and node.func.args
                and self.dotted(node.func.func) in {"operator.attrgetter", "attrgetter"}
            ):
                owner, value = self.dotted(node.args[0]), self.value(node.func.args[0])
                return _canonical(f"{owner}.{value}") if owner and isinstance(value, str) else None
            if called == "vars" and node.args:
                return self.dotted(node.args[0])
            if called in {"globals", "locals"}:
                return "builtins"
            return None
        if isinstance(node, ast.Subscript):
            key = self.value(node.slice)
            owner = self.dotted(node.value)
            if isinstance(key, str) and owner and HOLE not in key:
                if owner in {"sys.modules", "builtins"}:
                    return _canonical(key)
                if owner.endswith(".__dict__"):
                    return _canonical(f"{owner[:-9]}.{key}")
                if owner in {"__builtins__", "os", "subprocess", "shutil", "builtins.__builtins__"}:
                    return _canonical(f"{owner}.{key}")
        return None

    # Values

    def value(self, node: ast.AST | None) -> Any:
        """The value of an expression, UNKNOWN, or a text with holes."""
        if node is None:
            return None
        self.spend(1)
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, str) and _HOLE_NAME in value:
                return value.replace(_HOLE_NAME, HOLE)
            return value
        computer = _COMPUTERS.get(type(node))
        if computer is None:
            return UNKNOWN
        try:
            found = computer(self, node)
            if isinstance(found, (str, bytes, list)) and len(found) > 256:
                self.spend(len(found) >> 8)
            return found
        except (ValueError, TypeError, LookupError, OverflowError, ArithmeticError, zlib.error, UnicodeError):
            return UNKNOWN


def _canonical(name: str) -> str:
    for prefix in ("builtins.", "__builtins__."):
        name = name.removeprefix(prefix)
    if name in {"posix", "nt"}:
        return "os"
    return re.sub(r"\A(?:posix|nt)\.", "os.", name)


_FETCHING = frozenset(["urlopen", "get", "read", "text", "content", "post", "request", "recv"])


def _certain(path: str | None) -> bool:
    return path is not None and HOLE not in path


def _text(value: Any) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return _text(value[0])
    return value if isinstance(value, str) else None


def _piece(value: Any) -> str:
    if isinstance(value, (str, bytes)):
        return _text(value) or ""
    return str(value) if isinstance(value, int) else HOLE


def _fitting(pieces: Iterable[str], between: str = "") -> list[str]:
    """The pieces, if together they are no longer than what is computed here."""
    found: list[str] = []
    size = 0
    for piece in pieces:
        found.append(piece)
        size += len(piece) + len(between)
        if size > _LIMIT:
            raise ValueError
    return found


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return [*left, *right][:256]
    if isinstance(left, bytes) and isinstance(right, bytes):
        return (left + right)[:_LIMIT]
    if isinstance(left, str) or isinstance(right, str):
        return (_piece(left) + _piece(right))[:_LIMIT]
    if isinstance(left, int) and isinstance(right, int):
        return left + right if abs(left) + abs(right) < 1 << 64 else UNKNOWN
    return UNKNOWN


def _binary(reader: _Reader, node: ast.BinOp) -> Any:
    left, right = reader.value(node.left), reader.value(node.right)
    if isinstance(node.op, ast.Add):
        return _add(left, right)
    if isinstance(node.op, ast.Mod) and isinstance(left, str):
        values = right if isinstance(right, (list, tuple)) else [right]
        pieces = _fitting(_piece(value) for value in values)
        return left % tuple(pieces) if re.search(r"%(?!s|%)", left) is None else UNKNOWN
    if isinstance(node.op, ast.Mult):
        text, count = (left, right) if isinstance(right, int) else (right, left)
        most = _LIMIT if isinstance(text, (str, bytes)) else _MOST_ITEMS
        if isinstance(text, (str, bytes, list)) and isinstance(count, int) and len(text) * max(count, 0) <= most:
            return text * count
        if isinstance(left, int) and isinstance(right, int) and abs(left) < 1 << 32 and abs(right) < 1 << 32:
            return left * right
    if isinstance(node.op, ast.Div) and (isinstance(left, str) or isinstance(right, str)):
        return posixpath.join(*_fitting((_piece(left), _piece(right))))
    if isinstance(node.op, (ast.BitOr, ast.BitXor, ast.Sub)) and isinstance(left, int) and isinstance(right, int):
        return {ast.BitOr: left | right, ast.Sub: left - right, ast.BitXor: left ^ right}[type(node.op)]
    return UNKNOWN


def _unary(reader: _Reader, node: ast.UnaryOp) -> Any:
    value = reader.value(node.operand)
    return -value if isinstance(node.op, ast.USub) and isinstance(value, int) else UNKNOWN


def _joined(reader: _Reader, node: ast.JoinedStr) -> str:
    pieces = [reader.value(one.value if isinstance(one, ast.FormattedValue) else one) for one in node.values]
    return "".join(_fitting(_piece(one) for one in pieces))


def _sequence(reader: _Reader, node: ast.List | ast.Tuple) -> list[Any]:
    items: list[Any] = []
    for one in node.elts[:256]:
        if isinstance(one, ast.Starred):
            inner = reader.value(one.value)
            items.extend(inner if isinstance(inner, (list, tuple)) else [UNKNOWN])
        else:
            items.append(reader.value(one))
    return items[:_MOST_ITEMS]


def _name(reader: _Reader, node: ast.Name) -> Any:
    if node.id == _HOLE_NAME:
        return HOLE
    return reader.values.get(node.id, UNKNOWN)


def _attribute(reader: _Reader, node: ast.Attribute) -> Any:
    name = reader.dotted(node)
    if name == "sys.executable":
        return "python3"
    if name == "os.sep":
        return "/"
    if name in {"signal.SIGKILL", "signal.SIGTERM"}:
        return 9
    if node.attr == "parent":
        base = reader.value(node.value)
        return posixpath.dirname(base) if isinstance(base, str) else UNKNOWN
    return UNKNOWN


def _subscript(reader: _Reader, node: ast.Subscript) -> Any:
    name = reader.dotted(node.value)
    if name == "os.environ":
        return reader.home if reader.value(node.slice) == "HOME" else UNKNOWN
    base = reader.value(node.value)
    if not isinstance(base, (str, bytes, list, tuple)):
        return UNKNOWN
    if isinstance(node.slice, ast.Slice):
        places = [reader.value(one) for one in (node.slice.lower, node.slice.upper, node.slice.step)]
        return base[slice(*places)] if all(one is None or isinstance(one, int) for one in places) else UNKNOWN
    key = reader.value(node.slice)
    return base[key] if isinstance(key, int) else UNKNOWN


def _called(reader: _Reader, node: ast.Call) -> Any:
    name = reader.dotted(node.func) or ""
    function = _FUNCTIONS.get(name)
    if function is not None and not any(isinstance(one, ast.Starred) for one in node.args):
        given = [reader.value(one) for one in node.args]
        reader.spend(sum(len(one) for one in given if isinstance(one, (str, bytes, list))) >> 6)
        return function(reader, given)
    if name in {"os.environ.get", "os.getenv"}:
        return reader.home if node.args and reader.value(node.args[0]) == "HOME" else UNKNOWN
    if isinstance(node.func, ast.Attribute):
        base = reader.value(node.func.value)
        method = node.func.attr
        args = [reader.value(one) for one in node.args]
        reader.spend(sum(len(one) for one in (base, *args) if isinstance(one, (str, bytes, list))) >> 6)
        if method in {"expanduser", "resolve", "absolute", "as_posix"} and isinstance(base, str):
            return _expanduser(reader, [base]) if method == "expanduser" else base
        if method == "join" and isinstance(base, str) and args and isinstance(args[0], (list, tuple, str)):
            return base.join(_fitting((_piece(one) for one in args[0]), base))
        if method == "joinpath" and isinstance(base, str):
            return posixpath.join(base, *_fitting(_piece(one) for one in args))
        if method == "decode" and isinstance(base, bytes):
            encoding = args[0] if args and isinstance(args[0], str) else "utf-8"
            return base.decode(encoding, "replace") if encoding.lower() in _ENCODINGS else UNKNOWN
        if method == "encode" and isinstance(base, str):
            return base.encode()
        if method == "format" and isinstance(base, str) and not re.search(r"\{(?!\d{0,3}\})", base):
            pieces = [_piece(one) for one in args]
            longest = max(map(len, pieces), default=0)
            return base.format(*pieces) if len(base) + base.count("{") * longest <= _LIMIT else UNKNOWN
        if (
            method in {"replace", "strip", "lower", "upper", "rstrip", "lstrip", "swapcase"}
            and isinstance(base, str)
            and all(isinstance(one, str) for one in args)
        ):
            if any(len(one) > _LONGEST_PIECE for one in args) or len(base) * max(map(len, args), default=1) > 1 << 20:
                return UNKNOWN
            return getattr(base, method)(*args)[:_LIMIT]
        if method == "split" and isinstance(base, str) and all(isinstance(one, str) for one in args):
            return base.split(*args)[:256]
    return UNKNOWN


def _generator(reader: _Reader, node: ast.ListComp | ast.GeneratorExp) -> Any:
    """`chr(c) for c in (1, 2)`: a text in disguise."""
    if len(node.generators) != 1 or node.generators[0].ifs or not isinstance(node.generators[0].target, ast.Name):
        return UNKNOWN
    items = reader.value(node.generators[0].iter)
    if not isinstance(items, (list, tuple, str, bytes)) or len(items) > 1024:
        return UNKNOWN
    name = node.generators[0].target.id
    before = reader.values.get(name, UNKNOWN)
    found: list[Any] = []
    for item in items:
        reader.values[name] = item
        found.append(reader.value(node.elt))
    reader.values[name] = before
    return found


def _conditional(reader: _Reader, node: ast.IfExp) -> Any:
    left, right = reader.value(node.body), reader.value(node.orelse)
    return left if left == right else UNKNOWN


def _expanduser(reader: _Reader, args: list[Any]) -> Any:
    path = args[0] if args else UNKNOWN
    if isinstance(path, str) and (path == "~" or path.startswith("~/")):
        return reader.home + path[1:]
    return path


def _bytes(value: Any) -> bytes:
    if isinstance(value, str) and HOLE not in value:
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError


def _decode64(_: _Reader, args: list[Any]) -> bytes:
    data = _bytes(args[0])
    return base64.b64decode(data + b"=" * (-len(data) % 4))


def _shlex(_: _Reader, args: list[Any]) -> Any:
    return args[0].split()[:_MOST_ITEMS] if args and isinstance(args[0], str) else UNKNOWN


def _decompress(_: _Reader, args: list[Any]) -> bytes:
    return zlib.decompressobj().decompress(_bytes(args[0]), _LIMIT)


def _codec(_: _Reader, args: list[Any]) -> Any:
    value, name = args[0], args[1] if len(args) > 1 else "utf-8"
    if name in {"rot13", "rot_13", "rot-13"} and isinstance(value, str):
        return codecs.encode(value, "rot13")
    if name in {"hex", "base64", "hex_codec"}:
        return bytes.fromhex(_bytes(value).decode()) if "hex" in name else base64.b64decode(_bytes(value))
    return UNKNOWN


def _join(_: _Reader, args: list[Any]) -> str:
    return posixpath.join(*_fitting(_piece(one) for one in args)) if args else ""


def _first(_: _Reader, args: list[Any]) -> Any:
    value = args[0] if args else "."
    return posixpath.join(*_fitting(_piece(one) for one in args)) if len(args) > 1 and isinstance(value, str) else value


_FUNCTIONS: dict[str, Callable[[_Reader, list[Any]], Any]] = {
    "chr": lambda _, args: chr(args[0]) if isinstance(args[0], int) else UNKNOWN,
    "str": lambda _, args: _text(args[0]) if args and isinstance(args[0], (str, bytes)) else UNKNOWN,
    "bytes": lambda _, args: bytes(args[0]) if isinstance(args[0], (list, bytes)) else UNKNOWN,
    "bytearray": lambda _, args: bytes(args[0]) if isinstance(args[0], (list, bytes)) else UNKNOWN,
    "int": lambda _, args: int(*args) if isinstance(args[0], (str, int)) and len(str(args[0])) < 12 else UNKNOWN,
    "reversed": lambda _, args: args[0][::-1],
    "list": lambda _, args: list(args[0][:_MOST_ITEMS]) if isinstance(args[0], (str, list, bytes)) else UNKNOWN,
    "base64.b64decode": _decode64,
    "base64.standard_b64decode": _decode64,
    "base64.decodebytes": _decode64,
    "base64.urlsafe_b64decode": _decode64,
    "binascii.a2b_base64": _decode64,
    "base64.b32decode": lambda _, args: base64.b32decode(_bytes(args[0])),
    "base64.b16decode": lambda _, args: base64.b16decode(_bytes(args[0])),
    "base64.b85decode": lambda _, args: base64.b85decode(_bytes(args[0])),
    "bytes.fromhex": lambda _, args: bytes.fromhex(args[0]),
    "bytearray.fromhex": lambda _, args: bytes.fromhex(args[0]),
    "binascii.unhexlify": lambda _, args: bytes.fromhex(_bytes(args[0]).decode()),
    "binascii.a2b_hex": lambda _, args: bytes.fromhex(_bytes(args[0]).decode()),
    "codecs.decode": _codec,
    "codecs.encode": _codec,
    "zlib.decompress": _decompress,
    "os.path.expanduser": _expanduser,
    "os.path.join": _join,
    "os.path.abspath": _first,
    "os.path.realpath": _first,
    "os.fspath": _first,
    "pathlib.Path": _first,
    "Path": _first,
    "pathlib.PosixPath": _first,
    "pathlib.PurePath": _first,
    "pathlib.Path.home": lambda reader, _: reader.home,
    "Path.home": lambda reader, _: reader.home,
    "shlex.split": _shlex,
    "shlex.join": lambda _, args: " ".join(_fitting(quoted(_piece(one)) for one in args[0])),
    "shlex.quote": lambda _, args: quoted(_piece(args[0])),
}
_COMPUTERS: dict[type[ast.AST], Callable[[_Reader, Any], Any]] = {
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.JoinedStr: _joined,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: _called,
    ast.ListComp: _generator,
    ast.GeneratorExp: _generator,
    ast.IfExp: _conditional,
}
