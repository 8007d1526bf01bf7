"""Reads Perl, Ruby, JavaScript, PHP, Lua, awk and their like by their tokens."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from hermes_guard.budget import Budget
from hermes_guard.rules.languages.deed import TOO_LONG, Deed, deletes, quoted, runs, starts
from hermes_guard.rules.languages.tokens import (
    APPLESCRIPT,
    AWK,
    JULIA,
    LISP,
    LUA,
    NODE,
    PERL,
    PHP,
    RUBY,
    Language,
    R,
    Token,
    scan,
)
from hermes_guard.shell.word import HOLE

_STOPS = frozenset(
    ["if", "unless", "while", "until", "for", "foreach", "or", "and", "do", "end", "then", "rescue", "else", "elsif"]
)
#: How many tokens the arguments of one call may have; reading stays linear.
_FARTHEST = 48
#: No text that code puts together is longer.
_LONGEST = 8_192
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_WRITING = re.compile(r"[wax+]|>")


class Verbs(NamedTuple):
    """The names of a language that matter."""

    language: Language
    #: Their first argument is shell code.
    shell: frozenset[str] = frozenset()
    #: Their arguments are a program and its arguments; one argument alone is shell code.
    spawn: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    evals: frozenset[str] = frozenset()
    #: Functions that write a file, and the place of its path.
    writes: Mapping[str, int] = MappingProxyType({})
    #: Functions that open a file, with a mode behind the path.
    opens: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    sockets: frozenset[str] = frozenset()
    fetches: frozenset[str] = frozenset()
    forks: frozenset[str] = frozenset()


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PERL_VERBS = Verbs(
    PERL,
    spawn=_set("system exec"),
    trees=_set("rmtree remove_tree pathrmdir"),
    files=_set("unlink"),
    evals=_set("eval"),
    opens=_set("open sysopen"),
    writes={"rename": 1, "symlink": 1, "link": 1, "move": 1, "copy": 1, "truncate": 0},
    sockets=_set("socket IO::Socket IO::Socket::INET IO::Socket::SSL"),
    fetches=_set("getstore get getprint LWP::UserAgent HTTP::Tiny LWP::Simple"),
    forks=_set("fork"),
)
RUBY_VERBS = Verbs(
    RUBY,
    spawn=_set("system exec spawn popen popen2 popen2e popen3 capture2 capture2e capture3"),
    trees=_set("rm_rf rm_r rmtree remove_dir remove_entry remove_entry_secure delete_tree"),
    files=_set("delete unlink rm rm_f safe_unlink"),
    evals=_set("eval instance_eval class_eval module_eval"),
    opens=_set("open new"),
    reads=_set("read readlines binread foreach"),
    writes={"write": 0, "binwrite": 0, "rename": 1, "symlink": 1, "cp": 1, "mv": 1, "cp_r": 1, "ln_s": 1},
    sockets=_set("TCPSocket UDPSocket Socket"),
    fetches=_set("Net URI open-uri Net::HTTP"),
    forks=_set("fork"),
)
NODE_VERBS = Verbs(
    NODE,
    shell=_set("exec execSync"),
    spawn=_set("spawn spawnSync execFile execFileSync"),
    trees=_set("rimraf rimrafSync removeSync emptyDirSync"),
    files=_set("unlink unlinkSync remove removeSync rm rmSync rmdir rmdirSync"),
    evals=_set("eval Function runInThisContext runInNewContext runInContext compileFunction"),
    writes={
        "writeFileSync": 0,
        "writeFile": 0,
        "appendFileSync": 0,
        "appendFile": 0,
        "createWriteStream": 0,
        "truncateSync": 0,
        "truncate": 0,
        "copyFileSync": 1,
        "copyFile": 1,
        "renameSync": 1,
        "rename": 1,
        "symlinkSync": 1,
        "cpSync": 1,
        "writeTextFile": 0,
        "writeTextFileSync": 0,
    },
    opens=_set("openSync"),
    reads=_set("readFileSync readFile createReadStream readTextFile readTextFileSync"),
    sockets=_set("connect createConnection createServer Socket"),
    fetches=_set("fetch https http axios got"),
    forks=_set("fork"),
)
PHP_VERBS = Verbs(
    PHP,
    shell=_set("system exec shell_exec passthru popen proc_open expect_popen"),
    spawn=_set("pcntl_exec"),
    files=_set("unlink rmdir"),
    evals=_set("eval assert create_function"),
    writes={"file_put_contents": 0, "rename": 1, "copy": 1, "symlink": 1, "touch": 0},
    opens=_set("fopen"),
    reads=_set("file_get_contents readfile file show_source highlight_file"),
    sockets=_set("fsockopen pfsockopen stream_socket_client socket_create socket_connect"),
    fetches=_set("curl_exec curl_init"),
    forks=_set("pcntl_fork"),
)
LUA_VERBS = Verbs(
    LUA,
    shell=_set("execute popen"),
    files=_set("remove"),
    evals=_set("load loadstring"),
    writes={"rename": 1},
    opens=_set("open"),
    sockets=_set("socket tcp"),
    forks=_set("fork"),
)
R_VERBS = Verbs(
    R,
    shell=_set("system shell"),
    spawn=_set("system2"),
    trees=_set("unlink dir_delete"),
    files=_set("remove"),
    evals=_set("eval"),
    writes={"writeLines": 1, "sink": 0},
    fetches=_set("url download"),
)
JULIA_VERBS = Verbs(
    JULIA, trees=_set("rm"), evals=_set("eval include_string"), opens=_set("open"), fetches=_set("download")
)


def _split(tokens: list[Token]) -> list[list[Token]]:
    """The arguments in a list, which may be in its parentheses."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind == "op":
            if token.text in _OPENING:
                depth += 1
            elif token.text in _CLOSING:
                depth -= 1
            elif token.text in {",", "=>"} and depth == 0:
                parts.append([])
                continue
            elif token.text == "\n":
                continue
        if token.kind == "words" and depth == 0:
            for number, word in enumerate(token.text.split()):
                if number:
                    parts.append([])
                parts[-1].append(Token("text", word))
            continue
        parts[-1].append(token)
    return parts if any(parts) else []


