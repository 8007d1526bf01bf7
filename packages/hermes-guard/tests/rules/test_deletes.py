"""Deletes: messages to other machines, locks of git, and files deleted after they are packed."""

import pytest

from hermes_guard import judge

HOME = "/home/dev"

ASKED = {
    "delete.recursive": (
        't=$(mktemp -d); rm -rf "$t/.."',
        't=$(mktemp -d); rm -rf "$t" src',
        't=$(mktemp -d); rm -rf "$t"/*',
        't=$(mktemp -d); mount --bind src "$t"; rm -rf "$t"',
        't=$(mktemp -d); read t; rm -rf "$t"',
        "docker run --rm -v $PWD:/w alpine rm -rf /w/src",
        "docker compose run --rm web rm -rf /data",
        "docker exec web rm -rf /data",
        "docker run --rm -i alpine sh <<< 'rm -rf /x'",
        "lftp -c 'open h; rm -r www'",
        "lftp -c 'mirror -R --delete-first a b'",
        "lftp -c 'cd www; mrm *.html'",
        f"lftp -c '{'ls; ' * 2000}rm -rf www'",
    ),
    "delete.bulk": ("yes | find . -name '*.tmp' -ok rm {} ';'", "rm -f !(*.md)", "rm src/*.go", "cd /srv && rm *.db"),
    "delete.truncate": (
        "for f in logs/*.log; do truncate -s 0 $f; done",
        "truncate -s 0 a.log b.log",
        "> app.db; echo x >> app.db",
    ),
    "delete.protected": ("rm .git/.lock", "rm -f .git/config", "rm /etc/x.lock"),
    "delete.mirror": ("rsync -a --delete-delay a b", "rsync a b --delete-missing-args", "rsync -e ssh --del a h:b"),
    "delete.discard": ("tar czf a.tgz --remove d", "tar -C/x --remove-files -cf a.tar d", "7z a -sdel a.7z d"),
}
QUIET = (
    'T=$(mktemp -d 2>/dev/null || mktemp -d -t x); make; rm -rf "$T"',
    'w="$(mktemp -d -t b-XXXX)"; finish() { rm -rf -- "${w:?}"; }; trap finish EXIT INT',
    't=$(mktemp -d); mkdir "$t/a"; rm -rf "$t/a" "$t"',
    "docker run --rm ubuntu bash -c 'rm -rf /var/lib/apt/lists/* && apt-get update'",
    "cd /tmp/work && rm *.py",
    "rm build/*.csv dist/*.md",
    "lftp -c 'open h; rm index.html'",
    "lftp -c 'mirror a b; put -e x'",
    "lftp -c 'mput mirror.txt'",
    "rm -f .git/index.lock .git/refs/heads/main.lock",
    "rm -f /home/dev/project/.git/shallow.lock",
    "rsync -a --exclude --delete a b",
)


@pytest.mark.parametrize(
    ("rule", "command"), [(rule, command) for rule, commands in ASKED.items() for command in commands]
)
def test_a_delete_is_asked_about(rule: str, command: str) -> None:
    assert rule in judge(command, cwd="/home/dev/project", home=HOME).rules


@pytest.mark.parametrize("command", QUIET)
def test_what_deletes_nothing_of_value_is_left_alone(command: str) -> None:
    rules = judge(command, cwd="/home/dev/project", home=HOME).rules
    assert not [rule for rule in rules if rule.startswith("delete.")]
