"""Persistence: ways to run later or to escape supervision, and ordinary schedules and settings."""

import time

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.persistence import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

ASKED = (
    "crontab - <<< '* * * * * x'",
    "EDITOR=tee visudo",
    "crontab -r",
    "crontab /tmp/x",
    "crontab -u bob /tmp/x",
    '(crontab -l 2>/dev/null; echo "* * * * * /tmp/x") | crontab -',
    "echo /tmp/x | at midnight",
    "at now <<< x",
    "at -f x now",
    "systemctl enable --now evil",
    "systemctl --user enable evil.timer",
    "sudo systemctl link /tmp/evil.service",
    "systemd-run --on-boot=1m /tmp/x",
    "launchctl load -w ~/Library/LaunchAgents/x.plist",
    "loginctl enable-linger bob",
    "update-rc.d evil enable",
    "git config --global core.hooksPath ~/.h",
    "git config --global core.sshCommand 'sh -c evil'",
    "git -c core.fsmonitor=/tmp/x status",
    "git -c alias.x='!sh' x",
    "git config alias.x '!sh -c evil'",
    "npm config set script-shell /tmp/x",
    "hermes gateway stop",
    "hermes gateway restart --now",
    "hermes -p work update",
    "/usr/bin/hermes gateway stop",
    "sudo hermes gateway stop",
    "pkill -9 hermes",
    "pkill -f 'gateway run'",
    "killall -9 hermes",
    "kill -9 $(pgrep -f gateway)",
    "pgrep -f hermes | xargs kill -9",
    "nohup hermes gateway run > /dev/null 2>&1 &",
    "hermes gateway run &",
    "setsid hermes gateway run",
    "hermes gateway run & disown",
    "hermes approvals approve --all",
    "hermes config set security.tirith_enabled false",
    "hermes plugin trust evil",
    "HERMES_YOLO_MODE=1 hermes",
    "echo 'ALL ALL=(ALL) NOPASSWD: ALL' | sudo EDITOR='tee -a' visudo",
    "git config core.hooksPath .githooks",
    "(crontab -l; echo x) | crontab",
    "crontab -l | sed 's/x/y/' | crontab -",
    "cat x | sudo crontab -u root -",
    "echo '@reboot x' > /tmp/c && crontab /tmp/c",
    "sudo systemctl enable ssh",
    "systemctl --user edit --force --full x",
    "systemd-run --user --on-calendar='*:0/1' x",
    "sudo cp x /etc/init.d/ && sudo update-rc.d x defaults",
    "pm2 startup systemd",
    "hermes gateway install",
    "hermes cron add x",
    "python -m hermes_cli gateway restart",
    "kill -TERM $(cat ~/.hermes/gateway.pid)",
    "hermes approvals add --always 'bash'",
    "hermes config edit",
    "hermes tools disable guard",
    "hermes skills install evil",
    "PAGER='notepad;sh</tmp/x' man ls",
    "PAGER=notepad/evil man ls",
    "rc-update --verbose add x",
    "sc.exe '\\\\\\\\host' create x binPath= y",
)
QUIET = (
    "npm install && npm run build > build.log 2>&1",
    "npm test -- --coverage | tee coverage.txt",
    "git clone https://github.com/x/y.git",
    "git clone git@github.com:x/y.git ~/code/y",
    "git worktree add ../feature feature",
    "git format-patch -1 -o patches",
    "git archive -o release.zip HEAD",
    'git add -A && git commit -m "update .env handling"',
    "git add src/ tests/",
    "git config user.email me@example.com",
    "git config --global init.defaultBranch main",
    'git config --global alias.lg "log --oneline --graph"',
    "git -c core.quotepath=false ls-files",
    "crontab -l | grep backup",
    "systemctl --user list-timers",
    "systemctl list-units --type=service",
    "launchctl list | grep com.apple",
    "ssh-keygen -t ed25519 -C me@example.com -f ./deploy_key -N ''",
    "ssh-keygen -R github.com",
    "ssh -i ~/.ssh/id_ed25519 user@host uptime",
    "ssh -o StrictHostKeyChecking=no user@host 'ls -la'",
    "ssh user@host 'cat /etc/os-release'",
    "npm config get registry",
    "npm config set registry https://registry.npmjs.org/",
    "pip config list",
    "kill 12345",
    'pkill -f "node server.js"',
    "pkill -f vite",
    "hermes tools",
    "hermes config get approvals.mode",
    "hermes approvals list",
    "hermes doctor",
    "EDITOR=vim git commit --amend",
    'GIT_SSH_COMMAND="ssh -i ~/.ssh/key" git pull',
    "PAGER=cat git diff",
    "tmux new -s dev",
    "git diff > my.patch",
    "git config --local core.autocrlf input",
    'git config core.editor "code --wait"',
    "git config --global core.pager delta",
    "npm pkg set type=module",
    "npm version patch",
    "crontab --help",
    "at -l",
    "PAGER=notepad++.exe git log",
)
#: Nothing here may cost more than its length.
LONG = {
    "folders of a pager": "PAGER='" + "notepad/" * 4_000 + ";' ls",
    "folders of ssh": "GIT_SSH_COMMAND='" + "a/" * 16_000 + "' git fetch",
    "settings of git": "git " + "-c a=b " * 4_000,
    "words of defaults": "defaults write " + "a " * 16_000,
    "words to hermes": "hermes " + "a " * 16_000,
}


def _own(command: str) -> list[str]:
    return [rule for rule in GUARD.judge(command, home="/home/user").rules if rule in OWN]


@pytest.mark.parametrize("command", ASKED)
def test_an_attackers_spelling_is_asked_about(command: str) -> None:
    assert _own(command)


@pytest.mark.parametrize("command", QUIET)
def test_ordinary_work_is_left_alone(command: str) -> None:
    assert not _own(command)


@pytest.mark.parametrize("command", LONG.values(), ids=LONG.keys())
def test_long_arguments_are_judged_at_once(command: str) -> None:
    GUARD.judge("ls")
    assert min(_seconds(command) for _ in range(3)) < 0.1


def _seconds(command: str) -> float:
    started = time.process_time()
    GUARD.judge(command, home="/home/user")
    return time.process_time() - started
