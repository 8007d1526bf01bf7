"""Programs that nobody knows here: one may run the words behind it, as `bwrap ... rm -rf d` does.

Where such a program is followed by a name that deletes, overwrites or starts a shell, what follows is judged as a
command. It is a guess, and so never more than a question.
"""

import dataclasses
import re
import shlex
from collections.abc import Iterator
from functools import cache

from hermes_guard.rules import registry
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.code import SHELLS
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.shell.wrappers import WRAPPING
from hermes_guard.verdict import Finding

FAMILY = Family("unknown programs")

#: Names that are hardly ever anything but the program, at the start of a command.
_DEEDS = SHELLS | {"rm", "shred", "dd", "wipefs", "chmod", "chown", "sudo", "doas", "su", "busybox"}
_IN_A_FOLDER = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[\w.+-]+\Z")
#: Words behind an unknown program among which a command may begin.
_REACH = 24
#: Their words are text, files or names, never a command.
_SPEAKERS = """
: [ [[ test true false echo printf print say espeak cowsay cowthink figlet toilet lolcat banner notify-send logger
wall write grep egrep fgrep zgrep rg ag ack ugrep pcregrep git-grep look man info tldr cheat apropos whatis whereis
which type hash help command_not_found_handle man2html cat bat less more most head tail tac nl od xxd hexdump wc
sort uniq cut paste tr fold fmt column comm join diff sdiff cmp colordiff delta ls exa eza lsd tree file stat
readlink realpath basename dirname du df pwd cd pushd popd mkdir rmdir touch mktemp seq expr factor date cal sleep
wait read mapfile readarray set export declare typeset local readonly unset alias unalias shift return exit break
continue jobs bg fg history fc bind complete compgen compopt shopt umask ulimit times caller enable dirs let getopts
jq yq fx gron xmllint pup htmlq mlr csvcut csvgrep csvlook md5sum sha1sum sha256sum sha512sum b2sum cksum md5 shasum
ldd nm objdump readelf strings size strip ar as ld cc gcc g++ clang clang++ tsc rustc javac ps pgrep top htop lsof
fuser id who whoami groups getent uname hostname uptime printenv fzf sk peco gum dialog whiptail yes
shellcheck shfmt checkbashisms bashate aspell hunspell codespell vale pandoc open xdg-open code subl task todo
todo.sh jrnl nb wl-copy xclip xsel pbcopy dpkg dpkg-query rpm equery pkgfile apk apt-file trash tokei cloc scc
"""


@FAMILY.judges("*")
def judge(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the words behind a program that nobody knows, where a command seems to begin."""
    program = command.program
    if not program or len(command.argv) < 3 or program in _known():
        return
    for number, word in enumerate(command.args[:_REACH], start=1):
        name = word.raw.rsplit("/", 1)[-1]
        begins = word.raw in _DEEDS or name.startswith("mkfs") or _IN_A_FOLDER.match(word.raw)
        if begins and not word.quoted and number + 1 < len(command.argv):
            code = shlex.join(each.raw.replace(HOLE, "unknown") for each in command.argv[number:])
            for finding in context.judge_code(code, command):
                yield dataclasses.replace(finding, severity="ask")
            return


@cache
def _known() -> frozenset[str]:
    """Every program that has rules or is read as a wrapper, and those whose words are no command."""
    judged = {program for family in registry.families() for program in family.judges_by_program}
    return frozenset(judged | WRAPPING | SHELLS | set(_SPEAKERS.split()))
