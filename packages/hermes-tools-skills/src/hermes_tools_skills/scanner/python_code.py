"""Scans Python: follows constants and secrets through a file, and judges what is run, sent and written."""

import ast
import re
import warnings
from collections.abc import Iterator

from hermes_tools_skills.scanner.destinations import HOLE, SECRET_NAME, SECRET_PATH, classify_host, hosts_in
from hermes_tools_skills.scanner.encodings import MAGIC, readable
from hermes_tools_skills.scanner.python_values import DECODERS, METHODS, PURE, UNKNOWN, Value, binary, compute, join
from hermes_tools_skills.scanner.source import MAX_LAYERS, Source

_RUNS_CODE = frozenset(
    {
        "exec",
        "eval",
        "compile",
        "builtins.exec",
        "builtins.eval",
        "builtins.compile",
        "code.InteractiveInterpreter.runsource",
        "runpy.run_path",
        "timeit.timeit",
    }
)
_RUNS_SHELL = frozenset(
    [
        "os.system",
        "os.popen",
        "os.execl",
        "os.execle",
        "os.execlp",
        "os.execv",
        "os.execve",
        "os.execvp",
        "os.spawnl",
        "os.spawnv",
        "os.spawnlp",
        "os.spawnvp",
        "os.posix_spawn",
        "subprocess.run",
        "subprocess.call",
        "subprocess.Popen",
        "subprocess.check_call",
        "subprocess.check_output",
        "subprocess.getoutput",
        "subprocess.getstatusoutput",
        "pty.spawn",
        "commands.getoutput",
        "asyncio.create_subprocess_shell",
        "asyncio.create_subprocess_exec",
        "platform.popen",
        "popen2.popen2",
        "pexpect.spawn",
        "pexpect.run",
    ]
)
_LOADS_CODE = frozenset(
    [
        "marshal.loads",
        "marshal.load",
        "pickle.loads",
        "pickle.load",
        "dill.loads",
        "cloudpickle.loads",
        "_pickle.loads",
        "jsonpickle.decode",
        "shelve.open",
    ]
)
_NETWORK = re.compile(
    r"^(?:requests|httpx|aiohttp|urllib3|urllib\.request|http\.client|socket|smtplib|ftplib|paramiko|websocket|"
    r"websockets|telnetlib|"
    r"pycurl|treq|niquests|curl_cffi|xmlrpc\.client|imaplib|poplib|dns|aiodns|boto3|scapy|grequests|mechanize|"
    r"tornado\.httpclient)(?:\.|$)"
)
_SENDS = frozenset(
    [
        "get",
        "post",
        "put",
        "patch",
        "request",
        "head",
        "delete",
        "urlopen",
        "urlretrieve",
        "send",
        "sendall",
        "sendto",
        "sendmail",
        "send_message",
        "storbinary",
        "connect",
        "create_connection",
        "getaddrinfo",
        "gethostbyname",
        "gethostbyname_ex",
        "stream",
        "fetch",
        "query",
        "resolve",
        "ws_connect",
        "Request",
        "open",
        "putrequest",
        "endheaders",
        "write",
        "emit",
        "publish",
    ]
)
_DNS = re.compile(
    r"(?:socket\.(?:gethostbyname(?:_ex)?|getaddrinfo|gethostbyaddr|getfqdn)|dns\.resolver\.(?:resolve|query)|"
    r"dns\.asyncresolver\.resolve)$|\.(?:resolve|query|gethostbyname)$"
)
_ENVIRONMENT = frozenset({"os.environ", "os.environb", "posix.environ"})
_COMPUTED = re.compile(
    r"^(?:os\.(?:system|popen|exec\w*|spawn\w*|environ\w*|getenv|remove|unlink)|subprocess(?:\.\w+)?|"
    r"builtins\.(?:exec|eval|compile|__import__)|exec|eval|compile|__import__|socket(?:\.\w+)?|ctypes|"
    r"marshal(?:\.\w+)?|pickle\.loads?|base64\.\w*decode\w*|urllib\.request(?:\.\w+)?|requests\.\w+|"
    r"shutil\.rmtree|os|pty\.spawn)$"
)
_WRITERS = frozenset({"write_text", "write_bytes", "writelines"})
_AGENT_FILE = re.compile(
    r"(?i)(?:^|[/\\\s\"'])(?:agents\.md|claude\.md|soul\.md|memory\.md|user\.md|identity\.md|heartbeat\.md|"
    r"gemini\.md|\.cursorrules|\.windsurfrules|\.mcp\.json|mcp\.json|claude_desktop_config\.json|"
    r"copilot-instructions\.md)\b"
    r"|\.(?:claude|hermes|codex|cursor|openclaw|gemini)[/\\](?:settings\S*\.json|config\.\w+|claude\.md|"
    r"agents\.md|hooks|memories|mcp\S*\.json|commands|rules|\w+\.md)|\.claude\.json|/memories/"
)
_LATER_FILE = re.compile(
    r"(?i)\.(?:bash|zsh)(?:rc|_profile|env)\b|\.profile\b|\.zprofile|config\.fish|/etc/(?:cron|profile|rc\.|"
    r"systemd|init|ld\.so)|LaunchAgents|LaunchDaemons|\.config[/\\](?:systemd|autostart)|crontabs?[/\\]|"
    r"Start Menu.*Startup|\.git[/\\]hooks|sitecustomize\.py|usercustomize\.py|site-packages.*\.pth|\.pth$|"
    r"CurrentVersion\\\\?Run"
)
_LOGIN_FILE = re.compile(r"authorized_keys|/etc/sudoers|/etc/passwd|/etc/pam\.d")
#: The number of passes that follow values through functions.
_PASSES = 3
_MAX_NODES = 400_000


