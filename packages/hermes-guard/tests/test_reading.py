"""How the reader understands each construct of the shell."""

import pytest

from hermes_guard.shell import read

HOME = "/home/dev"


def texts(source: str) -> list[str]:
    return [" ".join(command.texts) for command in read(source, home=HOME).commands if command.argv and command.called]


def rules(source: str) -> set[str]:
    return {finding.rule for finding in read(source, home=HOME).findings}


CONSTRUCTS = {
    "a; b && c || d & e": ["a", "b", "c", "d", "e"],
    "a | b |& c": ["a", "b", "c"],
    "(a; b)": ["a", "b"],
    "{ a; b; }": ["a", "b"],
    "! a": ["a"],
    "time -p a": ["a"],
    "time { a; }": ["a"],
    "coproc X { a; }": ["a"],
    "coproc a b": ["a b"],
    "if a; then b; elif c; then d; else e; fi": ["a", "b", "c", "d", "e"],
    "while a; do b; done": ["a", "b"],
    "until a; do b; done": ["a", "b"],
    "for x in 1 2; do a $x; done": ["a 1", "a 2"],
    "for ((i=0; i<$(b); i++)); do a; done": ["b", "a"],
    "select x in y; do a; done": ["a"],
    "case $x in a|b) c;; (d) e;; *) f;; esac": ["c", "e", "f"],
    "f() { a $1; }; f x": ["f x", "a x"],
    "function f { a; }; f": ["f", "a"],
    "f() { a; }": [],
    "[[ -f $(a) && $x =~ ^(b|c)$ ]]": ["a"],
    "(( x = $(a) ))": ["a"],
    "[[ $(a) &&\n $(b) ]] && c": ["a", "b", "c"],
    "[[ $x == '$(a)' ]]": [],
    "PROMPT_COMMAND='a b'": ["a b"],
    "echo $(a `b`)": ["b", "a `b`", "echo $(a `b`)"],
    "diff <(a) >(b)": ["a", "b", "diff <(a) >(b)"],
    "x=$(a)": ["a"],
    'x=(b $(a)); c "${x[0]}"': ["a", "c b"],
    "trap 'a b' EXIT": ["trap a b EXIT", "a b"],
    "eval a 'b c'": ["eval a b c", "a b c"],
    "cat <<E\n$(a)\nE\nb": ["a", "cat", "b"],
    "cat <<'E'\n$(a)\nE\nb": ["cat", "b"],
    "cat <<A <<-B\n1\nA\n\t2\n\tB\nc": ["cat", "c"],
    "a 2>/dev/null b": ["a b"],
    ">f a": ["a"],
    "a # b; c": ["a"],
    "a \\\n b": ["a b"],
    "ls !(x|y) z": ["ls !(x|y) z"],
    "alias ll='a -l'; ll x": ["alias ll=a -l", "ll x", "a -l x"],
    "x=$(case a in a) b;; esac)": ["b"],
    'x=$(case "$(a b)" in L*) c;; *) d;; esac); e': ["a b", "c", "d", "e"],
    'x="$(case x in (x) a;; esac)"; b': ["a", "b"],
    "x=$(a case); b": ["a case", "b"],
    "x=$(if a; then case b in c) (d);; esac; fi)": ["a", "d"],
    "for ((i=0; i<3; i++)) { a; }; b": ["a", "b"],
    "for ((i=0; i<$(c); i++)) { a; }": ["c", "a"],
    "x=$(<f)": [],
    "command_not_found_handle() { a; }": ["a"],
    "PS4='$(a) '": ["a"],
    "x='$(a)'; y=${x@P}": ["a"],
    "let 'x[$(a)]=1'": ["let x[$(a)]=1", "a"],
    "test -v 'x[$(a)]'": ["test -v x[$(a)]", "a"],
    "declare -i x='y[$(a)]'": ["a", "declare -i x=y[$(a)]"],
    "alias s='sudo '; alias x='a b'; s x c": ["alias s=sudo ", "alias x=a b", "s x c", "sudo a b c", "a b c"],
    "hash -p /b/a x; x c": ["hash -p /b/a x", "x c", "/b/a c"],
    "time -o f a": ["time -o f a", "a"],
    "a | b | c\nd x && e": ["a", "b", "c", "d x", "e"],
    "a | b | c\nd x > f": ["a", "b", "c", "d x"],
    "a | b | c # g\n\n \nd x && e": ["a", "b", "c", "d x", "e"],
    "{ a | b | c\nd x && e; }": ["a", "b", "c", "d x", "e"],
    "f() { a | b | c\nd x && e\n}; f": ["f", "a", "b", "c", "d x", "e"],
    "bash -c 'a | b | c\nd x && e'": ["bash -c a | b | c\nd x && e", "a", "b", "c", "d x", "e"],
    "": [],
    "# only a comment": [],
}


