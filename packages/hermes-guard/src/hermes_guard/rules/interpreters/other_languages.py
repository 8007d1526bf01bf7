"""Judges languages without a dedicated reader: where their programs take code."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.code_sources import STDIN, from_disk
from hermes_guard.rules.interpreters.findings import report_code
from hermes_guard.rules.interpreters.rules import EVAL, FAMILY
from hermes_guard.shell.command import Command, Stdin
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

_M4 = re.compile(r"syscmd\(\s*`?([^)\']{0,400})")
_DC = re.compile(r"!\s*([^<>=!\n].*)")


class OtherLanguage(NamedTuple):
    """Where a program takes code."""

    #: Options that contain code; those that end with `=` or `:` contain it in the same word.
    evals: tuple[str, ...] = ()
    #: Subcommands before a script, such as `run`.
    verbs: frozenset[str] = frozenset()
    #: Options with another value, which is not a script.
    values: frozenset[str] = frozenset()
    #: Subcommands followed by code.
    code_verbs: frozenset[str] = frozenset()
    #: Reads its input as code when no script is given.
    stdin: bool = True
    #: Options that name a script.
    files: tuple[str, ...] = ()
    #: Its code looks like shell code.
    like_a_shell: bool = False
    #: True when operands are scripts.
    scripts: bool = True


def _language(
    evals: str = "",
    *,
    verbs: str = "",
    values: str = "",
    code_verbs: str = "",
    stdin: bool = True,
    files: str = "",
    like_a_shell: bool = False,
    scripts: bool = True,
) -> OtherLanguage:
    return OtherLanguage(
        tuple(evals.split()),
        names(verbs),
        names(values),
        names(code_verbs),
        stdin,
        tuple(files.split()),
        like_a_shell,
        scripts,
    )


_OCTAVE = _language("--eval", values="--path -p --image-path --exec-path --persist-file")
_CLOJURE = _language("-e --eval", values="-Sdeps -Scp -i --init -m --main -A -M -X -T", files="-i --init")
_SCALA = _language("-e --execute-expression", verbs="run", values="-cp -classpath --dep -S --scala", files="-i")
_GHC = _language("-e", values="-package -i -o -outputdir", scripts=False)
OTHER_LANGUAGES: dict[str, OtherLanguage] = {
    "groovy": _language("-e", values="-cp -classpath --classpath -c"),
    "elixir": _language("-e --eval --rpc-eval", values="-r -S -pa -pz --sname --name --cookie --erl", files="-r"),
    "erl": _language("-eval", values="-s -run -pa -pz -sname -name -setcookie -config", scripts=False),
    "escript": _language(stdin=False),
    "octave": _OCTAVE,
    "octave-cli": _OCTAVE,
    "matlab": _language("-r -batch", values="-sd -logfile", scripts=False),
    "gnuplot": _language("-e", values="-d"),
    "guile": _language("-c", values="-L -C -x -l -e", files="-s -l"),
    "racket": _language("-e --eval", values="-l -p -t -m", files="-f -r -u -t"),
    "sbcl": _language("--eval", values="--core --dynamic-space-size", files="--load --script"),
    "clojure": _CLOJURE,
    "clj": _CLOJURE,
    "bb": _language("-e --eval", values="-cp --classpath -m --main --config", files="-f --file"),
    "lein": _language(stdin=False, scripts=False),
    "planck": _language("-e --eval", values="-c -D"),
    "lumo": _language("-e --eval", values="-c -D"),
    "nbb": _language("-e --eval", values="-cp --classpath"),
    "joker": _language("-e --eval"),
    "scala": _SCALA,
    "scala-cli": _SCALA,
    "amm": _language("-c --code", values="-p"),
    "ghc": _GHC,
    "ghci": _language("-e", values="-package -i"),
    "stack": _language(
        stdin=False, verbs="runghc runhaskell script exec", values="--resolver --package", scripts=False
    ),
    "cabal": _language(stdin=False, scripts=False),
    **dict.fromkeys(("runghc", "runhaskell"), _language("-e", values="-f -package")),
    "ocaml": _language("-e", values="-I -init -open"),
    "utop": _language("-e", values="-I -init"),
    "dotnet": _language(code_verbs="eval", verbs="script fsi run csi", stdin=False, files="--file", scripts=False),
    "fsi": _language("-e --exec", values="-r --reference", files="--use: --load:"),
    "csi": _language("-e -eval", values="-r"),
    "csharp": _language("-e"),
    "dotnet-script": _language("eval", code_verbs="eval"),
    "crystal": _language(verbs="run", code_verbs="eval", values="-o -D"),
    "kotlin": _language("-e -expression", values="-cp -classpath -howtorun"),
    "kotlinc": _language("-e -expression", values="-cp -classpath -d", files="-script", stdin=False, scripts=False),
    "kscript": _language(),
    "ki": _language(),
    "janet": _language("-e", values="-m -l -c"),
    "fennel": _language("-e --eval", values="--add-fennel-path"),
    "hy": _language("-c", values="-m"),
    "swift": _language("-e", verbs="repl", values="-I -L -F -sdk -target"),
    "nim": _language("--eval:", verbs="r e c cpp compile", values="-d -p", stdin=False),
    "nimble": _language(stdin=False, scripts=False),
    "zig": _language(verbs="run build-exe", stdin=False),
    "v": _language("-e", verbs="run crun", stdin=False),
    "vlang": _language("-e", verbs="run", stdin=False),
    "dart": _language(verbs="run", values="--packages --define -D", stdin=False),
    "flutter": _language(stdin=False, scripts=False),
    "go": _language(verbs="run", values="-exec -tags -ldflags -mod -race -gcflags -C", stdin=False),
    **dict.fromkeys(("yaegi", "gore", "gomacro"), _language("-e", verbs="run")),
    "rust-script": _language("-e --expr", values="-d --dep"),
    "evcxr": _language(),
    "cargo": _language(stdin=False, scripts=False),
    "java": _language(values="-cp -classpath --class-path -jar --source --add-modules -m", stdin=False),
    "jshell": _language(values="--class-path -R -C", files="--startup"),
    "jbang": _language("-c --code", verbs="run", values="--deps --java"),
    "beanshell": _language(),
    "clisp": _language("-x", values="-M -K -m"),
    **dict.fromkeys(("ecl", "ccl", "abcl", "lisp"), _language("-eval --eval", files="--load -load --shell")),
    "ros": _language("-e", verbs="run"),
    "gst": _language("-e"),
    "swipl": _language("-g -t", values="-l -f -p", files="-s -f -l"),
    "gprolog": _language("--query-goal --init-goal --entry-goal"),
    "maxima": _language("--batch-string= --run-string=", files="-b --batch="),
    **dict.fromkeys(("gp", "scheme", "mit-scheme", "picolisp", "luau", "m4", "qmk"), _language(scripts=False)),
    **dict.fromkeys(("chez", "chezscheme", "petite", "gosh", "gsi", "chibi-scheme", "csi-scheme"), _language("-e")),
    "dc": _language("-e", scripts=False),
    "newlisp": _language("-e"),
    **dict.fromkeys(
        ("elvish", "nu", "nushell", "oil", "osh", "ysh", "ion", "murex"), _language("-c --commands", like_a_shell=True)
    ),
    "wolframscript": _language("-code -c", files="-file -f"),
    "math": _language("-run"),
    "wolfram": _language("-run"),
    "io": _language("-e"),
    "haxe": _language("--cmd -cmd --macro", scripts=False, stdin=False),
    "pike": _language("-e -x"),
    "tcc": _language(files="-run", stdin=False, scripts=False),
    "cling": _language(),
    "root": _language("-e"),
    "vala": _language(stdin=False),
    "coffee": _language("-e --eval", values="-r"),
    "lsc": _language("-e --eval"),
    "ceylon": _language(stdin=False, scripts=False),
    "praat": _language(files="--run", scripts=False),
    "sclang": _language(),
    "gforth": _language("-e --evaluate"),
    "factor": _language("-e= -e"),
    "ngs": _language("-e -p -ps"),
    "pil": _language(),
    "gjs": _language("-c --command"),
    "seed": _language("-e"),
    "rhino": _language("-e"),
    "jjs": _language(),
    "mujs": _language(),
    "txiki": _language("eval", code_verbs="eval"),
    "tjs": _language("eval", code_verbs="eval"),
    "hermes-js": _language(),
    "risor": _language("-c --code"),
    "tengo": _language(),
    "wren": _language(),
    "squirrel": _language(),
}


@FAMILY.judges(*OTHER_LANGUAGES)
def rarer(command: Command, context: Context) -> Iterator[Finding]:
    """Judge code of other languages by the shell commands in its strings, if it starts programs at all."""
    program = command.program or ""
    for code in _codes(command):
        if OTHER_LANGUAGES[program].like_a_shell:
            yield from _shell_code(code, command, context)
        elif program == "dc":
            for found in _DC.findall(code):
                yield from _shell_code(found, command, context)
        else:
            yield from _code(code, command, context)


def _codes(command: Command) -> list[str]:
    kind = OTHER_LANGUAGES[command.program or ""]
    words = command.args
    codes = list(_held(words, kind))
    if words and words[0].raw in kind.code_verbs:
        codes += [word.raw for word in words[1:] if not word.raw.startswith("-")][:1]
    if codes:
        return codes
    script = script_of(words, kind)
    if script is not None and script.process == "<":
        known = script.text_inside is not None or from_disk(Stdin(None, script.commands))
        return [HOLE if not known else script.text_inside or ""]
    taken = (kind.stdin and script is None) or (script is not None and script.raw in STDIN)
    return [command.stdin.text] if taken and command.stdin is not None and command.stdin.text else []


def _held(words: Sequence[Word], kind: OtherLanguage) -> Iterator[str]:
    """Yield the code in the values of options."""
    for number, word in enumerate(words, start=1):
        if word.raw in kind.evals and number < len(words) and word.raw not in kind.code_verbs:
            yield words[number].raw
        elif word.raw.startswith("-"):
            for option in kind.evals:
                attached = option if option[-1] in "=:" else f"{option}="
                if option.startswith("-") and word.raw.startswith(attached) and len(option) > 2:
                    yield word.raw[len(attached) :]


def script_of(words: Sequence[Word], kind: OtherLanguage) -> Word | None:
    """Return the word that names the script, or None."""
    skipped = started = False
    for number, word in enumerate(words):
        text = word.raw
        if skipped:
            skipped = False
        elif text in kind.files and number + 1 < len(words):
            return words[number + 1]
        elif text.startswith("-") and text != "-":
            skipped = text in kind.values
        elif not started and text in kind.verbs:
            started = True
        elif kind.scripts or started:
            return word
    return None


def _code(code: str, command: Command, context: Context) -> Iterator[Finding]:
    if code.lstrip().startswith(HOLE):
        yield EVAL.found(command, path="its text is created while the command runs")
    if command.program == "m4":
        for text in dict.fromkeys(_M4.findall(code)):
            yield from _shell_code(text, command, context)
    yield from report_code(code, "generic", command, context)


def _shell_code(code: str, command: Command, context: Context) -> list[Finding]:
    return context.judge_code(code.replace(HOLE, "$unknown"), command)
