"""Judges unknown programs by their arguments.

Such a program may run its arguments, as in `wrapper --cpu 1 rm -rf d`: after the name of a program that deletes,
overwrites or starts a shell, the rest is judged as a command. Or it is a client that deletes something, as in
`somecloud volumes destroy v`. Both are guesses, and so only produce questions.
"""

import dataclasses
import shlex
from collections.abc import Iterator
from functools import cache

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.rules import registry
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.command import Command
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.shell.word import HOLE
from hermes_guard.shell.wrappers.dispatch import WRAPPING
from hermes_guard.verdict import Finding

FAMILY = Family("unknown programs")

DESTROYS = FAMILY.rule(
    "unknown.destroys", "tells {program}, an unknown program, to {verb}", effects=("delete", "unknown")
)

#: Verbs that delete, and those that do so only when combined with a non-interactive option.
_VERBS = re.compile(
    r"(?:[\w-]+:)*(delete|destroy|purge|terminate|wipe|nuke|erase|decommission|obliterate)(?:-[a-z-]+|-all)?\Z"
)
_MILD_VERBS = re.compile(r"(?:[\w-]+:)*(remove|drop|uninstall|unpublish|reset|prune)(?:-[a-z-]+)?\Z")
_UNASKED = names(
    "-f -y --force --yes --all --no-confirm --noconfirm --assume-yes --auto-approve --purge --hard -rf -fr"
)
_HARMLESS = names("--help -h --dry-run --dryrun -n --check --what-if --whatif --simulate --preview --version help")
#: The maximum number of nouns before the verb.
_DEPTH = 4
#: Words after which a verb is something else: a search term, or a name.
_ABOUT = names("search find grep list ls show get describe help explain docs man info status log logs history add new")
#: Names that, at the start of a command, almost certainly mean the program.
_DEEDS = SHELLS | {"rm", "shred", "dd", "wipefs", "chmod", "chown", "sudo", "doas", "su", "busybox"}
_IN_A_FOLDER = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[\w.+-]+\Z")
#: The maximum number of words between an unknown program and the inner command.
_REACH = 24
#: Programs whose arguments are text, files or names, never a command.
SENDERS = """
: [ [[ test true false echo printf print say espeak cowsay cowthink figlet toilet lolcat banner notify-send logger
wall write grep egrep fgrep zgrep rg ag ack ugrep pcregrep git-grep look man info tldr cheat apropos whatis whereis
which type hash help command_not_found_handle man2html cat bat less more most head tail tac nl od xxd hexdump wc
sort uniq cut paste tr fold fmt column comm join diff sdiff cmp colordiff delta ls exa eza lsd tree file stat
readlink realpath basename dirname du df pwd cd pushd popd mkdir rmdir touch seq expr factor date cal sleep
wait read mapfile readarray set export declare typeset local readonly unset alias unalias shift return exit break
continue jobs bg fg history fc bind complete compgen compopt shopt umask ulimit times caller enable dirs let getopts
jq yq fx gron xmllint pup htmlq mlr csvcut csvgrep csvlook md5sum sha1sum sha256sum sha512sum b2sum cksum md5 shasum
ldd nm objdump readelf strings size strip ar as ld cc gcc g++ clang clang++ tsc rustc javac ps pgrep top htop lsof
fuser id who whoami groups getent uname hostname uptime printenv fzf sk peco gum dialog whiptail yes
shellcheck shfmt checkbashisms bashate aspell hunspell codespell vale pandoc open xdg-open code subl task todo
todo.sh jrnl nb wl-copy xclip xsel pbcopy dpkg dpkg-query rpm equery pkgfile apk apt-file trash tokei cloc scc
"""
#: Programs with their own rules that may also run a command.
_RUN_TOO = names(
    """
    happy ccr start dcli conjur berglas frida frida-trace dlv keyctl netlify websocketd shell2http reptyr upterm acli
    hcp
    """
)


@FAMILY.judges("*")
def judge(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the arguments of an unknown program from where a command seems to begin."""
    program = command.program
    if not program or len(command.argv) < 3 or program in _known():
        return
    if "/" not in command.argv[0].raw and "." not in program and program not in _RUN_TOO:
        yield from _destroyed(command)
    for number, word in enumerate(command.args[:_REACH], start=1):
        name = word.raw.rsplit("/", 1)[-1]
        begins = word.raw in _DEEDS or name.startswith("mkfs") or _IN_A_FOLDER.match(word.raw)
        if begins and not word.quoted and number + 1 < len(command.argv):
            code = shlex.join(each.raw.replace(HOLE, "unknown") for each in command.argv[number:])
            for finding in context.judge_code(code, command):
                yield dataclasses.replace(finding, severity="ask")
            return


def _destroyed(command: Command) -> Iterator[Finding]:
    """Find the verb among the first words, as most clients have it: noun, verb, name."""
    texts = command.texts[1:]
    if not _HARMLESS.isdisjoint(texts):
        return
    words = [(text, word) for text, word in zip(texts, command.args, strict=True) if not text.startswith("-")]
    for number, (text, word) in enumerate(words[:_DEPTH]):
        if text in _ABOUT or word.quoted:
            return
        verb = _VERBS.match(text)
        if verb is None and not _UNASKED.isdisjoint(texts):
            verb = _MILD_VERBS.match(text)
        if verb is not None and (number + 1 < len(words) or not _UNASKED.isdisjoint(texts)):
            yield DESTROYS.found(command, verb=verb.group(1))
            return


@cache
def _known() -> frozenset[str]:
    """Return every program that has rules or is a known wrapper, and those whose arguments are not a command."""
    return frozenset((registry.programs() - _RUN_TOO) | WRAPPING | SHELLS | names(SENDERS))
