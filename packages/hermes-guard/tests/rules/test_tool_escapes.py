"""Tools that run commands: dangerous commands in many spellings, and ordinary commands."""

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.tool_escapes import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

DANGEROUS = (
    "BAT_PAGER='rm -rf src' bat x",
    "CC='rm -rf src;' make",
    "make CC='rm -rf src;' all",
    "TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=reboot' tar cf x y",
    "ftp h <<< '!rm -rf src'",
    "sftp h <<< '!rm -rf src'",
    "fzf --bind 'enter:execute(rm -rf {})'",
    "rg --pre 'rm -rf' x",
    "rsync --rsync-path='rm -rf /srv/x; rsync' a h:b",
    "tar cf a.tar -I 'rm -rf src' x",
    'nvim --headless -c \'call delete("src","rf")\' -c q',
    "zsh -c 'zmodload zsh/files; zf_rm -rf src'",
    "emacs --batch --eval '(delete-directory \"x\" t)'",
    "vim -es -c '!rm -rf x' -c q",
    "ex -sc '!rm -rf x' -cq",
    "gdb -batch -ex 'shell rm -rf x'",
    "sqlite3 :memory: '.system rm -rf x'",
    'psql -c "\\\\! rm -rf x"',
    "mysql -e '\\! rm -rf x'",
    "git -c alias.z='!rm -rf x' z",
    "git rebase --exec 'rm -rf x' main",
    "git submodule foreach 'rm -rf x'",
    "git bisect run rm -rf x",
    "tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec='rm -rf x'",
    "ssh -o ProxyCommand='rm -rf x' h",
    "man -P 'rm -rf x' ls",
    "find . -name x -exec python3 -c 'import shutil; shutil.rmtree(\"x\")' \\;",
    "npx -c 'rm -rf x'",
    "npm exec -c 'rm -rf x'",
    "nix-shell -p hello --run 'rm -rf x'",
    "man --pag='rm -rf x' ls",
    "man -aP 'rm -rf x' ls",
    "rsync -ave 'rm -rf x' a h:b",
    "ftp h <<'E'\n" + "".join(f"get {n}\n" for n in range(70)) + "!rm -rf x\nE",
    "vim -es -c '" + "|".join(f'call delete("{n}")' for n in range(10)) + '|call delete("src","rf")\'',
    "fzf --bind '" + ",".join(f"{n}:execute(echo {n})" for n in range(9)) + ",enter:execute(rm -rf {})'",
)
ORDINARY = (
    "sqlite3 app.db '.tables'",
    "sqlite3 app.db 'select * from t limit 5;'",
    "sqlite3 app.db .schema",
    "psql -c '\\dt'",
    "psql -d app -c 'select count(*) from users'",
    "mysql -e 'show databases'",
    "vim +10 x.c",
    "vim -c 'set number' f",
    "nvim --headless +PlugInstall +qall",
    "vim -es -c '%s/a/b/g' -c 'wq' f",
    "gdb -batch -ex run -ex bt ./a.out",
    "gdb -p 1234",
    "git -c user.name=x -c user.email=y commit -m 'rm -rf'",
    "git -c core.pager=less log",
    "git rebase -x 'make test' main",
    "git bisect run make test",
    "git submodule foreach git pull",
    "git submodule foreach 'git checkout main || true'",
    "tar -czf a.tgz d",
    "tar --use-compress-program=zstd -cf a.tar.zst d",
    "tar -I pigz -xf a.tgz",
    "rsync -avz -e 'ssh -i key' a h:b",
    "ssh -o ProxyCommand='ssh -W %h:%p bastion' h",
    "ssh -J bastion h uptime",
    "emacs --batch -f batch-byte-compile x.el",
    "emacs -Q --batch --eval '(message \"hi\")'",
    "make -j4 CC=clang",
    "find . -name '*.py' -exec python -m py_compile {} +",
    "find . -type f | xargs -I{} sh -c 'echo {}'",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity != "allow"


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_day_hears_nothing_of_these_rules(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/dev").rules)
