"""Verdicts: refusals, obfuscation, text that is only data, and time limits."""

import time
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_guard import Command, Context, Family, Finding, Guard, Verdict, judge

HOME = "/home/dev"

REFUSED = [
    "r\\m -rf /",
    "r''m -rf /",
    "$'\\162m' -rf /",
    "X=rm; $X -rf /",
    "rm${IFS}-rf${IFS}/",
    "{rm,-rf,/}",
    "r${u}m -rf /",
    "\"rm\" '-rf' /",
    "echo cm0gLXJmIC8= | base64 -d | sh",
    "printf '\\162\\155 -rf /' | bash",
    "eval $(echo rm) -rf /",
    "bash -c 'sudo rm -rf /'",
    "true && (cd / && rm -rf -- *)",
    'f() { rm -rf "$1"; }; f /',
    "for d in /etc /usr; do rm -rf $d; done",
    "ls $(rm -rf ~)",
    "ｒｍ -rf /",
    "r\u200bm -rf /",
    "rm\x1b[0m -rf /",
    "r\x00m -rf /",
    "rm -rf /\u202e",
    "sudo -u root -- rm -fr /home",
    "trap 'reboot' EXIT",
    "nohup setsid reboot &",
    "x=/dev/sda; dd if=z of=$x",
    "ls | xargs -I{} rm -rf /",
    "$SUDO rm -rf /",
    "alias ls='rm -rf /'; ls",
    "cat <<E | ssh h bash\nrm -rf /\nE",
    "if true; then mkfs.xfs /dev/sdb; fi",
    "bash<<<'reboot'",
    "docker run -v /:/h alpine rm -rf /h",
    "find / -type f | xargs rm -f",
    "$0|$0&",
    "rm -rf /???",
    "/bin/r? -rf /",
    "x[$(reboot)]=1",
    "rm -rf {/,}",
    "IFS=,; x=rm,-rf,/; $x",
    "echo reboot | tee >(sh)",
    'arr=(rm -rf /); "${arr[@]}"',
    "set -- rm -rf /; $@",
    'echo "${x:-$(reboot)}"',
    "re\\\nboot",
    "echo 'rm -rf /' > x.sh; sh x.sh",
    "a | b | c\nrm -rf / && echo e",
    "if x; then a | b | c\nrm -rf / 2>/dev/null || e; fi",
    "x=$(a | b | c\nrm -rf / && e)",
    "for ((i=0;i<3;i++)) { rm -rf /; }",
    'echo "$(case x in (x) echo y;; esac)"\nrm -rf /',
    "bash +e -c reboot",
    "bash 3<<< reboot /dev/fd/3",
    "echo 'rm -rf /' | sudo parallel",
    "hash -p /bin/rm ls; ls -rf /",
    "declare -n r=x; x=reboot; $r",
    "env -C / rm -rf .",
    "rm -rf $(dirname /etc)",
    'rm -rf "$(cd ~; pwd)"',
]
#: Padding: the text is too long to be read as a whole.
PADDED = {
    "commands before": "ls;" * 3000 + "rm -rf /",
    "commands behind": "rm -rf /;" + "ls;" * 3000,
    "a comment behind": "rm -rf / #" + "x" * 40_000,
    "a comment before": "#" + "x" * 40_000 + "\nrm -rf /",
    "words before": "echo " + "a " * 3000 + "; rm -rf /",
    "words between": "rm -rf " + "a " * 3000 + "/",
    "wrappers": "env " * 20 + "reboot",
    "expansions": "echo " + "${a:-" * 500 + "}" * 500 + "; rm -rf /",
    "quotes": "echo '" + "x " * 30_000 + "'; reboot",
    "many lines": "ls\n" * 100_000 + "rm -rf /\nls\n",
    "a product": 'x="' + "a " * 400 + '";' + "rm $x;" * 200 + "reboot",
}
#: Long, and the dangerous line is data.
LONG_DATA = {
    "a document": "cat > n.md <<'E'\n" + "some text; it\n" * 5000 + "rm -rf /\nE\n",
    "a message": "git commit -m 'a\n" + "some text; it\n" * 5000 + "rm -rf /\n'",
    "apostrophes": "cat > n.md <<'E'\n" + "don't\n" * 9000 + "rm -rf /\nE\nls\n",
}
#: A little text that asks for much work.
SLOW = {
    "a list times commands": 'x="' + "a " * 400 + '";' + "rm $x;" * 200,
    "an array times commands": "x=(" + "a " * 400 + ");" + 'cp "${x[@]}";' * 200,
    "positions times commands": "set -- " + "a " * 400 + ";" + 'git add "$@";' * 200,
    "calls": 'f(){ rm "$@"; };' + ("f " + "a " * 400 + ";") * 30,
    "a long value": "x=" + "a" * 4000 + ";" + "rm $x;" * 500,
    "values that grow": "x=$x$x;" * 1700,
    "machines": "ssh h " * 833,
    "parameters": "echo " + "${a:-" * 2000 + "}" * 2000,
    "quoted substitutions": "echo " + '"$(' * 2000 + "ls" + ')"' * 2000,
    "links": "ln -s a b;" * 2000,
    "loops": "for i in a;do " * 2000 + "ls" + ";done" * 2000,
    "wrappers": "timeout 5 " * 2000 + "ls",
}
ASKED = [
    "rm -rf build",
    "ssh host reboot",
    'rm -rf "$DIR"/*',
    "rm -rf /home/other",
    "X=$(cat f); rm -rf $X",
    "ｌｓ",
    "ls\rrm x",
    "$CMD reboot",
    "rm -rf /opt/app",
    "chroot /mnt rm -rf /",
]
ALLOWED = [
    "",
    "  ",
    "# rm -rf /",
    "echo 'rm -rf /'",
    "git commit -m 'reboot; rm -rf /'",
    "grep -r 'shutdown' .",
    "cat > notes.md <<'E'\nrm -rf /\nE",
    "rm file.txt",
    "echo héllo 日本語 👩‍💻",
    "git commit -m '全角：ＯＫ！'",
    "man reboot",
    "which shutdown",
    "type rm",
    "kill 1234",
    "f() { rm -rf /; }",
    'for f in *.py; do wc -l "$f"; done',
    "find . -name '*.rm' | head",
    "printf '%s\\n' \"rm -rf ~\"",
    "ls --color=auto\r\n",
    "command -v reboot",
    "[ -f x ] && echo y || echo n",
    "awk '{print $1}' f | sort | uniq -c",
    "test -d /etc",
    "ls / /home /etc",
    'os=$(case "$(uname -s)" in Linux*) echo linux;; *) echo other;; esac)',
    "for ((i=0; i<3; i++)) { echo $i; }",
    "bash +x script.sh",
    "exec 3< file; read x <&3",
    "while read l <&3; do echo $l; done 3< f",
    "cat list | parallel wc -l",
    "ls | xargs",
    "x=$(<package.json)",
    "PS4='+ ${BASH_SOURCE}:${LINENO}: '; set -x; ls",
    "ls 2> err.log 1> out.log",
]


