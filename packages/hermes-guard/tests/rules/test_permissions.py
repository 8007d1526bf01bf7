"""Permissions: commands that open files to every user, and ordinary modes."""

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.permissions import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

ASKED = (
    "chmod -R 0777 .",
    "chmod --recursive a+rwX .",
    "chmod ugo=rwx f",
    "chmod u+rwx,g+rwx,o+rwx f",
    "chmod o+rw f",
    "chmod 0666 f",
    "chmod 776 f",
    "chmod 773 f",
    "chmod +st f",
    "chmod 4777 f",
    "chmod u+s,g+s /tmp/sh",
    "sudo chmod 6755 /bin/bash",
    "cp /bin/sh /tmp/sh && chmod +s /tmp/sh",
    "chmod -Rv 777 /var/www",
    "find . -exec chmod 777 {} \\;",
    "echo f | xargs chmod 777",
    "chown -R root:root .",
    "sudo chown -Rf root /opt",
    "chown -R nobody: /",
    "chown --from=me root /etc/x",
    "chgrp -R users /etc",
    "chattr -i /etc/passwd",
    "chattr -R +i /home",
    "setfacl -Rm u:nobody:rwx .",
    "umask 0000",
    "umask a=rwx",
    "sudo install -o root -m 4755 /bin/bash /tmp/b",
    "chmod a=rwx f",
    "chmod -v 777 f",
    "chmod -- 777 f",
    "chmod 777 -R .",
    "chmod 'o+w' f",
    "chmod a+rwx,u-x f",
    "/bin/chmod 777 f",
    "busybox chmod 777 f",
    "sudo chmod -R 777 /",
    "chmod 1777 /etc",
    "chmod -R go+w .",
    "chmod u+s f",
    "chmod 0002 f",
    "mkdir -pm777 d",
    "icacls . /grant Everyone:F /T",
    "sudo chattr +i /etc/resolv.conf",
    "sudo chown $USER /etc/hosts",
    "sudo chown -R $USER /usr/local",
    "chown bob:bob /etc/sudoers",
    "sudo chgrp docker /var/run/docker.sock",
    "chmod 666 /dev/kvm",
    "chmod " + "a+r," * 50 + "o+w f",
    "chmod 644 " + "f " * 101 + "/etc/shadow",
    "chown me " + "f " * 101 + "/etc/shadow",
)
QUIET = (
    "mkdir -p src/components/{a,b}",
    "mkdir -p ~/.config/myapp",
    "chmod +x scripts/*.sh",
    "chmod 644 file.txt",
    "chmod -R u+rwX,go+rX,go-w dist",
    "chmod 755 bin/run",
    "chmod u+x,g+x run.sh",
    "chmod 600 key.pem",
    "chmod 400 ~/.ssh/deploy.pem",
    "chown -R $(id -u):$(id -g) node_modules",
    "umask 027",
    "chmod g+w shared",
    "xattr -l file",
    "getfacl file",
    "chmod 644 " + "f " * 99,
    "xattr -w user.c x file",
    "chattr +C d",
)


def _own(command: str) -> list[str]:
    return [rule for rule in GUARD.judge(command, home="/home/user").rules if rule in OWN]


@pytest.mark.parametrize("command", ASKED)
def test_an_attackers_spelling_is_asked_about(command: str) -> None:
    assert _own(command)


@pytest.mark.parametrize("command", QUIET)
def test_ordinary_work_is_left_alone(command: str) -> None:
    assert not _own(command)