@pytest.mark.parametrize(("source", "expected"), CONSTRUCTS.items())
def test_a_construct_gives_its_commands(source: str, expected: list[str]) -> None:
    assert texts(source) == expected
    assert not rules(source)


WORDS = {
    "a 'b c'\"d\"\\ e": ["a", "b cd e"],
    "a $'\\x72\\155\\n'": ["a", "rm\n"],
    'a $"b"': ["a", "b"],
    "a${IFS}b$IFS'c'": ["a", "b", "c"],
    "a {b,c}{1..2}": ["a", "b1", "b2", "c1", "c2"],
    "{a,b,c}": ["a", "b", "c"],
    "a ~ ~/x ~root ~bob/y": ["a", HOME, HOME + "/x", "/root", "/home/bob/y"],
    "a '~' \"~\"": ["a", "~", "~"],
    'a "$HOME/x" ${HOME}': ["a", HOME + "/x", HOME],
    "x=b; a $x ${x}c": ["a", "b", "bc"],
    "x='b c'; a $x \"$x\"": ["a", "b", "c", "b c"],
    "x=b; x+=c; a $x": ["a", "bc"],
    "a ${x:-b}": ["a", "b"],
    "x=abc; a ${x:1:1} ${x#a} ${x%c} ${x//b/d} ${x^^} ${#x}": ["a", "b", "bc", "ab", "adc", "ABC", "3"],
    "x=a.tar.gz; a ${x%.*} ${x%%.*} ${x##*.}": ["a", "a.tar", "a", "gz"],
    "a ${PATH:0:1}": ["a", "/"],
    "a $(echo b) `printf '%s-%s' c d`": ["a", "b", "c-d"],
    "a $((2+3*4))": ["a", "14"],
    "$(echo a)b": ["ab"],
    'set -- b c; a "$@" $2': ["a", "b", "c", "c"],
    "x=(b 'c d'); a \"${x[@]}\"": ["a", "b", "c d"],
    "read x <<< b; a $x": ["a", "b"],
    "declare -n r=x; x=b; a $r": ["a", "b"],
    "a $(dirname /b/c) $(basename /b/c.d .d) $(realpath /b/../c)": ["a", "/b", "c", "/c"],
    "cd /b/c; a $(pwd) ${PWD%/*} $(dirname $PWD)": ["a", "/b/c", "/b", "/b"],
    "a $(cd /b && pwd)": ["a", "/b"],
    "a $(readlink -f ~) /home/$USER": ["a", HOME, HOME],
    "echo b c | xargs": ["echo", "b", "c"],
    "echo b | xargs -I{} a {}/c": ["a", "b/c"],
}


@pytest.mark.parametrize(("source", "expected"), WORDS.items())
def test_words_are_expanded_when_certain(source: str, expected: list[str]) -> None:
    last = read(source, home=HOME).commands[-1]
    assert [word.literal for word in last.argv] == expected


@pytest.mark.parametrize(
    "source", ["a $x", 'a "$1"', "a $(b)", "a ${x?}", "if c; then x=1; fi; a $x", "read x; a $x", "a {1..9999}"]
)
def test_what_is_unknown_stays_unknown(source: str) -> None:
    assert not read(source).commands[-1].argv[1].certain


def test_an_uncertain_word_keeps_its_certain_parts() -> None:
    word = read('rm -rf "$DIR"/*').commands[0].argv[2]
    assert (word.prefix, word.suffix, word.glob, word.splits) == ("", "/*", True, False)