@pytest.mark.parametrize("command", REFUSED)
def test_disguise_does_not_lift_the_hardline(command: str) -> None:
    assert judge(command, home=HOME).severity == "refuse"


@pytest.mark.parametrize("command", PADDED.values(), ids=PADDED.keys())
def test_padding_does_not_lift_the_hardline(command: str) -> None:
    assert judge(command, home=HOME).severity == "refuse"


@pytest.mark.parametrize("command", LONG_DATA.values(), ids=LONG_DATA.keys())
def test_long_data_is_asked_about_and_not_refused(command: str) -> None:
    assert judge(command, home=HOME).severity == "ask"


@pytest.mark.parametrize("command", SLOW.values(), ids=SLOW.keys())
def test_work_is_bounded(command: str) -> None:
    # The bound is generous for busy machines; in quiet it is below 50 ms.
    start = time.process_time()
    judge(command, home=HOME)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("command", ASKED)
def test_what_is_not_certain_or_not_here_is_asked(command: str) -> None:
    assert judge(command, home=HOME).severity == "ask"


@pytest.mark.parametrize("command", ALLOWED)
def test_ordinary_work_and_data_run_unasked(command: str) -> None:
    verdict = judge(command, home=HOME)
    assert verdict == Verdict(), verdict


def test_a_finding_in_code_inside_of_code_has_the_place_of_its_command() -> None:
    command = "cd x; python3 -c \"import os; os.system('rm -rf src')\""
    places = {command[slice(*found.span)] for found in judge(command, home=HOME).findings if found.span}
    assert places == {command[6:]}


def test_a_failure_is_logged_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Command, __: Context) -> Iterable[Finding]:
        raise RuntimeError("secret words of a command")

    family = Family("broken")
    family.judges("ls")(broken)
    with caplog.at_level("INFO"):
        assert Guard([family], builtin=False).judge("ls").rules == ("guard.failed",)
    (message,) = caplog.messages
    assert message.endswith("broken failed on a command: RuntimeError")
    assert not any(record.exc_info for record in caplog.records)


def test_a_finding_carries_its_normalised_argv() -> None:
    first = judge("cd a && r'm' -rf \"b c\"", home=HOME).findings[0]
    assert (first.rule, first.argv, first.span) == ("delete.recursive", ("rm", "-rf", "b c"), (8, 22))
    assert judge("rm -r x").as_dict()["findings"][0]["effects"] == ["delete"]


PIECES = [
    "$(",
    ")",
    "'",
    '"',
    "`",
    "((",
    "))",
    "{",
    "}",
    "a,b",
    "<<E\n",
    "E\n",
    "|",
    "&",
    ";",
    "${",
    "x",
    "rm",
    " ",
    "\\",
    "$'",
    "[[",
    "]]",
    "case a in",
    "esac",
    "if",
    "then",
    "fi",
    "for i in",
    "do",
    "done",
    "<(",
    ">",
    "=",
    "=(",
    "#",
    "~",
    "*",
    "\ue000",
    "\x00",
    "\x1b[",
    "ｒ",
    "f()",
    "sudo",
    "sh -c",
    "eval",
    "find -exec",
    "xargs",
    "$@",
    "${x//a/b}",
    "$((1+",
    "\n",
]


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
    | st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join)
    | st.text(max_size=80)
)
def test_it_never_raises(command: str) -> None:
    assert "guard.failed" not in judge(command, home=HOME).rules


@pytest.mark.parametrize(
    "piece", [*PIECES, " ", "cp ", "{a,b}", "a|", "a;", "echo $(ls) ", '"$(', "$(case ", "sudo ", "echo a | "]
)
def test_a_megabyte_is_answered_at_once(piece: str) -> None:
    # The bound is generous for busy machines; in quiet it is a few milliseconds.
    for size in (30_000, 1_000_000):
        start = time.process_time()
        judge(piece * (size // len(piece)), home=HOME)
        assert time.process_time() - start < 2
