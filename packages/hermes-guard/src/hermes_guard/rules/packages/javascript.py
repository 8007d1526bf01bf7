"""Judges JavaScript package managers."""

from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.packages.rules import FAMILY, PUBLISH, REMOVE, SOURCE
from hermes_guard.rules.packages.sources import is_address, is_known, strange
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_NPM = Spec(
    "registry= tag= access= otp= dry-run w= workspace= workspaces? prefix= C= dir= g global location= "
    "userconfig= cache= loglevel= s silent D E O S f force save-dev save-exact save omit= include= filter= "
    "F= r recursive y yes json n no-git-checks ignore-scripts help h v version scope= call= c= package= p= cwd= "
    "provenance L ws production shell-mode"
)


_SCRIPTED = names("run run-script test start rum urn t tst")
_PUBLISHES = names("publish unpublish deprecate undeprecate stage")
#: Attributes of a published package, and the verbs that change them.
_OWNED = names("owner author dist-tag dist-tags tag team access token org hook star")
_CHANGES = names("add rm remove set create destroy revoke grant delete public restricted")
_REMOVES = names("uninstall un remove rm r unlink")
#: An empty verb is the install of `yarn --registry x`.
_INSTALLS = names("install i add in ci isntall update up upgrade global create init install-test it") | {""}
#: Settings that name a program, or a file with more settings.
_RUNNING_SETTINGS = names("script-shell shell git node-options onload-script globalconfig")


_STRANGE_SHELL = re.compile(r"--script-shell(?:\Z|=(?!(?:(?:/usr)?/bin/)?(?:ba|z|da)?sh\Z))")


@FAMILY.judges("npm", "yarn", "pnpm", "bun", "cnpm", "tnpm")
def npm(command: Command, _: Context) -> Iterator[Finding]:
    """Judge npm and compatible package managers."""
    options = parse(command, _NPM)
    if options.has("help", "h", "dry-run") or (options.has("version") and not options.operands):
        return
    words = _after_yarn(command, options)
    verb = (words[0].literal or "") if words else ""
    second = (words[1].literal or "") if len(words) > 1 else ""
    if any(_STRANGE_SHELL.match(word.raw) for word in command.args):
        yield SOURCE.found(command, path="--script-shell")
    if verb in _SCRIPTED:
        return
    if verb in _PUBLISHES or (verb in _OWNED and second in _CHANGES):
        yield PUBLISH.found(command, path=f"{verb} {second}".strip())
    elif (verb in _REMOVES and options.has("g", "global")) or (verb == "global" and second in {"remove", "rm"}):
        yield REMOVE.found(command, path=" ".join(word.text for word in words[1:6]))
    elif verb == "set":
        yield from _setting(command, words[1:])
    elif verb in {"config", "c"} and second == "set":
        yield from _setting(command, words[2:])
    elif verb in _INSTALLS:
        yield from strange(command, [*options.values("registry"), *filter(is_address, words[1:])])


def _after_yarn(command: Command, options: Options) -> Sequence[Word]:
    """Return the operands without yarn's words before a verb: `yarn workspace a npm publish`."""
    words = options.operands
    if command.program == "yarn" and words and words[0].raw in {"npm", "workspace", "workspaces"}:
        words = words[2:] if words[0].raw == "workspace" else words[1:]
        if words and words[0].raw == "foreach":
            words = words[1:]
        if words and words[0].raw == "npm":
            words = words[1:]
    return words


def _setting(command: Command, words: Sequence[Word]) -> Iterator[Finding]:
    if not words:
        return
    name, equals, value = words[0].raw.partition("=")
    value = value if equals else words[1].raw if len(words) > 1 else ""
    if name.lower().endswith("registry") or name == "npmRegistryServer":
        if value and not is_known(value):
            yield SOURCE.found(command, path=value)
    elif name in _RUNNING_SETTINGS or (name == "strict-ssl" and value == "false"):
        yield SOURCE.found(command, path=f"{name} {value}"[:100])