def scan_python(text: str, source: Source) -> None:
    """Scan Python source. Text that is not Python is noted, and read by the scanner of other scripts."""
    tree = parse(text)
    if tree is None:
        source.find("code.unreadable", 0, "Python")
        from hermes_tools_skills.scanner.scripts import scan_script

        scan_script(text, source)
        return
    try:
        scan = _Scan(tree, source)
        for number in range(_PASSES):
            scan.run(report=number == _PASSES - 1)
    except RecursionError:
        source.recorder.add("content.unread", source.file, source.line, "expressions are nested too deeply")


def parse(text: str) -> ast.Module | None:
    """Return the tree of Python source; None when it is not valid."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for attempt in (text, re.sub(r"(?m)^(\s*)[!%].*$", r"\1pass", text)):
            try:
                return ast.parse(attempt)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
    return None


class _Scan:
    """One file: variables by scope, functions, and what was found."""

    def __init__(self, tree: ast.Module, source: Source) -> None:
        self.tree = tree
        self.source = source
        self.names: dict[str, Value] = {}
        self.scope = ""
        self.functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda] = {}
        self.returns: dict[str, Value] = {}
        self.report = False
        self.reported: set[tuple[str, int]] = set()
        self.local: set[str] = set()
        self.called_names: set[str] = set()

    def run(self, *, report: bool) -> None:
        self.report = report
        self.scope = ""
        self.block(self.tree.body)

    # Statements

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    self.assign(
                        alias.asname or alias.name.partition(".")[0],
                        Value(ref=alias.name if alias.asname else alias.name.partition(".")[0]),
                    )
            case ast.ImportFrom(module=module, names=names):
                for alias in names:
                    self.assign(alias.asname or alias.name, Value(ref=f"{module or ''}.{alias.name}".lstrip(".")))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node)
            case ast.ClassDef(name=name, body=body, decorator_list=decorators):
                for decorator in [*decorators, *node.bases]:
                    self.value(decorator)
                outer, self.scope = self.scope, f"{self.scope}{name}."
                self.block(body)
                self.scope = outer
            case ast.Assign(targets=targets, value=value):
                if isinstance(value, ast.Lambda) and isinstance(targets[0], ast.Name):
                    self.closure(targets[0].id, value)
                found = self.value(value)
                for target in targets:
                    self.bind(target, found)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self.bind(target, self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                before = self.value(target)
                added = self.value(value)
                result = Value(binary(type(op).__name__, before, added), before.labels | added.labels)
                self.bind(target, result, replace=not self.in_loop)
            case (
                ast.For(target=target, iter=iterable, body=body, orelse=orelse)
                | ast.AsyncFor(target=target, iter=iterable, body=body, orelse=orelse)
            ):
                self.bind(target, self.element(self.value(iterable)))
                self.loop([*body, *orelse])
            case ast.While(test=test, body=body, orelse=orelse):
                self.value(test)
                self.loop([*body, *orelse])
            case ast.If(test=test, body=body, orelse=orelse):
                self.value(test)
                self.block(body)
                self.block(orelse)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    opened = self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, opened)
                self.block(body)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                self.block([*body, *orelse])
                for handler in handlers:
                    self.block(handler.body)
                self.block(final)
            case ast.Return(value=value) if value is not None:
                found = self.value(value)
                name = self.scope.rstrip(".")
                self.returns[name] = join(self.returns[name], found) if name in self.returns else found
            case ast.Match(subject=subject, cases=cases):
                self.value(subject)
                for case in cases:
                    self.block(case.body)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child)
                    elif isinstance(child, ast.stmt):
                        self.statement(child)

    in_loop = False

    def loop(self, body: list[ast.stmt]) -> None:
        outer, self.in_loop = self.in_loop, True
        self.block(body)
        self.in_loop = outer

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.value(decorator)
        self.functions[node.name] = node
        arguments = node.args
        for argument, default in zip(
            [*arguments.posonlyargs, *arguments.args][::-1], arguments.defaults[::-1], strict=False
        ):
            self.bind_parameter(node.name, argument.arg, self.value(default))
        for argument, keyword in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if keyword is not None:
                self.bind_parameter(node.name, argument.arg, self.value(keyword))
        outer, self.scope = self.scope, f"{node.name}."
        loop, self.in_loop = self.in_loop, False
        self.block(node.body)
        self.scope, self.in_loop = outer, loop

    def closure(self, name: str, node: ast.Lambda) -> None:
        """Treat a named lambda as a function."""
        self.functions[name] = node
        outer, self.scope = self.scope, f"{name}."
        self.returns[name] = self.value(node.body)
        self.scope = outer

    def bind_parameter(self, function: str, name: str, value: Value) -> None:
        key = f"{function}.{name}"
        self.names[key] = join(self.names[key], value) if key in self.names else value

    # Names

    def assign(self, name: str, value: Value, *, replace: bool = False) -> None:
        key = self.scope + name
        before = self.names.get(key)
        self.names[key] = value if before is None or replace or before == value else join(before, value)

    def bind(self, target: ast.expr, value: Value, *, replace: bool = False) -> None:
        match target:
            case ast.Name(id=name):
                self.assign(name, value, replace=replace or (not self.scope and not self.in_loop and self.report))
            case ast.Attribute(attr=name, value=owner):
                self.names[f".{name}"] = join(self.names[f".{name}"], value) if f".{name}" in self.names else value
                self.value(owner)
            case ast.Subscript(value=owner, slice=key):
                holder = self.value(owner)
                index = self.value(key)
                if holder.ref in _ENVIRONMENT:
                    self.check_environment(index.text, target)
                if isinstance(owner, ast.Name | ast.Attribute):
                    self.bind(owner, Value(holder.const, holder.labels | value.labels, holder.ref))
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                parts = (
                    value.const if isinstance(value.const, list | tuple) and len(value.const) == len(targets) else None
                )
                for at, inner in enumerate(targets):
                    self.bind(inner, Value(parts[at] if parts else UNKNOWN, value.labels))
            case ast.Starred(value=inner):
                self.bind(inner, Value(labels=value.labels))

    def check_environment(self, name: str, node: ast.AST) -> None:
        if name in {"LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PYTHONSTARTUP"}:
            self.find("code.weakens", node, name)

    def lookup(self, name: str) -> Value:
        found = self.names.get(self.scope + name)
        if found is None and self.scope.count("."):
            found = self.names.get(name)
        if found is not None:
            return found
        return Value(ref=name)

    def element(self, value: Value) -> Value:
        """Return an element of an iterable; the texts of a list are alternatives."""
        items = value.const
        if isinstance(items, list | tuple) and items and all(isinstance(item, str) for item in items):
            return Value("\n".join(items[:200]), value.labels)
        return Value(labels=value.labels, ref=value.ref if value.ref in _ENVIRONMENT else "")

    # Expressions

    def value(self, node: ast.expr | None) -> Value:
        match node:
            case None:
                return Value()
            case ast.Constant(value=constant):
                return Value(
                    constant if not isinstance(constant, complex | type(...)) and constant is not None else UNKNOWN
                )
            case ast.Name(id=name):
                return self.lookup(name)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
            case ast.BinOp(left=left, op=op, right=right):
                first, second = self.value(left), self.value(right)
                computed = (
                    frozenset({"computed"})
                    if isinstance(first.const, str) and isinstance(second.const, str)
                    else frozenset()
                )
                return Value(binary(type(op).__name__, first, second), first.labels | second.labels | computed)
            case ast.JoinedStr(values=parts):
                found = [self.value(part.value if isinstance(part, ast.FormattedValue) else part) for part in parts]
                text = "".join(part.text for part in found)
                return Value(text if len(text) < 100_000 else UNKNOWN).and_from(*found)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                found = [self.value(item) for item in items]
                return Value([item.const for item in found]).and_from(*found)
            case ast.Dict(keys=keys, values=values):
                pairs = [(self.value(key), self.value(item)) for key, item in zip(keys, values, strict=True)]
                table = {key.const: item.const for key, item in pairs if isinstance(key.const, str | int | bytes)}
                return Value(table).and_from(*(part for pair in pairs for part in pair))
            case ast.Subscript():
                return self.subscript(node)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self.comprehension(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.value(test)
                return join(self.value(body), self.value(orelse))
            case ast.BoolOp(values=values):
                result = self.value(values[0])
                for other in values[1:]:
                    result = join(result, self.value(other))
                return result
            case ast.NamedExpr(target=target, value=inner):
                found_value = self.value(inner)
                self.bind(target, found_value)
                return found_value
            case ast.Await(value=inner) | ast.Starred(value=inner) | ast.YieldFrom(value=inner):
                return self.value(inner)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self.value(operand).const
                return Value(-number if isinstance(number, int) else UNKNOWN)
            case ast.Lambda(body=body):
                self.value(body)
                return Value()
            case _:
                inner_values = [
                    self.value(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
                ]
                return Value().and_from(*inner_values)

    def attribute(self, node: ast.Attribute) -> Value:
        owner = self.value(node.value)
        name = f"{owner.ref}.{node.attr}" if owner.ref else ""
        if name in _ENVIRONMENT:
            return Value(ref="os.environ")
        if node.attr in {"parent", "absolute", "__class__"} and isinstance(owner.const, str):
            return owner
        if node.attr == "__dict__" and owner.ref:
            return Value(ref=f"{owner.ref}.__dict__")
        kept = self.names.get(f".{node.attr}")
        if kept is not None and (not owner.ref or owner.ref in {"self", "cls"}):
            return kept.and_from(owner)
        return Value(labels=owner.labels, ref=name)

    def subscript(self, node: ast.Subscript) -> Value:
        owner = self.value(node.value)
        if owner.ref in _ENVIRONMENT:
            return self.secret(self.value(node.slice), node)
        if isinstance(node.slice, ast.Slice):
            parts = [
                self.value(part).const if part is not None else None
                for part in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            const = compute(lambda data: data[slice(*parts)], owner.const) if UNKNOWN not in parts else UNKNOWN
            reversed_ = (
                frozenset({"decoded"})
                if parts == [None, None, -1] and isinstance(const, str | bytes) and len(const) > 8
                else frozenset()
            )
            return Value(const, owner.labels | reversed_)
        key = self.value(node.slice)
        if owner.ref.endswith(".__dict__") or owner.ref in {
            "globals()",
            "locals()",
            "vars()",
            "__builtins__",
            "sys.modules",
        }:
            base = owner.ref.removesuffix(".__dict__") if owner.ref.endswith(".__dict__") else ""
            return self.computed(f"{base}.{key.text}".lstrip(".") if isinstance(key.const, str) else "", node, odd=True)
        const = compute(lambda data, at: data[at], owner.const, key.const)
        return Value(const, owner.labels | key.labels)

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp) -> Value:
        body = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        first = node.generators[0]
        iterable = self.value(first.iter)
        items = iterable.const
        if (
            isinstance(items, str | bytes | list)
            and isinstance(first.target, ast.Name | ast.Tuple)
            and len(items) <= 8_192
            and len(node.generators) == 1
            and not isinstance(node, ast.DictComp)
            and not any(isinstance(child, ast.Call) and not _pure_call(child) for child in ast.walk(body[0]))
        ):
            results = []
            for item in items:
                self.bind(first.target, Value(item), replace=True)
                if isinstance(first.target, ast.Name):
                    self.names[self.scope + first.target.id] = Value(item)
                results.append(self.value(body[0]))
            consts = [result.const for result in results]
            if consts and UNKNOWN not in consts:
                labels = iterable.labels.union(*(result.labels for result in results))
                odd = (
                    frozenset({"decoded"})
                    if all(isinstance(item, int) for item in items)
                    or any(isinstance(child, ast.BitXor | ast.Sub | ast.Add) for child in ast.walk(body[0]))
                    else frozenset()
                )
                return Value(consts, labels | odd)
        for generator in node.generators:
            self.bind(generator.target, self.element(self.value(generator.iter)))
            for condition in generator.ifs:
                self.value(condition)
        return Value().and_from(*(self.value(part) for part in body))

    def secret(self, name: Value, node: ast.AST) -> Value:
        """Return the value of an environment variable."""
        text = name.text
        if HOLE in text:
            return Value(labels=name.labels - {"computed"})
        labels = {f"env:{part}" for part in text.split("\n") if SECRET_NAME.search(part)}
        for label in labels:
            if self.report:
                self.source.reads_secret(label, self.line(node))
        return Value(labels=frozenset(labels))

    # Calls

    def call(self, node: ast.Call) -> Value:
        callee = self.value(node.func)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        arguments = [self.value(argument) for argument in node.args]
        keywords = {keyword.arg or "**": self.value(keyword.value) for keyword in node.keywords}
        owner = self.value(node.func.value) if isinstance(node.func, ast.Attribute) else Value()
        name = callee.ref.removeprefix("builtins.")
        everything = Value().and_from(*arguments, *keywords.values())
        special = self.reflect(name, node, arguments)
        if special is not None:
            return special
        if name in DECODERS or name.endswith(".fromhex"):
            function = DECODERS.get(name, DECODERS["bytes.fromhex"])
            values = [argument.const for argument in arguments] + [
                item.const for key, item in keywords.items() if key == "encoding"
            ]
            plain = (name == "codecs.decode" and len(values) < 2) or name == "urllib.parse.unquote"
            return Value(compute(function, *values), everything.labels | (frozenset() if plain else {"decoded"}))
        if name in PURE and name not in self.functions and not any(item.ref in _ENVIRONMENT for item in arguments):
            const = compute(PURE[name], *(argument.const for argument in arguments))
            if const is UNKNOWN and name in {"os.path.join", "pathlib.Path"}:
                const = "/".join(argument.text for argument in arguments)
            return Value(const, everything.labels)
        if name == "map" and len(arguments) == 2:
            return self.mapped(arguments)
        source = self.read(name, method, owner, arguments, node)
        if source is not None:
            return source.and_from(Value(labels=everything.labels & frozenset({"fetched"})))
        self.judge(name, method, owner, arguments, keywords, node)
        if name in self.functions or (method in self.functions and not callee.ref.startswith(("os.", "subprocess."))):
            return self.called(name if name in self.functions else method, arguments, keywords, everything)
        if method in METHODS and (owner.const is not UNKNOWN):
            const = compute(METHODS[method], owner.const, *(argument.const for argument in arguments))
            if method == "join" and const is UNKNOWN and isinstance(owner.const, str) and arguments:
                const = arguments[0].text
            odd = {"decoded"} if method in {"decode", "encode"} and arguments and "rot" in arguments[0].text else set()
            return Value(const, owner.labels | everything.labels | odd)
        if method == "format" and isinstance(owner.const, str):
            return Value(
                re.sub(r"\{[^{}]*\}", HOLE, owner.const)
                if not all(item.known for item in arguments)
                else compute(
                    lambda: owner.const.format(
                        *(item.text for item in arguments), **{key: item.text for key, item in keywords.items()}
                    )
                ),
                owner.labels | everything.labels | {"computed"},
            )
        fetched = frozenset({"fetched"}) if self.is_network(name, method, owner, arguments) else frozenset()
        labels = everything.labels | owner.labels | fetched
        if name in _RUNS_SHELL and arguments:
            labels |= {f"file:{match.group().strip()}" for match in SECRET_PATH.finditer(command_text(arguments[0]))}
        if fetched:
            # What comes back from the network is not the secret that was sent.
            labels = frozenset({"fetched"})
        return Value(labels=labels, ref=name if name and name[:1].isalpha() else "")

    def called(self, name: str, arguments: list[Value], keywords: dict[str, Value], everything: Value) -> Value:
        """Pass arguments to a function of this file, and return what it returns."""
        node = self.functions[name]
        parameters = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args]]
        if parameters[:1] in (["self"], ["cls"]):
            parameters = parameters[1:]
        for parameter, argument in [*zip(parameters, arguments, strict=False), *keywords.items()]:
            self.bind_parameter(name, parameter, argument)
        return self.returns.get(name, Value(labels=everything.labels))

    def mapped(self, arguments: list[Value]) -> Value:
        function, items = arguments
        if function.ref in {"chr", "int", "ord", "str"} and isinstance(items.const, str | bytes | list):
            consts = [compute(PURE[function.ref], item) for item in items.const]
            if UNKNOWN not in consts:
                return Value(consts, items.labels | ({"decoded"} if function.ref == "chr" else set()))
        computed = {"decoded"} if isinstance(items.const, str | bytes | list) and not function.ref else set()
        return Value(labels=items.labels | computed)

    def reflect(self, name: str, node: ast.Call, arguments: list[Value]) -> Value | None:
        """Return what a call that computes a name gives; None for other calls."""
        if name in {"__import__", "importlib.import_module", "importlib.__import__"} and arguments:
            target = arguments[0]
            odd = bool(target.labels & {"computed", "decoded"}) or not isinstance(node.args[0], ast.Constant | ast.Name)
            return self.computed(target.text if target.known else "", node, odd=odd and target.known)
        if name in {"getattr", "operator.attrgetter"} and len(arguments) >= 2:
            owner, attribute = arguments[0], arguments[1]
            if owner.ref and attribute.known and isinstance(attribute.const, str):
                base = "" if owner.ref in {"__builtins__", "builtins"} else f"{owner.ref}."
                return self.computed(base + attribute.text, node, odd=True)
            if owner.ref in {"os", "subprocess", "builtins", "__builtins__"} and "decoded" in attribute.labels:
                self.find("code.computed-name", node, owner.ref)
            return Value(labels=owner.labels)
        if name in {"globals", "locals", "vars"}:
            return Value(ref=f"{arguments[0].ref}.__dict__" if arguments and arguments[0].ref else "globals()")
        return None

    def computed(self, name: str, node: ast.AST, *, odd: bool) -> Value:
        if odd and _COMPUTED.match(name) and not _plain_name(node):
            self.find("code.computed-name", node, name)
        return Value(ref=name)

    def read(self, name: str, method: str, owner: Value, arguments: list[Value], node: ast.Call) -> Value | None:
        """Return the value of a call that reads a secret; None for other calls."""
        if (
            name
            in {
                "os.getenv",
                "os.environ.get",
                "os.environ.pop",
                "os.environ.setdefault",
                "os.getenvb",
                "decouple.config",
                "environ.get",
            }
            and arguments
        ):
            default = arguments[1] if len(arguments) > 1 else Value()
            found = self.secret(arguments[0], node)
            return Value(default.const, found.labels)
        if (name.startswith("os.environ.") and method in {"items", "copy", "values", "keys"}) or (
            name in {"dict", "json.dumps", "str", "repr", "list", "pprint.pformat", "urllib.parse.urlencode"}
            and any(argument.ref in _ENVIRONMENT for argument in arguments)
        ):
            if self.report:
                self.source.reads_secret("env:*", self.line(node))
            return Value(labels=frozenset({"env:*"}))
        if name in {"dotenv.dotenv_values", "dotenv_values"}:
            return Value(labels=frozenset({"file:.env"}))
        if name.startswith(("keyring.get_", "browser_cookie3", "browsercookie", "win32crypt.CryptUnprotectData")):
            return Value(labels=frozenset({f"file:{name}"}))
        opened = (
            arguments[0]
            if name
            in {
                "open",
                "io.open",
                "codecs.open",
                "aiofiles.open",
                "sqlite3.connect",
                "configparser.ConfigParser.read",
                "glob.glob",
                "os.listdir",
                "os.walk",
                "os.scandir",
                "shutil.copy",
                "shutil.copyfile",
                "shutil.copytree",
                "shutil.make_archive",
                "tarfile.open",
                "os.open",
                "numpy.fromfile",
            }
            and arguments
            else owner
            if method in {"read_text", "read_bytes", "open", "glob", "rglob", "iterdir"}
            else None
        )
        if opened is None or _writes(arguments, node, method):
            return None
        path = opened.text + (
            " " + " ".join(argument.text for argument in arguments)
            if method in {"glob", "rglob"} or name == "shutil.make_archive"
            else ""
        )
        matches = {f"file:{found.group().strip()}" for part in path.split("\n") for found in SECRET_PATH.finditer(part)}
        for label in sorted(matches):
            if self.report:
                self.source.reads_secret(label, self.line(node))
        # A path built from a secret path is itself of interest: its content is read later.
        inherited = frozenset(label for label in opened.labels if label.startswith("file:"))
        return Value(
            opened.const
            if method in {"glob", "rglob", "iterdir"} or name in {"glob.glob", "os.listdir", "os.walk"}
            else UNKNOWN,
            frozenset(matches) | inherited | (opened.labels & {"fetched"}),
        )

    def judge(
        self, name: str, method: str, owner: Value, arguments: list[Value], keywords: dict[str, Value], node: ast.Call
    ) -> None:
        if not self.report:
            return
        self.called_names.add(name or method)
        first = arguments[0] if arguments else next(iter(keywords.values()), Value())
        everything = Value().and_from(owner, *arguments, *keywords.values())
        if name in _RUNS_CODE:
            self.judge_code(name, first, node)
        elif name in _LOADS_CODE:
            self.judge_load(name, first, node)
        elif name in _RUNS_SHELL or (name.startswith("os.") and name in _RUNS_SHELL):
            self.judge_command(name, arguments, keywords, node)
        elif name in {"types.FunctionType", "types.CodeType"} and (first.labels or first.const is not UNKNOWN):
            self.find("code.deserialize", node, name)
        elif name.startswith(("ctypes.", "mmap.")) and (
            (isinstance(first.const, bytes) and len(first.const) > 16) or "decoded" in everything.labels
        ):
            self.find("code.native", node, name)
        elif self.is_network(name, method, owner, arguments):
            self.judge_network(name, method, owner, arguments, keywords, node)
        elif name in {"open", "io.open", "os.open"} or method in _WRITERS or method == "open":
            self.judge_write(
                owner if method in {*_WRITERS, "open"} and owner.const is not UNKNOWN else first,
                arguments,
                method,
                node,
            )
        elif name in {"shutil.rmtree", "os.remove", "os.unlink"} and first.text.strip() in {
            "~",
            "/",
            "~/",
            "/*",
            "$HOME",
        }:
            self.find("code.destroys", node, f"{name} {first.text}")
        elif (
            name in {"shutil.copy", "shutil.copyfile", "shutil.move", "os.replace", "os.rename", "os.symlink"}
            and len(arguments) > 1
        ):
            self.judge_write(arguments[1], [Value(), Value("w")], "", node)
        elif method in {"write", "dump"} or name in {"json.dump", "yaml.dump"}:
            return

    def judge_code(self, name: str, code: Value, node: ast.Call) -> None:
        if "fetched" in code.labels:
            self.find("code.fetched", node, f"{name} of what it downloaded")
        elif "decoded" in code.labels:
            self.find("code.encoded", node, _show(code))
        elif isinstance(code.const, str | bytes) and HOLE not in code.text:
            if "computed" in code.labels and name != "compile":
                self.find("code.dynamic", node, _show(code))
        elif name in {"exec", "eval"}:
            self.find("code.dynamic", node, name)
        if isinstance(code.const, str | bytes) and self.source.layers < MAX_LAYERS:
            scan_python(code.text, self.source.nested(self.line(node)))
        elif isinstance(code.const, str | bytes):
            self.find("code.encoded", node, "too many layers")

    def judge_load(self, name: str, data: Value, node: ast.Call) -> None:
        if "fetched" in data.labels:
            self.find("code.fetched", node, name)
        elif name.startswith("marshal") or "decoded" in data.labels or isinstance(data.const, bytes):
            self.find("code.encoded" if "decoded" in data.labels else "code.deserialize", node, name)
        else:
            self.find("code.dynamic", node, name)

    def judge_command(self, name: str, arguments: list[Value], keywords: dict[str, Value], node: ast.Call) -> None:
        command = arguments[0] if arguments else keywords.get("args", Value())
        if name.startswith(("os.exec", "os.spawn", "asyncio.create_subprocess_exec")):
            command = Value(
                [part.text for part in arguments if part.const is not UNKNOWN],
                frozenset().union(*(part.labels for part in arguments)),
            )
        piped = keywords.get("input", Value())
        labels = command.labels | piped.labels
        if "fetched" in labels:
            self.find("code.fetched", node, name)
        elif "decoded" in labels:
            self.find("code.encoded", node, _show(command))
        text = command_text(command)
        if re.match(r"(?:\S*/)?(?:ba|z|da)?sh(?:\s+-i)?$|cmd(?:\.exe)?$|powershell", text) and (
            "os.dup2" in self.called_names
            or ("stdin" in keywords and any("socket" in called for called in self.called_names))
        ):
            self.find("code.reverse-shell", node, text)
        if text:
            self.source.can("runs", text.split()[0] if text.split() else text, self.line(node))
            from hermes_tools_skills.scanner.shell_code import bare_hosts, scan_shell

            scan_shell(text.replace(HOLE, "VALUE"), self.source.nested(self.line(node)))
            secrets = {label for label in labels if label.startswith(("env:", "file:"))}
            targets = hosts_in(text) or bare_hosts(text)
            if secrets and targets and _SENDS_BY_COMMAND.search(text):
                self.source.sends(secrets, targets, self.line(node))
            if secrets and _DNS_COMMAND.search(text):
                self.find("code.secret-dns", node, text)
            if re.match(r"(?:printenv|env|set)\s*$", text):
                self.source.reads_secret("env:*", self.line(node))
        else:
            self.source.can("runs", "commands that are known when it runs", self.line(node))

    def is_network(self, name: str, method: str, owner: Value, arguments: list[Value]) -> bool:
        if _NETWORK.match(name):
            return True
        addressed = (
            bool(arguments)
            and isinstance(arguments[0].const, str)
            and re.match(r"(?:https?|wss?|ftp)://", arguments[0].const) is not None
        )
        return method in _SENDS and (addressed or _NETWORK.match(owner.ref) is not None)

    def judge_network(
        self, name: str, method: str, owner: Value, arguments: list[Value], keywords: dict[str, Value], node: ast.Call
    ) -> None:
        everything = Value().and_from(owner, *arguments, *keywords.values())
        texts = [argument.text for argument in [*arguments, *keywords.values(), owner]]
        hosts = list(dict.fromkeys(host for text in texts[: len(arguments) + 2] for host in hosts_in(text)))
        endpoints = [
            item.const
            for item in arguments
            if isinstance(item.const, list | tuple) and item.const and isinstance(item.const[0], str)
        ]
        if (
            name.startswith(("socket.", "http.client", "smtplib", "ftplib", "paramiko", "dns.", "telnetlib"))
            or not hosts
        ):
            bare = [str(item[0]) for item in endpoints] + [
                text for text in texts[:2] if re.fullmatch(r"[\w.-]+\.[\w-]{2,}", text)
            ]
            hosts += [host for host in bare if host not in hosts]
            hosts = hosts or [host for text in texts for host in _suffix(text)]
            self.remember_hosts(hosts)
        if not hosts and name.startswith(("socket.", "http.client", "smtplib", "ftplib", "telnetlib")):
            hosts = list(self.local)
        for host in hosts:
            self.source.connects(
                host,
                self.line(node),
                uploads=method in {"post", "put", "patch", "send", "sendall", "request"}
                or bool({"data", "json", "files", "content"} & set(keywords)),
            )
        secrets = {label for label in everything.labels if label.startswith(("env:", "file:"))}
        if any(argument.ref in _ENVIRONMENT for argument in [*arguments, *keywords.values()]):
            secrets.add("env:*")
        if (
            _DNS.search(name)
            and arguments
            and (secrets or _COMPUTED_NAME.search(arguments[0].text))
            and (secrets or "encoded" in everything.labels or self.is_drop(hosts))
        ):
            if not secrets or all(HOLE in arguments[0].text for _ in secrets):
                self.find("code.secret-dns", node, arguments[0].text.replace(HOLE, "…"))
        elif secrets:
            self.source.sends(secrets, hosts, self.line(node), "an address that is known when it runs")

    def is_drop(self, hosts: list[str]) -> bool:
        return any(classify_host(host) in {"unknown", "drop"} for host in hosts)

    def remember_hosts(self, hosts: list[str]) -> None:
        self.local.update(hosts[:20])

    def judge_write(self, path: Value, arguments: list[Value], method: str, node: ast.Call) -> None:
        if not (_writes(arguments, node, method) or method in _WRITERS):
            return
        text = path.text
        if _LOGIN_FILE.search(text):
            self.find("code.login-key", node, text)
        elif _LATER_FILE.search(text):
            self.find("code.persistence", node, text)
        elif _AGENT_FILE.search(text) and (text.startswith(("~", "/")) or _AGENT_GLOBAL.search(text)):
            self.find("code.agent-config", node, text)
        elif text.startswith(("~", "/")) and not text.startswith("/tmp"):  # noqa: S108 (text of the skill)
            self.source.can("writes outside", text.replace(HOLE, "…"), self.line(node))

    def find(self, rule: str, node: ast.AST, detail: str) -> None:
        line = self.line(node)
        if self.report and (rule, line) not in self.reported:
            self.reported.add((rule, line))
            self.source.find(rule, line, detail)

    def line(self, node: ast.AST) -> int:
        return getattr(node, "lineno", 1) - 1


_AGENT_GLOBAL = re.compile(
    r"(?i)soul\.md|memory\.md|identity\.md|heartbeat\.md|agents\.md|claude\.md|\.mcp\.json|mcp\.json|"
    r"claude_desktop_config|settings\S*\.json|\.cursorrules"
)
_SENDS_BY_COMMAND = re.compile(
    r"\b(?:curl|wget|nc|ncat|ssh|scp|rsync|http|powershell|python|node|ruby|perl|php|deno|bun)\b"
)
_DNS_COMMAND = re.compile(r"\b(?:nslookup|dig|host|ping)\b")
_COMPUTED_NAME = re.compile(f"{HOLE}[^\\s]*\\.[a-z]")
_PURE_NAMES = frozenset({"chr", "ord", "int", "str", "bytes", "len", "zip", "range", "enumerate", "reversed", "hex"})


def _pure_call(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in _PURE_NAMES


def _plain_name(node: ast.AST) -> bool:
    """Return True for `getattr(os, "name")`, which hides nothing."""
    match node:
        case ast.Call(args=[_, ast.Constant()]) | ast.Call(args=[_, ast.Constant(), _]):
            return True
        case ast.Call(args=[ast.Constant()]):
            return True
    return False


def _suffix(text: str) -> list[str]:
    found = re.search(rf"{HOLE}\.?((?:[\w-]+\.)+[a-z]{{2,}})", text)
    return [found.group(1)] if found else []


def _writes(arguments: list[Value], node: ast.Call, method: str) -> bool:
    if method == "open":
        arguments = [Value(), *arguments]
    mode = (
        arguments[1].text
        if len(arguments) > 1
        else next(
            (
                keyword.value.value
                for keyword in node.keywords
                if keyword.arg == "mode" and isinstance(keyword.value, ast.Constant)
            ),
            "r",
        )
    )
    return isinstance(mode, str) and any(letter in mode for letter in "wax+") and len(mode) <= 4


def command_text(command: Value) -> str:
    """Return a command as shell text; words of a list are quoted."""
    import shlex

    if isinstance(command.const, list | tuple):
        words = [str(word) if isinstance(word, str | int) else HOLE for word in command.const]
        if (
            len(words) > 2
            and re.search(r"(?:^|/)(?:ba|z|da)?sh$|^cmd|^powershell|^pwsh", words[0])
            and words[1] in {"-c", "-lc", "/c", "-Command", "-ic"}
        ):
            return words[2]
        return " ".join(word if re.fullmatch(rf"[\w./:=@%+,{HOLE}-]+", word) else shlex.quote(word) for word in words)
    return command.text if isinstance(command.const, str | bytes) else ""


def _show(value: Value) -> str:
    if isinstance(value.const, bytes):
        program = next((what for magic, what in MAGIC if value.const.startswith(magic)), "")
        return program or readable(value.const)[:120] or "binary data"
    return value.text.replace(HOLE, "…")[:120]


def strings_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the string literals of Python source with their lines, counted from 0."""
    tree = parse(text)
    if tree is not None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) >= 16:
                yield node.lineno - 1, node.value
