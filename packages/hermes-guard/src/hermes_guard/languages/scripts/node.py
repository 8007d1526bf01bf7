"""Reads JavaScript."""

from hermes_guard import lazy_re as re
from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation, runs, starts
from hermes_guard.languages.scripts.environment_secrets import sent
from hermes_guard.languages.scripts.function_names import STATEMENTS, Functions
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.tokens import NODE, Token
from hermes_guard.name_sets import names

VERBS = Functions(
    NODE,
    shell=names("exec execSync"),
    spawn=names("spawn spawnSync execFile execFileSync"),
    trees=names("rimraf rimrafSync removeSync emptyDirSync"),
    files=names("unlink unlinkSync remove removeSync rm rmSync rmdir rmdirSync"),
    evals=names("eval Function runInThisContext runInNewContext runInContext compileFunction"),
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
    opens=names("openSync"),
    reads=names("readFileSync readFile createReadStream readTextFile readTextFileSync"),
    sockets=names("connect createConnection createServer Socket"),
    fetches=names("fetch https http axios got"),
    forks=names("fork"),
    statements=STATEMENTS | names("$executeRaw $executeRawUnsafe $queryRaw $queryRawUnsafe executeMultiple batch all"),
    empties=names(
        """
        dropDatabase dropCollection dropSchema dropTable flushall flushAll flushdb flushDb deleteMany truncate
        drop dropAllSchemas dropTableIfExists dropIndex obliterate
        """
    ),
)
#: Delete commands of the AWS SDK.
_CLOUD_DELETE = re.compile(
    r"(?:Delete|Terminate|Purge|Destroy)\w+Command\Z|(?:deleteBucket|terminateInstances|deleteTable)\Z"
)


def read(code: str, *, home: str, looped: bool, budget: Budget, argv: list[str] | None = None) -> list[Operation]:
    """Return what JavaScript code would do."""
    script = Script(code, VERBS, home, looped=looped, budget=budget, argv=argv)
    found = script.read()
    sent(script, code)
    for index, token in enumerate(script.tokens):
        following = script.tokens[index + 1] if index + 1 < len(script.tokens) else Token("op", "")
        if following.text == "(":
            _call(script, index)
        if token.text == "$" and following.kind == "text":
            found.append(runs(following.text, "a command of bun"))
    found += [Operation("delete", f"{name} of a cloud") for name in script.names if _CLOUD_DELETE.match(name)]
    texts = [token.text for token in script.tokens if token.kind == "text"]
    if not found and _deletes_by_library(set(texts), script.names):
        found.append(Operation("delete", "a library that deletes directories"))
    if "child_process" in "".join(texts) and not any(operation.kind in {"shell", "spawn"} for operation in found):
        found.append(Operation("spawn", "a program is started indirectly"))
    return found


def _call(script: Script, index: int) -> None:
    """Calls of other functions: imports, processes started by Deno, and promise callbacks."""
    name = script.text(index)
    if name in {"import", "require", "importScripts"}:
        first = script.first(script.args(index))
        if first and first.startswith(("http:", "https:", "data:")):
            script.found.append(Operation("remote", "imports code from elsewhere"))
    elif name == "Command" and "Deno" in script.names:
        args = script.args(index)
        rest = [part.text for arg in args[1:] for part in arg if part.kind == "text"]
        script.found.append(starts([script.first(args), *rest], "Deno.Command"))
    elif name == "run" and "Deno" in script.names:
        rest = [part.text for arg in script.args(index) for part in arg if part.kind == "text"]
        script.found.append(starts(rest, "Deno.run"))
    elif name == "then" and script.text(index + 2) == "eval":
        script.found.append(Operation("remote", "evaluates what it has fetched"))


def _deletes_by_library(texts: set[str], names: set[str]) -> bool:
    if not texts & {"rimraf", "del", "trash", "shelljs"} or not names & {"require", "import", "from"}:
        return False
    return "shelljs" not in texts or bool(names & {"rm", "exec", "mv"})
