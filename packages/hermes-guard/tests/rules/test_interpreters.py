"""Interpreters: code of every language, and scripts that one command writes and another runs."""

import pytest

from hermes_guard.guard import Guard

GUARD = Guard()
#: More than what a reader takes at once.
PADDING = "# xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n" * 600


@pytest.mark.parametrize(
    "command",
    [
        "python3 -c \"import shutil; shutil.rmtree('/')\"",
        "python3 -c \"import os; os.system('reboot')\"",
        "perl -e 'system(\"mkfs.ext4 /dev/sda1\")'",
        "node -e \"require('child_process').exec('dd if=/dev/zero of=/dev/sda')\"",
        "node -e \"require('fs').rmSync(require('os').homedir(), {recursive: true})\"",
        "awk 'BEGIN{system(\"shutdown now\")}'",
        "ruby -e '`kill -9 -1`'",
        "perl -e 'while(1){fork}'",
        'python3 -c \'open("/dev/sda", "wb").write(b"0")\'',
        "echo 'rm -rf /' > a.sh; sh a.sh",
        "cat > a.py <<'E'\nimport shutil\nshutil.rmtree('/')\nE\npython a.py",
    ],
)
def test_another_language_does_not_lift_the_hard_line(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity == "refuse"


def test_code_in_a_new_container_is_asked_about_and_not_refused() -> None:
    verdict = GUARD.judge("docker run c python3 -c \"import os; os.system('rm -rf /')\"", home="/home/dev")
    assert verdict.severity == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "echo 'rm -rf /' > a.sh; echo 'echo done' >> a.sh; sh a.sh",
        "echo 'echo' > a.sh; sh a.sh; echo 'rm -rf /' > a.sh; sh a.sh",
        "echo 'rm -rf /' > a.sh; mv a.sh b.sh; sh b.sh",
        "echo 'rm -rf /' > a.sh; bash -eo pipefail a.sh",
        "echo 'rm -rf /' > a.sh; bash a.sh -n",
        'echo \'__import__("os").system("rm -rf /")\' > a.py; python3 -W ignore a.py',
        "echo 'BEGIN{system(\"rm -rf /\")}' > a.awk; awk -v x=1 -f a.awk",
        "echo 'rm -rf /' > a.sh; cp a.sh b.sh; ./b.sh",
        "echo 'rm -rf /' > a.sh; cp a.sh bin/; bin/a.sh",
        "echo 'echo' | tee a.sh; echo 'rm -rf /' | tee -a a.sh; bash a.sh",
        "echo 'BEGIN{system(\"rm -rf /\")}' > a.awk; awk -f a.awk",
        "; ".join(f"echo 'import os' > f{n}.py" for n in range(20))
        + '; echo \'__import__("os").system("rm -rf /")\' > a.py; python3 a.py',
    ],
)
def test_a_script_is_judged_with_all_that_was_written_into_it(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity == "refuse"


@pytest.mark.parametrize(
    "command",
    [
        f"cat > a.sh <<'E'\n{PADDING}rm -rf src\nE\nsh a.sh",
        f"cat > a.py <<'E'\n{PADDING}import shutil\nshutil.rmtree('src')\nE\npython3 a.py",
        f"cat > a.pl <<'E'\n{PADDING}system('rm -rf src');\nE\nperl a.pl",
        'perl -e \'system("env",' + '"A=1",' * 30 + '"rm","-rf","src")\'',
        'perl -e \'system("echo " . ' + "$a . " * 30 + '"; rm -rf src")\'',
        'awk \'BEGIN{system("echo " ' + "a " * 60 + '"; rm -rf src")}\'',
    ],
)
def test_what_is_too_long_to_be_read_is_asked_about(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity != "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cat > a.sh <<'E'\nrm -rf src\nE\nbash -n a.sh",
        "cat > a.sh <<'E'\nrm -rf src\nE\nbash -o noexec a.sh",
        "cat > a.py <<'E'\nimport shutil\nshutil.rmtree('src')\nE\npython3 -m py_compile a.py",
        "cat > a.sh <<'E'\nrm -rf src\nE\npython3 -c 'print(1)' a.sh",
    ],
)
def test_a_script_that_is_only_looked_at_is_not_judged(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity == "allow"
