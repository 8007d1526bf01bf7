"""The rules about tools that run commands, with commands that show them."""

from hermes_guard.rules.family import Family

FAMILY = Family("tool_escapes")

ESCAPE = FAMILY.rule(
    "escape.shell",
    "{program} opens a shell, or runs a command that nobody knows: {path}",
    effects=("execute",),
    match=(
        "vim -c '!sh'",
        "vim -c ':!/bin/bash'",
        "gdb -ex 'shell' -ex quit",
        "sqlite3 x.db '.shell sh'",
        "tar cf x y --checkpoint=1 --checkpoint-action=exec=sh",
        "psql -c '\\! sh'",
        "ssh -o ProxyCommand='sh' h",
        "less +'!sh' f",
        "man -P sh ls",
        "find . -exec sh ';' -quit",
        "git -c core.pager=sh log",
        "nmap --interactive",
        "rsync -e sh h:x .",
        "PAGER=sh man ls",
        "find . -name '*.sh' -exec {} ';'",
        "ssh-keygen -D ./x.so",
        "sftp -D ./x h",
        "wget -e use_askpass=./x http://h",
        "gdb -p 9 -batch -ex 'call exit(0)'",
    ),
    not_match=(
        "vim -c ':wq' f",
        "gdb -ex run ./a.out",
        "sqlite3 x.db '.tables'",
        "tar czf x.tgz y",
        "psql -c 'select 1'",
        "ssh -o StrictHostKeyChecking=no h",
        "git -c core.pager=cat log",
        "rsync -e 'ssh -p 22' a h:b",
        "vim +42 f",
        "git -c alias.x=status x",
        "ssh -o ProxyCommand='ssh -W %h:%p jump' h",
        "find . -exec sh -c 'echo {}' ';'",
        "EDITOR=vim git commit",
        "PAGER=cat man ls",
        "EDITOR='code --wait' crontab -l",
        "MAKEFLAGS=-j4 make",
        "tar -I 'zstd -T0' -cf x.tar.zst y",
        "make CC='ccache gcc' VERSION=1",
        "rsync -avze 'ssh -p 22' a h:b",
        "rsync --rsync-path='sudo rsync' a h:b",
        "rg --pre pdftotext x",
        "fzf --preview 'bat {}'",
        "gdb -p 9 -batch -ex bt",
        "ssh-keygen -t ed25519 -f k",
        "ansible all --check -m shell -a 'rm -rf /tmp/x'",
    ),
)
THERE = FAMILY.rule(
    "escape.remote-delete",
    "deletes files on another machine: {path}",
    effects=("delete", "network"),
    match=(
        "lftp -e 'rm -r /www; bye' h",
        "lftp -e 'mirror -R --delete . /www; quit' h",
        "sftp -b - h <<< 'rm /srv/*'",
        "ftp h <<< 'mdelete *'",
    ),
    not_match=(
        "lftp -e 'ls; bye' h",
        "lftp -e 'mirror -R dist /www; bye' h",
        "sftp -b - h <<< 'put x'",
        "sftp h",
        "lftp -c 'open h; get a.txt'",
    ),
)
PROGRAM = FAMILY.rule(
    "escape.database-program",
    "lets the database server run a program: {path}",
    effects=("execute",),
    match=("psql -c \"COPY t FROM PROGRAM 'id'\"", "psql -c \"copy x to program 'cat > y'\""),
    not_match=("psql -c 'COPY t FROM STDIN'",),
)
