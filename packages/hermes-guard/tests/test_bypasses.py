"""Further ways to bypass the guard, and harmless commands that look like them."""

import pytest

from hermes_guard import judge

REFUSED = {
    "decoded by a language": [
        "echo cm0gLXJmIC8= | python3 -m base64 -d | sh",
        "echo cm0gLXJmIC8= | python -mbase64 -d - | bash",
        "echo cm0gLXJmIC8= | openssl base64 -d | sh",
        "echo cm0gLXJmIC8= | openssl enc -base64 -d | sh",
        "echo cm0gLXJmIC8= | perl -MMIME::Base64 -e 'print decode_base64(<>)' | sh",
        "echo cm0gLXJmIC8= | perl -MMIME::Base64 -ne 'print decode_base64($_)' | sh",
        "echo cm0gLXJmIC8= | perl -MMIME::Base64 -0777 -ne 'print decode_base64 $_;' | sh",
    ],
    "read as a whole": [
        "read -r -d '' S <<'X'\nrm -rf /\nX\neval \"$S\"",
        "read -rd '' S <<'X'\necho hi\nrm -rf /\nX\neval \"$S\"",
        "IFS= read -r -d '' S <<X\nreboot\nX\nbash -c \"$S\"",
        "read -r -d ';' S <<< 'rm -rf /;ls'; eval \"$S\"",
    ],
    "without a blank": [
        "while((1)); do ./x & done",
        "while(true); do ./x & done",
        "until((0)); do ./x & done",
        "if((1)); then rm -rf /; fi",
        "if(true); then(rm -rf /); fi",
        "if false; then ls; elif((1)); then rm -rf /; fi",
        "f() while((1)); do ./x & done; f",
    ],
    "this machine in a container": [
        "docker run -v /:/host alpine rm -rf /host/opt",
        "docker run -v /:/host alpine rm -rf /",
        "docker run -v /opt:/opt alpine rm -rf /opt",
        "docker run -v /:/opt/x alpine rm -rf /opt",
        "docker exec c rm -rf /opt",
    ],
    "power of Windows": [
        "Restart-Computer",
        "stop-computer -Force",
        "rundll32 user32.dll,ExitWindowsEx",
        "rundll32.exe shell32.dll,SHExitWindowsEx 1",
        "shutdown.exe /s /t 0",
        "cmd.exe /c shutdown /r /t 0",
        "cmd /c 'shutdown /s'",
        "wmic os call reboot",
    ],
    "under many functions": [
        f'node -e \'{"function f(){ " * 300}require("child_process").execSync("reboot")\'',
        f"perl -e '{'sub f { ' * 300}system(\"reboot\");{'}' * 300} f()'",
    ],
    "everything of a user": [
        "pkill -9 -u dev .",
        "pkill -u dev '.*'",
        "sudo pkill -KILL -U root .",
        "pkill -u $USER .",
    ],
}
ASKED = {
    "a container's own folder": [
        "docker run -v /:/host alpine rm -rf /opt",
        "docker run -v /:/host alpine rm -rf /opt/*",
        "docker run -v /:/host alpine sh -c 'rm -rf /opt'",
    ],
    "power of another machine": ["Stop-Computer -ComputerName other"],
    "some processes of a user": ["pkill -9 -u dev node", "pkill -u dev", "pkill -9 -u dev -t pts/1 ."],
    "a dash that is none": [
        "git reset \u2010-hard",
        "git reset \u2013\u2013hard",
        "rm \u2212rf build",
        "git push -\u2010force",
    ],
    "code that nobody knows": ["read -r -d '' S < file; eval \"$S\"", "cat x | python3 -m base64 -d | sh"],
}
ALLOWED = [
    "echo bHMgLWxhCg== | python3 -m base64 -d | sh",
    "python3 -m base64 -d < x",
    "read -r -d '' S <<'X'\nls -la\ngit status\nX\neval \"$S\"",
    "read -r -d '' S <<'X'\nusage: rm -rf /\nX\necho \"$S\"",
    "IFS=: read -r S <<< 'a:b'; echo $S",
    "while((i<3)); do ((i++)); done",
    "if((x>1)); then ls; fi",
    "for((i=0;i<3;i++)); do ls; done",
    "if(test -f x); then ls; fi",
    "Stop-Computer -WhatIf",
    "rundll32 user32.dll,LockWorkStation",
    "shutdown.exe /a",
    "wmic os get name",
    "pgrep -u dev .",
    "echo a \u2013 b",
    "echo \u2014word",
    'git commit -m "\u2013foo \u2014 bar"',
    "cat <<E\n\u2014word\nE",
    "ls a\u2013b",
]


def severity(command: str) -> str:
    return judge(command, cwd="/home/dev/project", home="/home/dev").severity


def test_no_rule_fails_on_functions_inside_of_functions() -> None:
    assert "guard.failed" not in judge(f"node -e '{'f(){ ' * 2000}'", home="/home/dev").rules


@pytest.mark.parametrize("command", [command for commands in REFUSED.values() for command in commands])
def test_it_is_refused(command: str) -> None:
    assert severity(command) == "refuse"


@pytest.mark.parametrize("command", [command for commands in ASKED.values() for command in commands])
def test_it_is_asked_about(command: str) -> None:
    assert severity(command) == "ask"


@pytest.mark.parametrize("command", ALLOWED)
def test_it_runs(command: str) -> None:
    assert severity(command) == "allow"