FOLDERS = {
    "cd /a && b": "/a",
    "cd /a; cd b; c": "/a/b",
    "(cd /a); b": ".",
    "cd $X; b": None,
    "cd x/..; cd y; b": "y",
    "cd; b": HOME,
    "if a; then cd /x; fi; b": None,
    "env -C /a b": "/a",
    "sudo --chdir=/a b": "/a",
}


@pytest.mark.parametrize(("source", "cwd"), FOLDERS.items())
def test_the_folder_is_followed(source: str, cwd: str | None) -> None:
    assert read(source, home=HOME).commands[-1].cwd == cwd


WRAPPED = [
    "sudo -u bob -E X a",
    "sudo -- X a",
    "sudo A=1 X a",
    "doas X a",
    "env -i A=1 X a",
    "env -u A -S 'X a'",
    "timeout -k 5 10 X a",
    "nice -n 5 X a",
    "nice -5 X a",
    "nohup X a",
    "setsid -w X a",
    "stdbuf -oL X a",
    "ionice -c 3 X a",
    "flock /tmp/l X a",
    "flock /tmp/l -c 'X a'",
    "command X a",
    "builtin X a",
    "exec -a n X a",
    "busybox X a",
    "chroot /r X a",
    "strace -f -o o X a",
    "watch -n 1 X a",
    "taskset -c 0 X a",
    "systemd-run --user X a",
    "su bob -c 'X a'",
    "su -c 'X a'",
    "script -qc 'X a' /dev/null",
    "ssh -p 22 host X a",
    "ssh host 'X a'",
    "docker exec -it c X a",
    "docker run --rm -v a:b image X a",
    "podman exec c sh -c 'X a'",
    "docker compose -f f exec s X a",
    "kubectl exec -n n pod -- X a",
    "adb shell X a",
    "tmux new-session -d 'X a'",
    "tmux send-keys -t 0 'X a' Enter",
    "bash -c 'X a'",
    "bash -lc 'X a'",
    "sh -e -c 'X a'",
    "bash --norc -c 'X a'",
    "zsh -ic 'X a'",
    "bash <<< 'X a'",
    "bash <<E\nX a\nE",
    "cat <<E | sh\nX a\nE",
    "echo X a | bash -s",
    "printf 'X a' | sudo sh",
    "echo WCBh | base64 -d | sh",
    "echo 582061 | xxd -r -p | bash",
    "echo 'a X' | rev | sh",
    "echo 'K n' | tr A-Za-z N-ZA-Mn-za-m | sh",
    "source <(echo X a)",
    "bash <(echo X a)",
    ". /dev/stdin <<< 'X a'",
    "echo 'X a' | at now",
    "find . -exec X a \\;",
    "find . -execdir X a {} +",
    "ls | xargs -n 1 -I {} X a",
    "parallel X a ::: 1",
    "bash -c \"bash -c 'X a'\"",
    "eval \"eval 'X a'\"",
    "xvfb-run -a X a",
    "echo a | xargs X",
    "sudo bash -c 'sudo X a'",
    "nsenter -t 1 -m X a",
    "unshare -r X a",
    "cat > s.sh <<'E'\nX a\nE\nchmod +x s.sh; ./s.sh",
    "echo 'X a' > /tmp/s && bash /tmp/s",
    "echo 'X a' | tee s; . ./s",
    "ssh host <<< 'X a'",
    "poetry run X a",
    "uv run --with y X a",
    "npm exec -c 'X a'",
    "git rebase --exec 'X a' HEAD~3",
    "git -C d bisect run X a",
    "gdb --args X a",
    "bash +x -c 'X a'",
    "sh -e +o pipefail -c 'X a'",
    "bash -c '$0 a' X",
    "bash -c 'X \"$0\"' a",
    "bash 3<<< 'X a' /dev/fd/3",
    "exec 3<<< 'X a'; bash <&3",
    "exec 3<<< 'X a'; sh /proc/self/fd/3",
    "exec <<< 'X a'",
    "sh 0< <(echo X a)",
    "bash --rcfile <(echo X a) -i",
    "echo X a | parallel",
    "echo a | parallel X",
    "parallel X {} ::: a",
    "echo 'X a' | xargs -I{} sh -c '{}'",
    "ssh-agent X a",
    "sftp h <<< '!X a'",
    "ftp h <<E\nget x\n!X a\nE",
    "env " * 30 + "X a",
]