_HOMES = (
    ("process", ".", "env", ".", "HOME"),
    ("Dir", ".", "home"),
    ("ENV", "[", "HOME", "]"),
    ("$ENV", "{", "HOME", "}"),
    ("getenv", "(", "HOME", ")"),
    ("$_SERVER", "[", "HOME", "]"),
    ("require", "(", "os", ")", ".", "homedir", "(", ")"),
    ("os", ".", "homedir", "(", ")"),
    ("homedir", "(", ")"),
    ("os", ".", "getenv", "(", "HOME", ")"),
    ("ENV", ".", "fetch", "(", "HOME", ")"),
    ("require", "(", "node:os", ")", ".", "homedir", "(", ")"),
    ("Dir", ".", "home", "(", ")"),
)


_HOME_WORDS = frozenset(one[0] for one in _HOMES)


def _at_home(tokens: list[Token], home: str) -> list[Token]:
    """The tokens with every way to say `home` replaced by its path."""
    if not any(token.text in {"HOME", "home", "homedir"} for token in tokens):
        return tokens
    found: list[Token] = []
    index = 0
    while index < len(tokens):
        known = None
        if tokens[index].text in _HOME_WORDS:
            near = tuple(token.text for token in tokens[index : index + 8])
            known = next((one for one in _HOMES if near[: len(one)] == one), None)
        if known:
            found.append(Token("text", home))
            index += len(known)
        else:
            found.append(tokens[index])
            index += 1
    return found


def _folded(tokens: list[Token], joins: frozenset[str]) -> list[Token]:
    """The tokens with every text that is put together from texts as one: `"rm" + "Sync"`."""
    found: list[Token] = []
    size = 0
    for token in tokens:
        if (
            token.kind == "text"
            and len(found) > 1
            and found[-1].kind == "op"
            and found[-1].text in joins
            and found[-2].kind == "text"
            and size + len(token.text) <= _LONGEST
        ):
            found.pop()
            size += len(token.text)
            found[-1] = Token("text", found[-1].text + token.text)
        else:
            size = len(token.text) if token.kind == "text" else size if token.kind == "op" else 0
            found.append(token)
    return found


