"""Obfuscated dangerous commands are still refused, and harmless text that looks similar is allowed."""

import pytest

from hermes_guard import judge


def severity(command: str) -> str:
    return judge(command, cwd="/home/dev/project", home="/home/dev").severity


REFUSED = {
    "words of an array": [
        'read -ra w <<< "rm -rf /"; "${w[@]}"',
        'IFS=_ read -ra w <<< "rm_-rf_/"; "${w[@]}"',
        'a=(x rm -rf /); "${a[@]:1}"',
        'a=(x rm -rf /); "${a[@]:1:3}"',
        'a=(x reboot); "${a[@]: -1}"',
        'a=(Xrm -rf /); "${a[@]#X}"',
        'a=(RM -RF /); "${a[@],,}"',
        'a=(xm -xf /); "${a[@]/x/r}"',
        'declare -a a=([0]=rm [1]=-rf [2]=/); "${a[@]}"',
        "a=([1]=-rf [0]=rm [2]=/); ${a[@]}",
        'a=([5]=rm -rf /); "${a[@]}"',
        'a[2]=/; a[1]=-rf; a[0]=rm; "${a[@]}"',
        'a=([0]=reboot); "${a[0]}"',
        'declare -A m=([k]=/); rm -rf "${m[k]}"',
        "mapfile -t a <<< $'rm\\n-rf\\n/'; \"${a[@]}\"",
    ],
    "words of a function or shell": [
        'set -- x rm -rf /; "${@:2}"',
        'f(){ "${@:2}"; }; f x rm -rf /',
        "bash -s -- / <<< 'rm -rf \"$1\"'",
        "env 'BASH_FUNC_ls%%=() { rm -rf ~; }' bash -c ls",
        "BASH_ALIASES[ll]='rm -rf ~'\nll",
    ],
    "an expansion before an equals sign": [
        "a='rm -rf / '; $a=1",
        'a=(reboot -f x); "${a[@]}"=1',
    ],
    "many functions or arrays before it": [
        "".join(f"f{number}() {{ ls; }}\n" for number in range(9)) + "rm -rf /",
        "".join(f"a{number}=()\n" for number in range(9)) + "rm -rf /",
        "{ { { rm -rf /; } } }",
        "if true; then { rm -rf /; } fi",
    ],
    "a long script around it": [
        "git log -1 | head -1\n" * 40 + "rm -rf /\n" + "git log -1 | head -1\n" * 40,
        "sudo " * 20 + "rm -rf /",
    ],
    "a link": ["ln -s /dev/sda d; cat x > d", "ln -sf /dev/sda d && dd if=x of=d"],
    "the end of a here-document": [
        "cat <<$'E'\nx\nE\nrm -rf /",
        "cat <<'a\\b'\nx\na\\b\nrm -rf /",
        "cat <<\"a'b\"\nx\na'b\nrm -rf /",
        "cat <<-'\tE'\nx\n\tE\nrm -rf /",
        "cat <<EOF\nx\nE\\\nOF\nrm -rf /\n",
        "x=$(cat <<'E'\n:) it's\nE\n)\nrm -rf / # '",
    ],
    "what looks like a comment, a sum or a test": [
        "x=$(#)'\n)\nreboot # '",
        "echo $((true); (reboot))",
        "[[ (a)]]; reboot; [[ b ]]",
        "[[ -n $'\\'' ]]; reboot; : ' ]] ' # '",
    ],
    "what may not have run": [
        "x=reboot; x=true & $x",
        "f(){ reboot; }; false && unset -f f; f",
        "x=true; while :; do $x; x=reboot; done",
        "alias sudo=:; sudo reboot",
        "x=true; builtin eval x=reboot; $x",
    ],
    "a path of the system": [
        "cd /sbin; ./reboot",
        "/home/dev/../../sbin/reboot",
        "shutdown now -- -c",
        "shutdown now /a",
    ],
    "a dash": ["bash -c - 'rm -rf /'", "env - reboot"],
    "values that are put together": [
        'read -r a b c <<< "rm -rf /"; $a $b $c',
        "printf -v c '%s%s' r m; $c -rf /",
        "printf -v p '\\x2f'; rm -rf \"$p\"",
        "OLDPWD=/; cd -; rm -rf *",
        "$(which rm) -rf /",
        "x=$(command -v reboot); $x",
    ],
    "patterns in a loop": [
        'for i in /*; do rm -rf "$i"; done',
        'for d in /*/; do sudo rm -rf "$d"; done',
        "for x in ~/*; do rm -rf ${x}; done",
    ],
    "arithmetic that runs something": [
        "x='a[$(rm -rf ~)]'; echo $((x))",
        "x='a[$(rm -rf ~)]'; ((x))",
        "x='a[$(rm -rf ~)]'; [[ x -gt 0 ]]",
        "x='a[$(rm -rf ~)]'; let x",
        "printf -v 'a[$(reboot)]' x",
        "read 'a[$(rm -rf ~)]' <<< 1",
        "(((rm -rf /)))",
    ],
    "another name": [
        "cp /bin/rm ./ls; ./ls -rf ~",
        "ln -s /bin/rm ./ok && ./ok -rf ~",
        "install /bin/rm /tmp/q; /tmp/q -rf /",
        "cp /bin/dd ./d; ./d if=/dev/zero of=/dev/sda",
    ],
    "its own path": [
        "/lib/systemd/systemd-shutdown reboot",
        "/sbin/../sbin/reboot",
        "cp /sbin/reboot ./x; ./x",
    ],
    "a program that starts it": [
        "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /",
        "ld.so --preload /x /bin/rm -rf /",
        "ip netns exec x rm -rf /",
        "bwrap --bind / / rm -rf ~",
        "bwrap --dev-bind / / --unshare-net -- rm -rf ~",
        "start-stop-daemon -S -x /bin/rm -- -rf /",
        "pee 'rm -rf ~' < x",
        "tini -- rm -rf /",
        "chpst -u root rm -rf /",
        "chroot / rm -rf /",
        "arch -x86_64 rm -rf /",
        "watchexec rm -rf /",
        "repo forall -c 'rm -rf /'",
        "sem -j1 rm -rf /",
    ],
    "env": [
        "/usr/bin/env -S bash -c 'rm -rf ~'",
        "env -S 'bash -c' 'rm -rf /'",
        "env --split-string=bash -c 'rm -rf /'",
        "env -iS bash -c 'rm -rf /'",
        "env -u X -S 'A=1 rm -rf' /",
    ],
}
ALLOWED = [
    'a=(x rm -rf /); echo "${a[@]:1}"',
    'files=(a b c); ls -l "${files[@]}"',
    'args=(--color=always -n); grep "${args[@]}" rm src/x',
    'for i in /*; do echo "$i"; done',
    'for f in *.md; do wc -l "$f"; done',
    "x='a[1]'; echo $((x))",
    "(( n = a + b )); echo $n",
    "cp /bin/ls ./rm; ./rm src",
    "bwrap --ro-bind / / ls",
    "tini -- python app.py",
    "env -S 'A=1 python' app.py",
    "read -ra w <<< 'rm -rf /'; echo \"${w[0]}\"",
    "printf 'a[$(reboot)]'",
    "bash -n deploy.sh",
    "cat > x.sh <<'E'\nrm -rf src\nE\nbash -n x.sh",
    "ccache gcc -c a.c",
    "ip netns list",
    "./init 0",
    "git commit -m \"$(cat <<'EOF'\ndon't (really\nEOF\n)\"",
    "x=$(cat <<'E'\na )\nrm -rf ~\nE\n)",
    "{ head -n1 a.csv; tail -n +2 b.csv; } > out/m.csv",
    "for i in 1 2; do echo $i; done > o.jsonl",
    "jq --arg s 1 '.a\n| .b' d.json",
    'echo "$t < 80" | bc -l',
    "".join(f"f{number}() {{ ls; }}\n" for number in range(20)) + "f3",
    "".join(f"a{number}=(1 2)\n" for number in range(20)) + "ls",
    "f() { if true; then ls; fi }; f",
    "git log -1 | head -1\n" * 62,
    "mkdir -p a\ncp b c\ngcc -c x.c\n" * 40,
    "sudo " * 8 + "ls",
    "ln -s /etc e; rm e",
    "./scripts/reboot --fast",
    "/home/dev/project/bin/poweroff",
    "arch",
]