@pytest.mark.parametrize("source", WRAPPED)
def test_a_wrapper_shows_what_it_runs(source: str) -> None:
    found = [command for command in read(source).commands if command.program == "X"]
    assert found, texts(source)
    assert found[0].argv[1].raw == "a"


def test_wrappers_say_where_a_command_runs() -> None:
    last = read("sudo ssh host docker exec c X").commands[-1]
    assert [wrapper.program for wrapper in last.wrappers] == ["sudo", "ssh", "docker"]
    assert last.as_root
    assert last.elsewhere
    assert not read("ssh root@localhost X").commands[-1].elsewhere


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("$X a", "shell.unknown-command"),
        ('"$@"', "shell.unknown-command"),
        ("$(curl x) a", "shell.unknown-command"),
        ("curl x | sh", "shell.unknown-code"),
        ('eval "$x"', "shell.unknown-code"),
        ('bash -c "$(curl x)"', "shell.unknown-code"),
        ("bash <(curl x)", "shell.unknown-code"),
        ("source <(curl x)", "shell.unknown-code"),
        ("echo 'a", "shell.unreadable"),
        ("if a; then b", "shell.unreadable"),
        ("sh 0< <(curl x)", "shell.unknown-code"),
        ("exec < <(curl x)", "shell.unknown-code"),
        ("exec 3< <(curl x); bash <&3", "shell.unknown-code"),
        ("sh /dev/fd/3 3< <(curl x)", "shell.unknown-code"),
        ("source /dev/tcp/h/80", "shell.unknown-code"),
        ("coproc curl x; bash <&${COPROC[0]}", "shell.unknown-code"),
        ("cat jobs | parallel", "shell.unknown-command"),
        ("echo " + "${a:-" * 40 + "}" * 40, "shell.too-deep"),
        ("eval " * 12 + "a", "shell.too-deep"),
        ("$(" * 12 + "a" + ")" * 12, "shell.too-deep"),
        ("a;" * 3000, "shell.too-long"),
    ],
)
def test_what_cannot_be_read_is_asked_about(source: str, rule: str) -> None:
    assert rule in rules(source)


@pytest.mark.parametrize(
    "source",
    [
        'eval "$(ssh-agent -s)"',
        'eval "$(direnv hook bash)"',
        "source <(kubectl completion bash)",
        "bash script.sh",
        ". ./env",
    ],
)
def test_ordinary_code_from_programs_is_not_asked_about(source: str) -> None:
    assert not rules(source)


def test_a_span_points_into_the_text() -> None:
    source = "cd x && bash -c 'ls; rm y' | echo $(rm z)"
    found = [source[slice(*command.span)] for command in read(source).commands if command.program == "rm"]
    assert found == ["rm y", "rm z"]


def test_a_file_that_a_substitution_reads_is_known() -> None:
    last = read('a "$(< f)" `<g`').commands[-1]
    found = [redirect for word in last.argv for command in word.commands for redirect in command.redirects]
    assert [(redirect.operator, redirect.target.raw) for redirect in found] == [("<", "f"), ("<", "g")]


def test_what_stands_behind_a_bound_is_read_when_it_can_be() -> None:
    assert texts("echo " + "$(" * 12 + "a" + ")" * 12 + "; b")[-1] == "b"
    assert texts("echo " + "a " * 3000 + "; b")[-1] == "b"
    assert read("a;" * 3000).stopped


def test_pipes_and_redirections_are_known() -> None:
    first, last = read("a x > out 2>&1 | b < in").commands
    assert [(redirect.operator, redirect.target.raw) for redirect in first.redirects] == [(">", "out"), (">&", "1")]
    assert first.feeds == [last]
    assert last.stdin is not None
    assert last.stdin.file is not None
