"""Reads languages without a dedicated reader by what they share: function names and string literals."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.budget import Budget
from hermes_guard.languages.operation import DESTRUCTIVE, Operation, deletes, runs

# An unclosed string reaches to the end.
_TEXTS = re.compile(r'"((?:[^"\\]|\\.)*)(?:"|\\?\Z)|\'((?:[^\'\\]|\\.)*)(?:\'|\\?\Z)|`([^`]*)(?:`|\Z)', re.DOTALL)
_SPAWNS = re.compile(
    r"\b(?:system\w*|shell\w*|execute\w*|exec\w*|spawn\w*|popen\w*|os:cmd|cmd|process\w*|Runtime|ProcessBuilder|sh|proc|"
    r"run-program|run|start\w*|syscmd|esyscmd|readProcess\w*|callCommand|callProcess|rawSystem|inferior-shell|Command|"
    r"createProcess|createSubprocess|invoke\w*|NSTask|launchPath|executableURL|posix_spawn|startProcess|execCmd\w*|"
    r"execShellCmd|uiop:\S+|launch-program|Open3|Child|ShellExecute\w*|unix|dos|url_launcher|qx|sys\.process)\b|\.!|\.!!",
    re.IGNORECASE,
)
_DELETES = re.compile(
    r"\b(?:deleteDir|deleteRecursively|delete_tree|rm_rf!?|rm_r|rmtree|del_dir_r|delete-directory|delete-tree|"
    r"delete-directory-tree|delete-directory/files|removeDirectoryRecursive|removePathForcibly|deltree|removeItem|"
    r"trashItem|RemoveAll|remove_dir_all|removeDir|deleteTree|deleteDirectory|forceDelete|FileUtils\.delete\w*|"
    r"delete_recursively|remove_all|delete-dir|rmdirRecurse|removeTree|remove\.all|rimraf|confirm_recursive_rmdir|"
    r"DeleteDirectory|rm-rf|delete-file(?=[^\n]{0,200}file-seq)|delete_dir_recursive|deleteSync)\b"
    r"|\bDirectory\.Delete\s*\([^)\n]{0,200},\s*true|\bdelete\s*\(\s*recursive\s*:\s*true|\brmdir\s*\([^)\n]{0,200},\s*[\"']s[\"']"
)
_STATEMENTS = re.compile(r"\b(?:query|exec\w*|execute\w*|run|prepare|raw|sql|statement|command|do)\b!?", re.IGNORECASE)
_SHELL = re.compile(r"(?:/usr)?/?(?:bin/)?(?:ba|z|da|k)?sh\Z")
#: A path that names one file, not a directory.
_FILE = re.compile(r"[^*?]*\.\w{1,5}\Z")
_COMMENT = re.compile(r"^[ \t]*(?://|#(?!!|lang)|--|;;|%)[^\n]*$", re.MULTILINE)
_ESCAPE = re.compile(r"\\([\"'\\nt])")
_PLAIN = {"n": "\n", "t": "\t"}
#: The maximum number of characters between a name and its arguments, and the maximum length of a string that is read as
#: one command.
_REACH, _SHORT = 300, 2_000
_PER_CALL = 30
_BACKTICKS = re.compile(r"`\w+ [^`\n]+`")


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what code in such a language would do."""
    _ = looped
    code = _COMMENT.sub("", code)
    found = list(_deletions(code, home, budget))
    # Backticks start programs in some languages, within a line or two.
    if _SPAWNS.search(code) is not None or (len(code) < _REACH and _BACKTICKS.search(code) is not None):
        texts = list(_commands(code, budget))
        found += [runs(text, "a program") for text in dict.fromkeys(texts) if len(text) > 1]
        if any(_SHELL.match(text) for text in texts):
            found.append(Operation("spawn", "a shell"))
    if _STATEMENTS.search(code) is not None and ":memory:" not in code:
        found += [Operation("sql", "a statement", text) for text in _texts(code) if DESTRUCTIVE.match(text)]
    return found


def _texts(code: str) -> list[str]:
    return [
        _ESCAPE.sub(lambda found: _PLAIN.get(found.group(1), found.group(1)), one or two or three)
        for one, two, three in _TEXTS.findall(code)
    ]


def _commands(code: str, budget: Budget) -> Iterator[str]:
    """Yield strings that may be commands: each one, and those of a call together."""
    if len(code) <= _SHORT:
        texts = _texts(code)
        yield from texts
        yield " ".join(texts)
    end = 0
    for match in _SPAWNS.finditer(code):
        if match.start() < end:
            continue
        if not budget.reads(_PER_CALL):
            return
        # The arguments may span several lines, but not beyond the next call.
        piece = code[match.end() : match.end() + _REACH]
        end = match.end() + 1
        texts = _texts(_call(piece))
        yield from texts
        yield " ".join(texts)


def _call(piece: str) -> str:
    """Return the arguments at the start of a fragment, up to the closing parenthesis or the end of the line."""
    depth = 0
    for match in re.finditer(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[()\[\]{}\n;]", piece):
        text = match.group()
        if text[0] in "\"'":
            continue
        depth += (text in "([{") - (text in ")]}")
        if depth < 0 or (not depth and text in "\n;"):
            return piece[: match.start()]
    return piece


def _deletions(code: str, home: str, budget: Budget) -> Iterator[Operation]:
    for match in _DELETES.finditer(code):
        if not budget.reads(_PER_CALL):
            return
        name = match.group().partition("(")[0]
        before, after = code[max(0, match.start() - _REACH) : match.start()], code[match.end() : match.end() + _REACH]
        inside = _texts(_call(match.group()[len(name) :] + after))
        near = inside or _texts(before.rpartition("\n")[2])[-1:]
        path = near[0] if near else None
        if path is not None and (path == "~" or path.startswith("~/")):
            path = home + path[1:]
        if path in {"HOME", "user.home", "USERPROFILE"} or (not near and "homeDirectory" in after):
            path = home
        single = path is not None and _FILE.match(path) is not None and name in {"removeItem", "deleteSync"}
        yield from deletes(path, name, recursive=not single)