@pytest.mark.parametrize("command", [command for commands in REFUSED.values() for command in commands])
def test_a_disguise_does_not_lift_the_hardline(command: str) -> None:
    assert severity(command) == "refuse"


@pytest.mark.parametrize("command", ALLOWED)
def test_what_only_looks_like_one_runs_unasked(command: str) -> None:
    assert severity(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "gate-keeper --user root rm -rf src",
        "newwrap -- sh -c 'rm -rf src'",
        "runner --cpu 1 /bin/rm -rf src",
        "launch-it sudo rm -rf src",
        "forkit dd if=/dev/zero of=/dev/sda",
    ],
)
def test_a_command_behind_a_program_that_nobody_knows_is_a_question(command: str) -> None:
    assert severity(command) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "gate-keeper rm notes.txt",
        "mytool sh",
        "mytool --help rm",
        "mytool add 'rm -rf src'",
        "cowsay rm -rf src",
        "task add rm -rf src",
        "man rm",
        "dpkg -S /bin/rm /bin/ls",
    ],
)
def test_words_behind_a_program_that_nobody_knows_are_words(command: str) -> None:
    assert severity(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "sudo " * 9 + "ls",
        "env " * 9 + "ls",
        "xargs -I % % < list",
        "xargs env < list",
        "cat list | xargs sudo",
        "ls | xargs sh -c",
        "$(cat name)=1",
        "$(which python3) --version",
        "ln -s /etc e; echo x > e/passwd",
        "dd if=a of=~/.bashrc",
    ],
)
def test_what_is_too_deep_or_not_named_is_a_question(command: str) -> None:
    assert severity(command) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "x=reboot; false && x=true; $x",
        "((true); (reboot))",
        "python3 -c \"import subprocess\nargs=['ls']\ndef r(*args): subprocess.run(args)\nr('rm','-rf','/home/dev')\"",
    ],
)
def test_what_certainly_runs_in_the_end_is_refused(command: str) -> None:
    assert severity(command) == "refuse"
