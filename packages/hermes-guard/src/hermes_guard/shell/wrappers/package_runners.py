"""Wrappers that run a command in a project's environment, or a program from a package.

`poetry run`, `npm exec`, `npx` and `uvx` have the same form: options, possibly a verb, more options, the command.
"""

from itertools import dropwhile
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.argv.options import Options, Spec, parse_words
from hermes_guard.name_sets import names
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.word import Word
from hermes_guard.shell.wrappers.inner_command import InnerCommand, alternatives, join, posix
from hermes_guard.shell.wrappers.table import ASSIGNMENT


class Runner(NamedTuple):
    """The subcommands that run a command, and the options that take a value."""

    #: Empty when there is no subcommand, as with npx.
    verbs: frozenset[str]
    options: Spec
    #: Operands between the subcommand and the command.
    skip: int = 0
    #: Options whose value is shell code.
    code: tuple[str, ...] = ()
    #: Options that turn the command's words into code for a shell.
    joins: tuple[str, ...] = ()
    #: A single-word command is code for a shell.
    quoted: bool = False
    #: After a `--`, if there is one, the command follows.
    dashes: bool = False
    #: Programs from packages that it also starts without a verb.
    binaries: frozenset[str] = frozenset()
    #: Subcommands that take the name of a package before the command.
    inside: frozenset[str] = frozenset()


def _runner(
    verbs: str,
    options: str = "",
    *,
    skip: int = 0,
    code: tuple[str, ...] = (),
    joins: tuple[str, ...] = (),
    quoted: bool = False,
    dashes: bool = False,
    binaries: frozenset[str] = frozenset(),
) -> Runner:
    return Runner(names(verbs), posix(options), skip, code, joins, quoted, dashes, binaries)


#: Programs that pnpm and yarn start without a verb.
_BINARIES = names(
    "prisma knex sequelize sequelize-cli typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm drizzle-kit mikro-orm "
    "db-migrate node-pg-migrate migrate-mongo payload rw redwood blitz keystone lerna changeset cdk cdktf wrangler "
    "rimraf del-cli vercel netlify firebase semantic-release np release-it nx supabase serverless sls eas expo sst "
    "vsce ovsx jsr amplify electron-builder electron-forge beachball auto pkg-pr-new strapi convex"
)
#: Programs that a PHP project's container starts by name.
_PHP_BINARIES = names("artisan php composer node npm npx pnpm yarn bun mysql mariadb psql redis-cli drush wp console")
_UV = (
    "with= w= with-requirements= with-editable= from= p= python= extra= group= only-group= no-group= package= project= "
    "directory= env-file= i= index-url= extra-index-url= default-index= index= f= find-links= config-file= cache-dir= "
    "c= constraints= overrides= color= m module script s isolated no-sync frozen locked no-project q quiet v verbose"
)
_CONDA = "n= name= p= prefix= cwd= no-capture-output live-stream v"
_NPX = "c= call= p= package= w= workspace= prefix= registry= userconfig= cache= loglevel= y yes no-install q quiet"
_PNPM = "C= dir= filter= F= package= c shell-mode r recursive w parallel stream s silent"