class _Script:
    def __init__(self, code: str, verbs: Verbs, home: str, *, looped: bool, budget: Budget, depth: int = 0) -> None:
        self.verbs = verbs
        self.budget = budget
        self.language = verbs.language
        self.tokens = _folded(
            _at_home(scan(code, verbs.language, self.budget), home), frozenset(verbs.language.joins) - {","}
        )
        self.home = home
        self.looped = looped or any(
            token.kind == "name"
            and token.text
            in {
                "while",
                "for",
                "foreach",
                "each",
                "map",
                "until",
                "loop",
                "forEach",
                "array_map",
                "lapply",
                "glob",
                "each_child",
            }
            for token in self.tokens
        )
        self.depth = depth
        self.values: dict[str, str] = {}
        self.found: list[Deed] = []
        names = {token.text for token in self.tokens if token.kind == "name"}
        texts = {token.text for token in self.tokens if token.kind == "text"}
        self.names = names
        roots = {name.split("::")[0] for name in names}
        self.sockets = bool((names | roots) & verbs.sockets) or (
            bool(texts & {"net", "node:net"}) and bool(names & {"connect", "Socket", "createConnection"})
        )
        self.fetches = bool((names | texts | roots) & verbs.fetches)

    def read(self) -> list[Deed]:
        spawned = False
        tokens = self.tokens
        processes = self._processes()
        verbs = self.verbs
        for at, token in enumerate(tokens):
            index = at
            after = tokens[at + 1].text if at + 1 < len(tokens) else ""
            if token.kind == "code":
                spawned = True
                self.found.append(runs(token.text, "a command in backticks"))
                continue
            if token.kind == "op" and token.text == "=" and index:
                self._assign(index)
                continue
            name = token.text
            if token.kind == "text" and index and tokens[index - 1].text == "[" and after == "]":
                name = token.text
                index += 1
            elif (
                token.kind == "text"
                and index
                and tokens[index - 1].text == "("
                and after == ")"
                and self.language.name == "php"
                and index + 2 < len(tokens)
                and tokens[index + 2].text == "("
            ):
                # `("sys" . "tem")("ls")`
                index += 1
            elif token.kind != "name":
                continue
            elif self.language.name == "php" and name.startswith("$") and after == "(":
                name = self.values.get(name, name)
            before = tokens[index - 1].text if index else ""
            if before in {"sub", "def", "function", "$", "class"}:
                continue
            if name in verbs.shell or name in verbs.spawn:
                if processes(index, name, before):
                    spawned = True
                    self._spawn(index, name)
            elif name in verbs.evals:
                self._eval(index, name, before)
            elif name in verbs.trees or name in verbs.files:
                self._delete(index, name, before)
            elif name in verbs.writes:
                self._write(index, name, before)
            if name in verbs.opens:
                spawned = self._open(index, name, before) or spawned
            elif (name in verbs.reads and before not in {"->", ""}) or (
                name in verbs.reads and self.language.name in {"php", "node"}
            ):
                self._path(index, 0, "read", name)
            elif name in verbs.forks:
                self._fork(index)
            elif name in {"kill", "posix_kill"}:
                self._kill(index, name, before)
            elif name in {"chmod", "chmodSync"}:
                self._chmod(index)
            elif name in {"chown", "chownSync", "lchown"} and (self.language.name != "node" or before == "."):
                self.found.append(Deed("permission", f"{name} gives a file to somebody else"))
            elif name in {"truncate", "truncateSync"} and self.language.name in {"perl", "ruby", "node"}:
                args = self._args(index)
                path = self.constant(args[0]) if args else None
                if path and path.strip(HOLE):
                    self.found.append(Deed("shell", name, f"truncate -s 0 -- {quoted(path)}"))
            elif name in {"setuid", "POSIX::setuid", "posix_setuid"}:
                self.found.append(Deed("permission", "changes the user it runs as"))
            elif name == "syscall" and self.language.name in {"perl", "ruby"}:
                self.found.append(Deed("native", "calls the kernel by number"))
            elif name in {
                "send",
                "public_send",
                "method",
                "__send__",
                "call_user_func",
                "call_user_func_array",
                "array_map",
                "array_walk",
            }:
                self._by_name(index)
        if self.sockets and (spawned or self.names & {"STDIN", "dup2", "reopen"}):
            self.found.append(Deed("reverse", "a program is connected to a socket"))
        elif self.fetches and spawned:
            self.found.append(Deed("remote", "code fetches something and starts a program"))
        return self.found

    def _processes(self) -> Callable[[int, str, str], bool]:
        """Whether a name means what starts programs: `exec` is also a method of patterns."""
        tokens = self.tokens
        if self.language.name == "node":
            texts = [token.text for token in tokens if token.kind == "text"]
            joined = "".join(texts)
            starts_programs = (
                "child_process" in joined
                or "execa" in joined
                or bool(self.names & {"Bun", "Deno"})
                or ("process" in self.names and "binding" in self.names)
            )
            return lambda _index, _name, _before: starts_programs
        if self.language.name == "lua":
            return lambda _index, _name, before: before in {".", ":"}
        if self.language.name == "ruby":
            return lambda index, name, before: name != "system" or before != ":" or index > 0
        return lambda _index, _name, before: before not in {"->", "$"} or self.language.name == "ruby"

    def _args(self, index: int) -> list[list[Token]]:
        """The arguments of the call at this name."""
        tokens = self.tokens
        at = index + 1
        if at < len(tokens) and tokens[at].text == "(" and tokens[at].kind == "op":
            depth, end = 1, at + 1
            last = min(len(tokens), at + _FARTHEST)
            while end < last and depth:
                if tokens[end].kind == "op":
                    depth += (tokens[end].text in _OPENING) - (tokens[end].text in _CLOSING)
                end += 1
            if not self.budget.reads(2 * (end - at)):
                return []
            return _split(tokens[at + 1 : end - 1 if not depth else end])
        if not self.language.bare_calls and not (at < len(tokens) and tokens[at].kind == "text"):
            return []
        depth, end = 0, at
        while end < min(len(tokens), at + _FARTHEST):
            token = tokens[end]
            if token.kind == "op":
                if token.text in _CLOSING:
                    depth -= 1
                    if depth < 0:
                        break
                depth += token.text in _OPENING
                if depth == 0 and token.text in {";", "\n", "||", "&&", "?", "|"}:
                    break
            elif token.kind == "name" and depth == 0 and token.text in _STOPS:
                break
            end += 1
        if not self.budget.reads(2 * (end - at)):
            return []
        return _split(tokens[at:end])

    def constant(self, tokens: list[Token]) -> str | None:
        """The text of an expression with holes; None when all of it is unknown."""
        pieces: list[str] = []
        known = False
        joins = self.language.joins
        depth = 0
        for token in tokens:
            if token.kind == "op" and token.text in _OPENING:
                depth += 1
            elif token.kind == "op" and token.text in _CLOSING:
                depth -= 1
            elif token.kind == "text":
                pieces.append(token.text)
                known = True
            elif token.kind == "op" and (token.text in joins or token.text == "\n"):
                continue
            elif token.kind == "name" and token.text in self.values:
                pieces.append(self.values[token.text])
                known = True
            elif token.kind == "op" and token.text in {"?", ":", "||", "&&"}:
                return None
            else:
                pieces.append(HOLE)
        size = sum(map(len, pieces))
        if not known or size > _LONGEST or not self.budget.reads(len(pieces) // 2 + size // 64):
            return None
        return re.sub(f"{HOLE}+", HOLE, "".join(pieces))

    def _assign(self, index: int) -> None:
        target = self.tokens[index - 1]
        if target.kind != "name":
            return
        end = index + 1
        if not self.budget.reads(4):
            return
        if target.text.startswith("@"):
            # A list: its texts are the words of a command.
            while end < min(len(self.tokens), index + _FARTHEST) and self.tokens[end].text not in {";", "\n"}:
                end += 1
            if not self.budget.reads(2 * (end - index)):
                return
            parts = [
                self.constant(part)
                for part in _split([one for one in self.tokens[index + 1 : end] if one.text not in {"(", ")"}])
            ]
            self.values[target.text] = " ".join(quoted(part) for part in parts)
            return
        while end < min(len(self.tokens), index + 16) and self.tokens[end].text not in {";", "\n", ",", ")"}:
            end += 1
        value = self.constant(self.tokens[index + 1 : end])
        if value is not None and HOLE not in value:
            self.values[target.text] = value
        else:
            self.values.pop(target.text, None)

    def _spawn(self, index: int, name: str) -> None:
        args = self._args(index)
        if not args:
            # A name without arguments: handed over, or `system` with `$_`.
            if self.language.name in {"perl", "ruby"} or (
                index + 1 < len(self.tokens) and self.tokens[index + 1].text == "("
            ):
                self.found.append(Deed("spawn", f"{name} of a command that nobody knows before it runs"))
            return
        first = self._list(args[0])
        if first is not None:
            self.found.append(starts(first, name))
        elif name in self.verbs.spawn and len(args) > 1:
            argv: list[str | None] = [self.constant(args[0])]
            for arg in args[1:]:
                inner = self._list(arg)
                if inner is not None:
                    argv.extend(inner)
                elif arg[:1] and (arg[0].text == "{" or (len(arg) > 1 and arg[1].text == ":")):
                    break
                elif arg[:1] and arg[0].text == "c" and self.language.name == "R":
                    argv.extend(token.text for token in arg if token.kind == "text")
                elif not any(token.text in {"function", "->"} for token in arg):
                    argv.append(self.constant(arg))
            self.found.append(starts(argv, name))
        else:
            self.found.append(runs(self.constant(args[0]), name))

    def _list(self, tokens: list[Token]) -> list[str | None] | None:
        if len(tokens) < 2 or tokens[0].text not in {"[", "array"} or tokens[0].kind == "text":
            return None
        inside = tokens[1:-1] if tokens[0].text == "[" else tokens[2:-1]
        return [self.constant(part) for part in _split(inside)]

    def _eval(self, index: int, name: str, before: str) -> None:
        after = self.tokens[index + 1].text if index + 1 < len(self.tokens) else ""
        if after in {"{", "do", "|"} or (before in {".", "->"} and name == "eval" and self.language.name != "ruby"):
            return
        if self.language.name == "ruby" and after in {";", "}"}:
            return
        args = self._args(index)
        if self.language.name in {"R", "julia"}:
            inner = [token for arg in args for token in arg]
            if any(token.kind == "text" for token in inner) or not any(
                token.text in {"parse", "Meta"} for token in inner
            ):
                for token in inner:
                    if token.kind == "text":
                        self.found += self._inner(token.text)
                return
            self.found.append(Deed("eval", f"{name} of code that nobody knows before it runs"))
            return
        if name == "Function" and (before != "new" and after != "("):
            return
        code = self.constant(args[-1 if name == "Function" else 0]) if args else None
        if (
            code is not None
            and HOLE not in code
            and all(token.kind in {"text", "op"} or token.text in self.values for token in (args[0] if args else []))
        ):
            self.found += self._inner(code)
            return
        kind = "remote" if self.fetches else "eval"
        self.found.append(
            Deed("remote" if kind == "remote" else "eval", f"{name} of code that nobody knows before it runs")
        )

    def _inner(self, code: str) -> list[Deed]:
        if self.depth >= 4:
            return [Deed("unreadable", "code is nested too deeply")]
        return _Script(code, self.verbs, self.home, looped=self.looped, budget=self.budget, depth=self.depth + 1).read()

    def _delete(self, index: int, name: str, before: str) -> None:
        args = self._args(index)
        language = self.language.name
        if language == "node":
            if before not in {".", "{", ",", "["} and name not in {
                "unlinkSync",
                "rmSync",
                "rmdirSync",
                "rimraf",
                "rimrafSync",
                "unlink",
                "rm",
            }:
                return
            if name == "remove" and "Deno" not in self.names:
                return
            if not args:
                return
            first = self.constant(args[0]) or ""
            recursive = (
                name in self.verbs.trees
                or re.match(r"-\w*[rR]", first) is not None
                or any(token.text == "recursive" for arg in args[1:] for token in arg)
            )
            self.found += deletes(
                self._home(self.constant(args[0])),
                name,
                recursive=recursive,
                many=self.looped and self.constant(args[0]) is None,
            )
            return
        if language == "lua" and not (before == "." and self.tokens[index - 2].text == "os"):
            return
        if language == "ruby" and name in {"delete", "unlink", "rm", "rm_f"}:
            owner = self.tokens[index - 2].text if index > 1 and before in {".", "&"} else ""
            if before == ":" or (before == "&" and name in {"delete", "unlink"}):
                self.found += deletes(None, name, many=True)
                return
            if owner not in {"File", "FileUtils", "Dir", "Pathname"} and not (self.looped and name == "unlink"):
                return
        if language == "R" and name == "unlink" and not any(token.text == "recursive" for arg in args for token in arg):
            self.found += deletes(self.constant(args[0]) if args else None, name, many=self.looped)
            return
        if language == "julia" and not any(token.text == "recursive" for arg in args for token in arg):
            self.found += deletes(self.constant(args[0]) if args else None, name, many=self.looped and not args)
            return
        if name == "rmdir":
            if self.looped:
                self.found += deletes(None, name, many=True)
            return
        recursive = name in self.verbs.trees
        values = [self.constant(arg) for arg in args] or [None]
        for value, arg in zip(values, args or [[]], strict=False):
            unnamed = any(
                token.text in {"glob", "<", "Dir", "list_files"} or token.text.startswith("@") for token in arg
            )
            starred = value is not None and "*" in value
            if arg and arg[0].text == "{" and not unnamed:
                continue
            unnamed = (
                unnamed
                or starred
                or (value is None and (self.looped or not args))
                or (value is not None and HOLE in value and self.looped)
            )
            self.found += deletes(self._home(value) if not unnamed else None, name, recursive=recursive, many=unnamed)

    def _home(self, path: str | None) -> str | None:
        if path == "HOME":
            return self.home
        return path

    def _write(self, index: int, name: str, before: str) -> None:
        if self.language.name == "ruby" and self.tokens[index - 2].text not in {"File", "IO", "FileUtils", "Pathname"}:
            return
        if self.language.name == "lua" and before != ".":
            return
        if self.language.name == "perl" and before == "->":
            return
        self._path(index, self.verbs.writes[name], "write", name)

    def _path(self, index: int, place: int, kind: str, name: str) -> None:
        args = self._args(index)
        path = self.constant(args[place]) if len(args) > place else None
        if path and path.strip(HOLE) and "://" not in path:
            self.found.append(Deed("write" if kind == "write" else "read", name, path=path))
        elif path and "://" in path:
            self.fetches = True

    def _open(self, index: int, name: str, before: str) -> bool:
        args = self._args(index)
        language = self.language.name
        if language == "ruby":
            owner = self.tokens[index - 2].text if index > 1 and before in {".", "::"} else ""
            if name == "new" and owner != "File":
                return False
            first = self.constant(args[0]) if args else None
            if owner in {"", "Kernel"} and first and first.startswith("|"):
                self.found.append(runs(first[1:], name))
                return True
            mode = self.constant(args[1]) if len(args) > 1 else "r"
            if first:
                self.found.append(Deed("write" if mode is None or _WRITING.search(mode) else "read", name, path=first))
            return False
        if language == "perl":
            return self._perl_open(args, name)
        if language in {"lua", "php", "julia", "node"}:
            path = self.constant(args[0]) if args else None
            mode = self.constant(args[1]) if len(args) > 1 else "r"
            if path and path.strip(HOLE) and "://" not in path and not (language == "lua" and before != "."):
                self.found.append(Deed("write" if mode is None or _WRITING.search(mode) else "read", name, path=path))
        return False

    def _perl_open(self, args: list[list[Token]], name: str) -> bool:
        if len(args) < 2:
            return False
        mode = self.constant(args[1])
        if mode is None:
            return False
        mode = mode.strip()
        if len(args) > 2:
            if mode.startswith(("|-", "-|")):
                rest = [self.constant(arg) for arg in args[2:]]
                self.found.append(starts(rest, name) if len(rest) > 1 else runs(rest[0], name))
                return True
            path = self.constant(args[2])
            if path and not mode.endswith("&"):
                self.found.append(Deed("write" if _WRITING.search(mode) else "read", name, path=path))
            return False
        if mode.startswith("|") or mode.endswith("|"):
            self.found.append(runs(mode.strip("| "), name))
            return True
        if mode.startswith((">&", "<&")):
            return False
        path = mode.lstrip("+<> ")
        if path:
            self.found.append(Deed("write" if ">" in mode[:3] else "read", name, path=path))
        return False

    def _fork(self, index: int) -> None:
        """A fork in an endless loop, in every language's short way to write it."""
        if not self.budget.reads(10):
            return
        around = [token.text for token in self.tokens[max(0, index - 6) : index + 8]]
        if self.language.name == "node":
            return
        text = " ".join(around).replace("pcntl_fork", "fork")
        if re.search(
            r"\bfork(?: \( \))? (?:while|until|if fork)\b|while (?:\( )*(?:1|true|fork)\b.*\bfork\b|loop (?:\{|do) "
            r".*\bfork\b|for ?\( ; ; \)|for \( ; ; \) .*fork",
            text,
        ):
            self.found.append(Deed("bomb", "forks without end"))

    def _kill(self, index: int, name: str, before: str) -> None:
        if self.language.name in {"node", "ruby"} and before != ".":
            return
        args = self._args(index)
        flat = [" ".join(token.text for token in arg) for arg in args]
        if "- 1" in flat:
            self.found.append(Deed("shell", name, "kill -9 -1"))
            self.found.append(Deed("kill", "signals every process"))
        elif flat and "1" in (flat[:1] if self.language.name in {"node", "php"} else flat[1:]):
            self.found.append(Deed("shell", name, "kill -9 1"))
        elif (
            self.language.name == "perl"
            and len(flat) > 1
            and (
                any(part.startswith("@") or part == "$_" for part in flat[1:])
                or any(token.kind == "code" for arg in args for token in arg)
            )
        ):
            self.found.append(Deed("kill", "signals processes that nobody has named"))

    def _chmod(self, index: int) -> None:
        for arg in self._args(index):
            for token in arg:
                if (
                    token.kind == "number"
                    and re.fullmatch(r"0?o?[0-7]{3,4}", token.text)
                    and int(token.text.replace("o", ""), 8) & 0o6002
                ):
                    self.found.append(Deed("permission", f"chmod to {token.text}"))

    def _by_name(self, index: int) -> None:
        args = self._args(index)
        if not args:
            return
        called = next((token.text for token in args[0] if token.kind in {"text", "name"}), "")
        verbs = self.verbs
        if called in verbs.shell | verbs.spawn:
            self.found.append(runs(self.constant(args[1]) if len(args) > 1 else None, called))
        elif called in verbs.evals | verbs.trees | verbs.files:
            self.found.append(Deed("delete" if called not in verbs.evals else "eval", f"{called} by its name"))


def perl(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What Perl code would do."""
    script = _Script(code, PERL_VERBS, home, looped=looped, budget=budget)
    found = script.read()
    if re.search(r"\\\s*&\s*CORE::(?:GLOBAL::)?(?:system|exec|unlink|eval|fork|kill)\b", code):
        found.append(Deed("eval", "a built-in function under another name"))
    return found


def ruby(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What Ruby code would do."""
    script = _Script(code, RUBY_VERBS, home, looped=looped, budget=budget)
    found = script.read()
    if script.names & {"delete_all", "destroy_all"}:
        found.append(Deed("delete", "every record of a table"))
    return found


def node(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What JavaScript would do."""
    script = _Script(code, NODE_VERBS, home, looped=looped, budget=budget)
    found = script.read()
    texts = [token.text for token in script.tokens if token.kind == "text"]
    for index, token in enumerate(script.tokens):
        following = script.tokens[index + 1] if index + 1 < len(script.tokens) else Token("op", "")
        if token.text in {"import", "require", "importScripts"} and following.text == "(":
            args = script._args(index)
            first = script.constant(args[0]) if args else None
            if first and first.startswith(("http:", "https:", "data:")):
                found.append(Deed("remote", "imports code from elsewhere"))
        if (token.text == "$" and following.kind == "text" and "Bun" not in script.names) or (
            token.text == "$" and following.kind == "text"
        ):
            found.append(runs(following.text, "a command of bun"))
        if token.text == "Command" and "Deno" in script.names and following.text == "(":
            args = script._args(index)
            rest = [part.text for arg in args[1:] for part in arg if part.kind == "text"]
            found.append(starts([script.constant(args[0]) if args else None, *rest], "Deno.Command"))
        if token.text == "run" and "Deno" in script.names and following.text == "(":
            rest = [part.text for arg in script._args(index) for part in arg if part.kind == "text"]
            found.append(starts(rest, "Deno.run"))
        called = script.tokens[index + 2].text if index + 2 < len(script.tokens) else ""
        if token.text == "then" and following.text == "(" and called == "eval":
            found.append(Deed("remote", "evaluates what it has fetched"))
    if script.fetches and _sends_environment(script.tokens):
        found.append(Deed("remote", "sends the environment elsewhere"))
    if (
        set(texts) & {"rimraf", "del", "trash", "shelljs"}
        and script.names & {"require", "import", "from"}
        and not found
    ):
        shell = "shelljs" in texts
        if not shell or script.names & {"rm", "exec", "mv"}:
            found.append(Deed("delete", "a library that deletes folders"))
    if "child_process" in "".join(texts) and not any(deed.kind in {"shell", "spawn"} for deed in found):
        found.append(Deed("spawn", "a program is started in a roundabout way"))
    return found


def _sends_environment(tokens: list[Token]) -> bool:
    """True when all of `process.env` is used, and not one variable of it."""
    texts = [token.text for token in tokens]
    return any(
        texts[at : at + 3] == ["process", ".", "env"] and texts[at + 3 : at + 4] not in (["."], ["["], ["?."])
        for at, text in enumerate(texts)
        if text == "process"
    )


def php(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What PHP code would do."""
    code = re.sub(r"<\?(?:php|=)?|\?>", " ", code)
    script = _Script(code, PHP_VERBS, home, looped=looped, budget=budget)
    found = script.read()
    for index, token in enumerate(script.tokens):
        if token.text in {"include", "require", "include_once", "require_once"}:
            args = script._args(index)
            first = script.constant(args[0]) if args else None
            if first and re.match(r"(?:https?|ftp|data|php)://|data:", first):
                found.append(Deed("remote", "includes code from elsewhere"))
        before = script.tokens[index - 1].text if index else ""
        if token.text in {"truncate", "forceDelete"} and before in {"::", "->", ":", ">"}:
            found.append(Deed("delete", "every record of a table"))
    return found


def lua(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What Lua code would do."""
    return _Script(code, LUA_VERBS, home, looped=looped, budget=budget).read()


def r(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What R code would do."""
    script = _Script(code, R_VERBS, home, looped=looped, budget=budget)
    found = script.read()
    for index, token in enumerate(script.tokens):
        if token.text in {"source", "source_url", "eval"} and token.kind == "name":
            args = script._args(index)
            first = next((part.text for part in args[0] if part.kind == "text"), "") if args else ""
            if "://" in first:
                found.append(Deed("remote", "sources code from elsewhere"))
        if token.text in {"remove", "file.remove"} and "file" in token.text + script.tokens[max(0, index - 2)].text:
            args = script._args(index)
            if not args or any(part.kind != "text" for arg in args for part in arg):
                found.append(Deed("delete", "file.remove of several files"))
    return found


def julia(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What Julia code would do."""
    return _Script(code, JULIA_VERBS, home, looped=looped, budget=budget).read()


def awk(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What an awk program would do."""
    tokens = scan(code, AWK, budget)
    _ = looped
    script = _Script("", Verbs(AWK), home, looped=True, budget=budget)
    script.tokens = tokens
    found: list[Deed] = []
    for index, token in enumerate(tokens):
        after = tokens[index + 1] if index + 1 < len(tokens) else Token("op", "")
        if token.text in _AWK_WINDOWS and token.kind == "op" and not budget.reads(12):
            break
        if token.kind == "text" and token.text.startswith(("/inet/", "/inet4/", "/inet6/")):
            found.append(Deed("reverse", "talks to another machine"))
        elif token.kind == "op" and token.text == "=" and index:
            script._assign(index)
        elif token.text == "@" and after.kind == "name" and script.values.get(after.text) == "system":
            args = script._args(index + 1)
            found.append(runs(script.constant(args[0]) if args else None, "system"))
        elif token.kind == "name" and token.text == "system" and after.text == "(":
            args = script._args(index)
            called = script.constant(args[0]) if args else None
            if called and called.endswith(HOLE) and HOLE not in called[:-1]:
                # Once per line of the input, as xargs does.
                called = f"xargs {called[:-1]}"
            found.append(runs(called, "system"))
        elif token.kind == "op" and token.text in {"|", "|&"}:
            if after.kind == "name" and after.text == "getline":
                start = index
                while start > max(0, index - _FARTHEST) and tokens[start - 1].text not in _BEFORE_COMMAND:
                    start -= 1
                piece = tokens[start:index]
                found.append(runs(script.constant(piece), "getline"))
            else:
                piece = _until_end(tokens, index + 1)
                found.append(runs(script.constant(piece), "a pipe"))
        elif token.kind == "op" and token.text in {">", ">>"} and after.kind == "text" and _printing(tokens, index):
            path = script.constant(_until_end(tokens, index + 1))
            if path:
                found.append(Deed("write", "print", path=path))
    return found


_AWK_WINDOWS = frozenset({"|", "|&", ">", ">>"})
_BEFORE_COMMAND = frozenset({";", "{", "}", "\n", "(", "while", "&&"})


def _until_end(tokens: list[Token], start: int) -> list[Token]:
    end = start
    while end < min(len(tokens), start + _FARTHEST) and tokens[end].text not in {";", "}", "\n", ")"}:
        end += 1
    return tokens[start:end]


def _printing(tokens: list[Token], index: int) -> bool:
    """`>` is a redirection only in a print statement, outside of its parentheses."""
    depth = 0
    for at in range(index - 1, max(-1, index - _FARTHEST), -1):
        text = tokens[at].text if tokens[at].kind != "text" else ""
        depth += (text == ")") - (text == "(")
        if depth < 0 or text in {";", "{", "}", "\n"}:
            return False
        if text in {"print", "printf"}:
            return True
    return False


def tcl(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What Tcl and expect would do."""
    _ = home, looped
    found: list[Deed] = []
    for line in re.split(r"[;\n\[\]{}]", code):
        words = line.split()
        if not words:
            continue
        if not budget.reads(4 + len(words) // 4):
            break
        if words[0] in {"exec", "spawn", "system"}:
            rest = [word for word in words[1:] if word not in {"-noecho", "-ignorestderr", "--"}]
            found.append(runs(re.sub(r"\$\w+", HOLE, " ".join(rest)), words[0]))
        elif words[:2] == ["file", "delete"] and "-force" in words:
            found += deletes(words[-1], "file delete", recursive=True)
        elif words[0] == "open" and len(words) > 1 and words[1].startswith(("|", '"|')):
            found.append(runs(" ".join(words[1:]).strip('"|'), "open"))
        elif words[0] == "eval" and any(word.startswith("$") for word in words[1:]):
            found.append(Deed("eval", "eval of code that nobody knows before it runs"))
    return found


def applescript(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What AppleScript would do."""
    _ = home, looped
    found: list[Deed] = []
    tokens = scan(code, APPLESCRIPT, budget)
    names = [token.text.lower() for token in tokens if token.kind == "name"]
    for index, token in enumerate(tokens):
        if token.kind == "name" and token.text.lower() == "script" and index + 1 < len(tokens):
            following = tokens[index + 1]
            found.append(runs(following.text if following.kind == "text" else None, "do script"))
    found += [runs(called, "doShellScript") for called in re.findall(r"doShellScript\(\s*[\"']([^\"']*)", code)]
    if "administrator" in names and "privileges" in names:
        found.append(Deed("permission", "asks for administrator privileges"))
    if "delete" in names or ("empty" in names and "trash" in names):
        found.append(Deed("delete", "deletes through an application"))
    if "keystroke" in names:
        found.append(Deed("spawn", "types into another application"))
    return found


_LISP_SHELL = frozenset(
    {"shell-command", "async-shell-command", "shell-command-to-string", "start-process-shell-command"}
)


def lisp(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What Emacs Lisp would do."""
    _ = home, looped
    found: list[Deed] = []
    for match in re.finditer(r"\(([a-z][a-z-]*)([^()]*)", code):
        if not budget.reads(4):
            break
        name, rest = match.groups()
        texts = [token.text for token in scan(rest, LISP, budget) if token.kind == "text"]
        if name in _LISP_SHELL:
            found.append(runs(texts[0] if texts else None, name))
        elif name in {"call-process", "start-process", "make-process"}:
            found.append(starts(texts[1:] if name == "start-process" else list(texts), name))
        elif name == "delete-directory":
            found += deletes(texts[0] if texts else None, name, recursive=True)
        elif name == "delete-file":
            found += deletes(texts[0] if texts else None, name, many=not texts)
        elif name in {"url-retrieve-synchronously", "eval-buffer"}:
            found.append(Deed("eval", f"{name}: code that nobody knows before it runs"))
    return found


def _bounded(reader: Callable[..., list[Deed]]) -> Callable[..., list[Deed]]:
    """A reader that says when it has left something unread."""

    def read(code: str, *, home: str = "~", looped: bool = False, budget: Budget | None = None) -> list[Deed]:
        budget = budget or Budget()
        budget.exceeded = False
        found = reader(code, home=home, looped=looped, budget=budget)
        return [*found, TOO_LONG] if budget.exceeded else found

    return read


READERS: dict[str, Callable[..., list[Deed]]] = {
    language: _bounded(reader)
    for language, reader in {
        "perl": perl,
        "ruby": ruby,
        "node": node,
        "php": php,
        "lua": lua,
        "awk": awk,
        "R": r,
        "julia": julia,
        "tcl": tcl,
        "applescript": applescript,
        "lisp": lisp,
    }.items()
}
