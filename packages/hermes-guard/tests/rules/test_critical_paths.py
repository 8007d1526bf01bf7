"""Critical directories and disks, and paths that are checked only once."""

from typing import Literal

import pytest

from hermes_guard import judge
from hermes_guard.paths import PathPolicy
from hermes_guard.verdict import Verdict

HOME = "/home/dev"

#: Close to what is refused, and yet a question at most.
NEAR = [
    "rm -rf /usr/share/doc/x",
    "rm -rf /usr/lib/node_modules/x",
    "rm -rf /var/lib/app/cache",
    "rm -rf /tmp/!(keep)",
    "rm -rf /home/dev/project/d*",
    "find ~/project ! -name '*.py' -delete",
    "echo /tmp/* | xargs rm -rf",
    "mv /var/www /var/www.old",
    "mv ~ /mnt/x",
    "tar -C ~/project --remove-files -czf x.tgz dist",
    "tar czf /dev/null /etc",
    "ps aux | grep node | awk '{print $2}' | xargs kill -9",
    "cd /dev/shm && echo x > sda",
    "cd /dev && cat sda > /tmp/img",
    "zpool create tank disk.img",
    "ssh h reboot",
]
MANY = ["rm", "cat", "cp", "tee", "touch", "chmod 644", "git add", "grep x"]


@pytest.mark.parametrize("command", NEAR)
def test_what_is_close_to_the_hard_line_is_not_refused(command: str) -> None:
    assert judge(command, cwd="/home/dev/project", home=HOME).severity != "refuse"


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that the policy is asked about."""
    found: list[str] = []
    judged = PathPolicy.judge

    def counted(policy: PathPolicy, op: Literal["read", "write"], path: str, *, home: str) -> Verdict:
        found.append(path)
        return judged(policy, op, path, home=home)

    monkeypatch.setattr(PathPolicy, "judge", counted)
    return found


@pytest.mark.parametrize("program", MANY)
def test_a_text_with_many_paths_is_asked_about_and_not_all_are_looked_at(program: str, looks: list[str]) -> None:
    text = ";".join(f"{program} " + " ".join(f"/srv/f{i}_{j}" for j in range(95)) for i in range(20))
    assert judge(text, home=HOME).severity == "ask"
    assert 0 < len(looks) <= 200


def test_a_path_is_looked_at_once_per_text(looks: list[str]) -> None:
    for _ in range(2):
        assert judge("rm /srv/a; rm /srv/a; rm /srv/a", home=HOME).severity == "allow"
    assert looks == ["/srv/a", "/srv/a"]