RUNNERS: dict[str, Runner] = {
    # Python
    "poetry": _runner("run", "C= directory= P= project="),
    "pipenv": _runner("run"),
    "pdm": _runner("run", "p= project= s= site-packages"),
    "rye": _runner("run", "pyproject="),
    "hatch": _runner("run", "e= env= p= project="),
    "pixi": _runner("run", "e= environment= manifest-path= frozen locked"),
    "uv": _runner("run", _UV),
    "uvx": _runner("", _UV),
    "pipx": _runner("run", "spec= python= pip-args= index-url= i="),
    "conda": _runner("run", _CONDA),
    "mamba": _runner("run", _CONDA),
    "micromamba": _runner("run", _CONDA + " r= root-prefix= e= env="),
    # JavaScript
    "npm": _runner("exec x explore", _NPX, code=("c", "call"))._replace(inside=names("explore")),
    "npx": _runner("", _NPX, code=("c", "call")),
    "pnpm": _runner("exec dlx", _PNPM, joins=("c", "shell-mode"), binaries=_BINARIES),
    "pnpx": _runner("", _PNPM, joins=("c", "shell-mode")),
    "yarn": _runner("exec dlx", "cwd= p= package= q quiet", binaries=_BINARIES),
    "bun": _runner("x", "p= package= cwd= c= config= b bun", binaries=_BINARIES),
    "bunx": _runner("", "p= package= cwd= b bun"),
    "volta": _runner("run", "node= npm= yarn= pnpm="),
    "fnm": _runner("exec", "using="),
    "nodenv": _runner("exec"),
    # Other languages
    "bundle": _runner("exec", "gemfile="),
    "bundler": _runner("exec", "gemfile="),
    "rbenv": _runner("exec"),
    "pyenv": _runner("exec"),
    "rustup": _runner("run", "install", skip=1),
    "opam": _runner("exec", "switch= root= color="),
    "stack": _runner("exec", "package= resolver= stack-yaml= work-dir="),
    "cabal": _runner("exec", "w= with-compiler= project-file= builddir="),
    "sail": _runner("-", binaries=_PHP_BINARIES),
    "ddev": _runner("-", binaries=_PHP_BINARIES),
    "lando": _runner("-", binaries=_PHP_BINARIES),
    "composer": _runner("exec", "d= working-dir= l list"),
    # Environments and secrets
    "mise": _runner("exec x", "C= cd= c= command= E= env= j= jobs=", code=("c", "command"), dashes=True),
    "asdf": _runner("exec"),
    "devbox": _runner("run", "c= config= e= env= env-file= environment="),
    "op": _runner("run", "env-file= account= no-masking"),
    "doppler": _runner("run", "p= project= c= config= t= token= command=", code=("command",)),
    "infisical": _runner("run", "env= e= path= projectId= token= tags= command=", code=("command",)),
    "dotenvx": _runner("run", "f= env-file= env-keys-file= e= env= quiet overload", dashes=True),
    "railway": _runner("run", "s= service= e= environment="),
    "foreman": _runner("run", "e= env= f= procfile= d= root="),
    "honcho": _runner("run", "e= env= f= procfile= d= app-root="),
    "teller": _runner("run", "c= config="),
    "aws-vault": _runner("exec", "d= duration= region= mfa-token= t= n s server backend= debug", skip=1),
    "chamber": _runner("exec", "b= backend= r= retries=", skip=1, dashes=True),
    "sops": _runner("exec-env exec-file", "filename= user= background no-fifo", skip=1, quoted=True),
}

_VERSIONED = re.compile(r"(@?[\w./-]+)@[\w.^~*-]+$")
#: Packages whose program has another name.
_PROGRAMS = {
    "@changesets/cli": "changeset",
    "@vscode/vsce": "vsce",
    "aws-cdk": "cdk",
    "chrome-webstore-upload-cli": "chrome-webstore-upload",
    "@mikro-orm/cli": "mikro-orm",
    "@electron-forge/cli": "electron-forge",
}


def run_by(command: Command) -> list[InnerCommand]:
    """Return what such a command runs."""
    program = command.program or ""
    runner = RUNNERS[program]
    options = parse_words(command.args, runner.options)
    given = [options]
    if runner.verbs:
        verb = options.subcommand()
        if verb in runner.verbs:
            first = 2 if verb in runner.inside else 1
            given.append(parse_words(options.operands[first:], runner.options))
        elif verb not in runner.binaries:
            options.operands = []
    wrapper = Wrapper(program, command.texts)
    found = [InnerCommand(wrapper, code=code) for part in given for code in part.values(*runner.code)]
    words = _command(given[-1], runner)
    if not words:
        return found
    found += [InnerCommand(wrapper, words=rest) for rest in alternatives(given[-1], words, runner.options)]
    if (runner.quoted and len(words) == 1) or any(part.has(*runner.joins) for part in given):
        return [*found, InnerCommand(wrapper, code=join(words))]
    return [*found, _inner(wrapper, words)]


def _command(options: Options, runner: Runner) -> list[Word]:
    """Return the words of the inner command."""
    words = options.operands
    if runner.dashes and options.dashes is None:
        for place, word in enumerate(words):
            if word.raw == "--":
                return words[place + 1 :]
    words = words[runner.skip :]
    return words[1:] if words and words[0].raw == "--" else words


def _inner(wrapper: Wrapper, words: list[Word]) -> InnerCommand:
    """Return an inner command whose first words may set variables for it."""
    first = next((place for place, word in enumerate(words) if not ASSIGNMENT.match(word.raw)), 0)
    return InnerCommand(wrapper, words=(_named(words[first]), *words[first + 1 :]), assignments=tuple(words[:first]))


def _named(word: Word) -> Word:
    """Return the program in a package: `prisma@5` contains `prisma`."""
    match = _VERSIONED.match(word.raw)
    name = match[1] if match else word.raw
    name = _PROGRAMS.get(name, name)
    return word if name == word.raw else Word(name, word.source, word.span)


# Programs that are read in their own way

_GIT = posix("C= c= p P git-dir= work-tree= namespace= super-prefix= exec-path? config-env= attr-source= no-pager")
_GIT_CODE = {
    "rebase": Spec("x= exec= onto= s= X= strategy= strategy-option= C= i interactive"),
    "difftool": Spec("x= extcmd= t= tool= d dir-diff y no-prompt"),
}
_FOREACH = posix("recursive q quiet")


def git(command: Command) -> list[InnerCommand]:
    """Return the commands that `git bisect run`, `submodule foreach`, `rebase --exec` and `difftool --extcmd` run."""
    words = parse_words(command.args, _GIT).operands
    if words and words[0].splits:
        # Unknown options may precede the verb: `git $OPTIONS rebase`.
        words = parse_words(list(dropwhile(lambda word: word.splits, words)), _GIT).operands
    verb, rest = (words[0].raw, words[1:]) if words else ("", [])
    wrapper = Wrapper(command.program or "", command.texts)
    if verb in _GIT_CODE:
        codes = parse_words(rest, _GIT_CODE[verb]).values("x", "exec", "extcmd")
        return [InnerCommand(wrapper, code=code) for code in codes]
    if verb not in {"bisect", "submodule"}:
        return []
    rest = list(dropwhile(lambda word: word.raw.startswith("-"), rest))
    if len(rest) < 2 or rest[0].raw != {"bisect": "run", "submodule": "foreach"}[verb]:
        return []
    rest = parse_words(rest[1:], _FOREACH).operands if verb == "submodule" else rest[1:]
    if len(rest) == 1 and verb == "submodule":
        return [InnerCommand(wrapper, code=rest[0])]
    return [_inner(wrapper, rest)] if rest else []


def nix(command: Command) -> list[InnerCommand]:
    """Return the command that `nix develop` and `nix shell` run: everything after `-c`."""
    words = command.args
    if not {"develop", "shell"} & {word.raw for word in words[:4]}:
        return []
    for place, word in enumerate(words):
        if word.raw in {"-c", "--command"} and words[place + 1 :]:
            return [InnerCommand(Wrapper("nix", command.texts), words=tuple(words[place + 1 :]))]
    return []


def nvm(command: Command) -> list[InnerCommand]:
    """Return the command that `nvm exec` runs, with or without a version before it."""
    words = [word for word in command.args if word.raw not in {"--silent", "--lts"}]
    if not words or words[0].raw != "exec":
        return []
    words = words[1:]
    if words and re.match(r"v?\d[\d.]*$|lts/|(?:node|stable|default|system)$", words[0].raw):
        words = words[1:]
    return [InnerCommand(Wrapper("nvm", command.texts), words=tuple(words))] if words else []


#: Python modules that are also programs.
_MODULES = names(
    "pip twine poetry flit hatch build uv pdm alembic manage pipx conda flask pytest aerich ansible supervisor pipenv "
    "dbt prisma django awscli"
)
_MODULE_PROGRAMS = {"django": "django-admin", "awscli": "aws"}


def python(command: Command) -> list[InnerCommand]:
    """Treat `python -m twine upload` as `twine upload`."""
    words = command.args
    index = 0
    while index < len(words):
        text = words[index].raw
        index += 1
        if text[:1] != "-" or text[:2] == "--":
            return []
        place = next((place for place, letter in enumerate(text) if letter in "cmWX"), 0)
        if not place:
            continue
        value = text[place + 1 :]
        if not value and index < len(words):
            value = words[index].literal or ""
            index += 1
        if text[place] == "c":
            return []
        if text[place] == "m":
            module = value.partition(".")[0]
            name = _MODULE_PROGRAMS.get(module, module)
            wrapper = Wrapper(command.program or "", command.texts)
            inside = (Word(name, name, command.span), *words[index:])
            return [InnerCommand(wrapper, words=inside)] if module in _MODULES else []
    return []
