"""Privilege: passwords fed to sudo, shells as root, accounts and groups, capabilities, protections switched off."""

import re
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.code import SHELLS
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.verdict import Finding

FAMILY = Family("privilege")

SUDO_PASSWORD = FAMILY.rule(
    "privilege.sudo-password",
    "feeds a password to {program} or lets another program ask for it",
    effects=("privileged",),
    match=(
        "sudo -S ls",
        "echo pw | sudo -S ls",
        "sudo --stdin ls",
        "sudo -nS ls",
        "sudo -n -S ls",
        "sudo -u root -S ls",
        "sudo -A ls",
        "sudo --askpass ls",
        "sudo -kS true <<< pw",
        "SUDO_ASKPASS=/tmp/p sudo -A id",
        "echo pw | su -c id",
        "sudo --std id",
        "doas -S x",
    ),
    not_match=(
        "sudo whoami",
        "sudo -i",
        "man sudo",
        "apt install sudo",
        "ls /etc/sudoers",
        "pseudosudo -S",
        "sudo -n true",
        "sudo -l",
        "sudo ls -S",
        "echo sudo -S",
        "sudo -v",
        "sudo -k",
    ),
)
ROOT_SHELL = FAMILY.rule(
    "privilege.root-shell",
    "opens a shell with the rights of another user, in which anything can happen",
    effects=("privileged", "exec"),
    match=(
        "sudo su",
        "sudo su -",
        "su",
        "su - root",
        "sudo -s",
        "sudo bash",
        "sudo /bin/sh",
        "pkexec sh",
        "doas -s",
        "sudo find . -exec /bin/sh ;",
        "su -c 'id' root",
        "sudo -u#-1 id",
        "sudo env /bin/bash",
        "sudo chroot /mnt bash",
        "machinectl shell root@",
        "capsh --gid=0 --uid=0 --",
        "sudo vim -c ':!sh'",
        "nsenter -t 1 -m -p sh",
        "run0",
        "run0 sh",
        "gosu root sh",
        "chroot /host sh",
        "setpriv --reuid=0 sh",
        "su -",
    ),
    not_match=(
        "sudo -i",
        "sudo whoami",
        "sudo apt update",
        "bash",
        "su --help",
        "sudo bash script.sh",
        "sudo -u postgres psql",
        "runuser -u www -- ls",
        "sudo docker exec -it c bash",
        "su - postgres -c 'psql -l'",
        "gosu app ./serve",
        "run0 --help",
        "run0 ls",
        "chroot /mnt ls",
    ),
)
SUDOERS = FAMILY.rule(
    "privilege.sudoers",
    "edits who may become root",
    effects=("privileged", "write"),
    match=("visudo", "sudo visudo -f /etc/sudoers.d/x", "EDITOR='tee -a' visudo", "vipw", "vigr"),
    not_match=("visudo -c", "visudo --check", "visudo -V", "man visudo"),
)
ACCOUNT = FAMILY.rule(
    "privilege.account",
    "changes an account or a group: {path}",
    effects=("privileged",),
    match=(
        "usermod -aG sudo bob",
        "useradd -m bob",
        "adduser bob",
        "userdel -r bob",
        "passwd",
        "passwd root",
        "echo root:x | chpasswd",
        "gpasswd -a bob docker",
        "groupadd x",
        "chsh -s /bin/zsh",
        "dscl . -create /Users/bob",
        "net user bob pw /add",
        "newgrp docker",
        "sudo passwd -d root",
        "sysadminctl -addUser bob",
        "dseditgroup -o edit -a bob -t user admin",
        "chage -E 0 bob",
        "pw useradd bob",
    ),
    not_match=(
        "passwd -S bob",
        "passwd --status",
        "id bob",
        "groups",
        "getent passwd",
        "chage -l bob",
        "useradd --help",
        "dscl . -list /Users",
        "useradd -D",
        "docker exec c adduser bob",
        "net user",
        "cat /etc/passwd",
    ),
)
CAPABILITY = FAMILY.rule(
    "privilege.capability",
    "gives a program rights of root: {path}",
    effects=("privileged",),
    match=("setcap cap_net_bind_service=+ep ./app", "sudo setcap cap_setuid+ep python3", "setcap -r x"),
    not_match=("getcap x", "setcap -v cap_net_raw=ep x", "capsh --print"),
)
PRELOAD = FAMILY.rule(
    "privilege.environment",
    "hands a variable to a program with root's rights that makes it load foreign code: {path}",
    effects=("privileged", "exec"),
    match=(
        "sudo LD_PRELOAD=./x.so ls",
        "sudo env LD_LIBRARY_PATH=. ls",
        "sudo PYTHONPATH=/tmp python3 x.py",
        "LD_PRELOAD=./x.so sudo -E id",
        "sudo --preserve-env=LD_PRELOAD id",
    ),
    not_match=("LD_LIBRARY_PATH=. ./app", "sudo FOO=1 ls", "sudo PATH=/usr/bin ls"),
)
LOADED = FAMILY.rule(
    "privilege.loaded-code",
    "makes {program} start with code or programs from elsewhere: {path}",
    effects=("exec",),
    match=(
        "LD_PRELOAD=/tmp/e.so ls",
        "LD_PRELOAD=./evil.so ls",
        "BASH_ENV=./x bash -c :",
        "PATH=/tmp/evil:$PATH ls",
        "export PATH=/tmp/evil:$PATH; ls",
        "ENV=./evil.sh sh -i",
        "NODE_OPTIONS='--require /tmp/e.js' npm t",
        "PYTHONSTARTUP=/tmp/e python3 -i",
        "PERL5OPT=-M/tmp/e perl x",
        "RUBYOPT=-r/tmp/e ruby x",
        "env LD_PRELOAD=/tmp/e.so ls",
    ),
    not_match=(
        "LD_LIBRARY_PATH=. ./app",
        "PATH=$PWD/bin:$PATH make",
        'PATH="$HOME/.local/bin:$PATH" uv sync',
        "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
        "LD_PRELOAD=/usr/lib/libjemalloc.so ./app",
        "PATH=/tmp/venv/bin:$PATH pytest",
        "ENV=production npm start",
        "export PATH=/usr/local/go/bin:$PATH",
        "RUBYOPT=-W0 rake",
        "BASH_ENV= bash x.sh",
        "ENV=./conf/a.yml npm start",
        "LD_PRELOAD=libfaketime.so.1 date",
        "PATH=./node_modules/.bin:$PATH eslint .",
        "echo LD_PRELOAD=/tmp/e.so",
    ),
)
PROTECTION = FAMILY.rule(
    "privilege.protection",
    "switches a protection of the machine off or trusts somebody new: {program} {path}",
    effects=("privileged",),
    match=(
        "setenforce 0",
        "spctl --master-disable",
        "csrutil disable",
        "security add-trusted-cert -d ca.pem",
        "aa-disable x",
        "trust anchor ca.pem",
        "update-ca-certificates",
        "security authorizationdb write x allow",
        "tccutil reset All",
        "auditctl -e 0",
        "faillock --user b --reset",
        "pam-auth-update --force",
        "mkcert -install",
    ),
    not_match=(
        "getenforce",
        "spctl --status",
        "csrutil status",
        "security find-identity -v",
        "trust list",
        "aa-status",
        "mkcert localhost",
    ),
)
SCRIPTED = FAMILY.rule(
    "privilege.scripted-login",
    "types a password into a login or asks for an administrator",
    effects=("privileged",),
    match=(
        "expect -c 'spawn sudo ls; send \"pw\\r\"'",
        "osascript -e 'do shell script \"id\" with administrator privileges'",
        "expect -c 'spawn su -; interact'",
        "sshpass -p pw ssh h",
        "sshpass -f pw.txt scp a h:",
    ),
    not_match=("expect script.exp", "osascript -e 'display notification \"x\"'"),
)

GUESSING = FAMILY.rule(
    "privilege.attack-tool",
    "guesses passwords or attacks other machines: {program}",
    effects=("privileged", "network"),
    match=(
        "hydra -l root -P words.txt ssh://10.0.0.1",
        "john hashes",
        "hashcat -m 0 h w",
        "msfvenom -p x",
        "sudo responder -I eth0",
    ),
    not_match=("hydra --help", "man hydra", "john --list=formats", "hashcat --version"),
)
ESCAPE = FAMILY.rule(
    "privilege.shell-escape",
    "runs a command that hides in an option of {program}: {path}",
    effects=("exec",),
    match=(
        "sudo apt-get update -o APT::Update::Pre-Invoke::=/bin/sh",
        "sudo gdb -nx -ex '!sh' -ex quit",
        "zip x.zip f -T -TT 'sh #'",
        "tcpdump -z /tmp/x -W 1",
        "gcc -wrapper sh,-s .",
        "mysql -e '\\! sh'",
        "nmap --interactive",
        "socat stdin exec:/bin/sh",
        "sudo man -P sh ls",
        "make --eval='x:;sh'",
        "git grep --open-files-in-pager=sh x",
        "sudo journalctl; sudo dmesg -H | sudo less -c '!sh'; nmap --script=/tmp/x.nse h",
    ),
    not_match=(
        "apt-get update",
        "apt-get -o Acquire::Retries=3 update",
        "gdb -ex run ./a",
        "zip -r x.zip d",
        "tcpdump -i any port 80",
        "gcc -o a a.c",
        "mysql -e 'select 1'",
        "nmap --script=vuln h",
        "make test",
        "man ls",
        "socat - TCP:h:80",
    ),
)

_SUDO = Spec(
    "A b E e H h? i K k l n P S s V v B N u= g= p= C= c= D= R= r= t= T= U= a= user= "
    "group= prompt= close-from= chdir= chroot= role= type= "
    "command-timeout= other-user= host= login-class= preserve-env? login shell stdin "
    "askpass background non-interactive set-home list "
    "validate version help remove-timestamp reset-timestamp edit bell",
    posix=True,
)
_LOADS = frozenset(
    [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "DYLD_LIBRARY_PATH",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "PERL5LIB",
        "PERL5OPT",
        "RUBYLIB",
        "RUBYOPT",
        "NODE_OPTIONS",
        "NODE_PATH",
        "BASH_ENV",
        "ENV",
        "PROMPT_COMMAND",
        "GCONV_PATH",
        "LD_DEBUG_OUTPUT",
    ]
)


@FAMILY.judges("sudo", "doas")
def sudo(command: Command, _: Context) -> Iterator[Finding]:
    """The options of sudo that take a password from elsewhere or open a shell."""
    options = parse(command, _SUDO)
    if options.helps or options.has("l", "list", "V"):
        return
    if options.has("S", "stdin", "A", "askpass"):
        yield SUDO_PASSWORD.found(command)
    user = options.value("u", "user")
    if user is not None and user.raw in {"#-1", "#4294967295"}:
        yield ROOT_SHELL.found(command)
    if options.has("s", "shell") and not options.has("i", "login"):
        yield ROOT_SHELL.found(command)
    kept = options.value("preserve-env")
    names = {
        *(kept.raw.split(",") if kept is not None else ()),
        *(command.assignments if options.has("E", "preserve-env") else ()),
    } & _LOADS
    for name in sorted(names):
        yield PRELOAD.found(command, path=name)
    for word in options.operands:
        name, equals, _value = word.raw.partition("=")
        if not equals or not name.isidentifier():
            break
        if name in _LOADS:
            yield PRELOAD.found(command, path=name)


_PLANTED: dict[str, re.Pattern[str]] = {
    "LD_PRELOAD": re.compile(r"(?!/(?:usr/)?(?:local/)?lib(?:32|64|exec)?/|/opt/homebrew/)[^\s\ue000]*/"),
    "LD_AUDIT": re.compile(r"[^\s\ue000]*/"),
    "DYLD_INSERT_LIBRARIES": re.compile(r"(?!/usr/lib/|/opt/homebrew/)[^\s\ue000]*/"),
    "BASH_ENV": re.compile(r"[^\s]"),
    "ENV": re.compile(r"[./~].*/|/"),
    "PYTHONSTARTUP": re.compile(r"/(?:tmp|var/tmp|dev/shm)/|\./"),
    "NODE_OPTIONS": re.compile(r"(?:.*\s)?(?:-r|--require|--import|--loader)[\s=]+(?:/tmp/|/var/tmp/|/dev/shm/|data:)"),
    "PERL5OPT": re.compile(r"(?:.*\s)?-(?:M|I)\S*/"),
    "RUBYOPT": re.compile(r"(?:.*\s)?-(?:r|I)\s*[./]"),
    # A folder that anybody may write stands before those of the system; folders of programs in it are fine.
    "PATH": re.compile(
        r"(?:.*:)?(?:\.(?=:)|/(?:tmp|var/tmp|dev/shm)(?:(?!/bin(?::|/?\Z)|/\.bin(?::|\Z))[^:])*(?=:))", re.DOTALL
    ),
}


@FAMILY.judges("*")
def planted(command: Command, _: Context) -> Iterator[Finding]:
    """Variables that make the next program load or find something else."""
    given = command.assignments
    if not given and command.program not in {"export", "declare", "typeset", "env"}:
        return
    if command.program in {"export", "declare", "typeset", "env"}:
        pairs = [word.raw.partition("=") for word in command.args if "=" in word.raw]
        given = {**given, **{name: value for name, _, value in pairs}}
    for name in given.keys() & _PLANTED.keys():
        if name == "ENV" and command.program not in SHELLS:
            continue  # only shells take it for a file
        if _PLANTED[name].match(given[name][:1000]):
            yield LOADED.found(command, path=name)


@FAMILY.judges("*")
def loaded(command: Command, _: Context) -> Iterator[Finding]:
    """Assignments that reach a program through sudo and env."""
    if command.assignments and command.as_root and command.program != "sudo":
        wrapper = command.wrappers[-1].program if command.wrappers else ""
        name = next((name for name in command.assignments if name in _LOADS), "")
        if name and wrapper == "env":
            yield PRELOAD.found(command, path=name)


@FAMILY.judges("su", "runuser")
def su(command: Command, _: Context) -> Iterator[Finding]:
    """Other users' shells."""
    options = parse(
        command,
        Spec(
            "c= command= session-command= l login m p preserve-environment s= shell= "
            "g= group= G= supp-group= u= user= f fast P pty "
            "w= help version h V"
        ),
    )
    if options.helps or options.has("h", "V"):
        return
    if command.program == "runuser":
        if options.has("u", "user") or not options.has("l", "login", "c", "command"):
            return
    else:
        if command.stdin is not None and not command.as_root:
            yield SUDO_PASSWORD.found(command)
        user = next((word for word in options.operands if word.raw != "-"), None)
        if options.has("c", "command") and user is not None and user.certain and user.raw not in {"root", "0"}:
            return  # what it runs is judged on its own
    yield ROOT_SHELL.found(command)


_RUN0 = Spec(
    "u= user= g= group= D= chdir= setenv= E= unit= property= slice= nice= background= help version", posix=True
)


@FAMILY.judges("run0")
def run0(command: Command, _: Context) -> Iterator[Finding]:
    """A shell by way of the service manager."""
    options = parse(command, _RUN0)
    if not options.helps and (not options.operands or options.subcommand().rsplit("/", 1)[-1] in SHELLS):
        yield ROOT_SHELL.found(command)


def _becomes_root(wrapper: Wrapper) -> bool:
    if wrapper.program in {"gosu", "su-exec"}:
        return any(text.split(":")[0] in {"root", "0"} for text in wrapper.argv[1:2])
    return wrapper.program == "setpriv" and any(text.startswith(("--reuid=0", "--reuid=root")) for text in wrapper.argv)


@FAMILY.judges(*sorted(SHELLS))
def shell(command: Command, _: Context) -> Iterator[Finding]:
    """A shell of root that nobody has told what to do."""
    root = command.as_root or command.wrapped_by("chroot") or any(map(_becomes_root, command.wrappers))
    if root and command.stdin is None and (not command.contained or command.wrapped_by("chroot")):
        texts = [word.raw for word in command.args]
        if all(text in {"-", "-i", "-l", "-p", "-il", "-li", "--login", "--norc", "--noprofile"} for text in texts):
            yield ROOT_SHELL.found(command)


@FAMILY.judges("vim", "vi", "nvim", "ex", "less", "more", "view", "rvim", "capsh", "emacs", "ed")
def editor_shell(command: Command, _: Context) -> Iterator[Finding]:
    """Programs of root that are told to open a shell."""
    texts = [word.raw for word in command.args]
    if command.program == "capsh":
        if "--" in texts or any(text.startswith(("--uid=0", "--user=root")) for text in texts):
            yield ROOT_SHELL.found(command)
    elif command.as_root and (
        any(
            re.search(r"!\S|system\(|\bshell\b|py3?(?:thon3?)? |\(term|lua ", text)
            for text in texts
            if " " in text or text[:1] in "+:!" or "!" in text
        )
    ):
        yield ROOT_SHELL.found(command)


_TOOLS = (
    "hydra medusa ncrack patator crowbar crackmapexec cme netexec nxc kerbrute brutespray "
    "john hashcat aircrack-ng aireplay-ng msfconsole msfvenom responder "
    "Responder.py evil-winrm linpeas.sh linpeas winpeas.exe mimikatz mimikatz.exe bettercap "
    "ettercap arpspoof sqlmap wpscan beef-xss setoolkit "
    "impacket-secretsdump impacket-psexec secretsdump.py psexec.py wmiexec.py chisel "
    "ligolo hping3 slowloris reaver pspy64 sucrack sudo_killer.sh xmrig minerd cgminer"
)


@FAMILY.judges(*_TOOLS.split())
def attack_tools(command: Command, _: Context) -> Iterator[Finding]:
    """Tools whose only use is to break in."""
    texts = {word.raw for word in command.args}
    if not texts & {"--help", "-h", "--version", "-V", "-hh"} and not any(text.startswith("--list") for text in texts):
        yield GUESSING.found(command)


@FAMILY.judges("sshpass")
def sshpass(command: Command, _: Context) -> Iterator[Finding]:
    """Passwords for ssh on the command line."""
    if command.args and command.args[0].raw not in {"-h", "-V"}:
        yield SCRIPTED.found(command)


_ESCAPES: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(
        ("apt", "apt-get", "aptitude"),
        re.compile(r"(?:.* )?(?:-o ?|--option[= ])\S*(?:Invoke|Changelogs|Pager)", re.IGNORECASE),
    ),
    **dict.fromkeys(
        ("gdb", "lldb"), re.compile(r"(?:.* )?-(?:ex|o|iex|-one-line) ?=?(?:!|shell|python|script|platform shell)")
    ),
    "zip": re.compile(r"(?:.* )?(?:-TT|--unzip-command)"),
    "tcpdump": re.compile(r"(?:.* )?-z ?\S"),
    **dict.fromkeys(("gcc", "cc", "g++"), re.compile(r"(?:.* )?-wrapper ")),
    **dict.fromkeys(
        ("mysql", "mariadb", "psql", "sqlite3"),
        re.compile(r"(?:.*[\s;'\"])?(?:\\!|\\copy .* program|\.shell|\.system|system )", re.IGNORECASE | re.DOTALL),
    ),
    "nmap": re.compile(r"(?:.* )?(?:--interactive|--script[= ]\S*/)"),
    "socat": re.compile(r"(?:.*[\s])?(?:exec|system|shell):", re.IGNORECASE),
    "man": re.compile(r"(?:.* )?(?:-P|--pager[= ]) ?(?!cat\b|less\b|more\b|bat\b|most\b)\S"),
    "make": re.compile(r"(?:.* )?(?:--eval[= ]|SHELL=)", re.DOTALL),
    "git": re.compile(r"(?:.* )?grep (?:.* )?(?:--open-files-in-pager=|-O)(?!less\b|vim?\b|code\b|more\b)\S"),
    "yum": re.compile(r"(?:.* )?--setopt=.*plugin|(?:.* )?-c ?/tmp"),
    "rpm": re.compile(r"(?:.* )?(?:--eval|-E) .*(?:lua|%\()", re.DOTALL),
    "wget": re.compile(r"(?:.* )?--use-askpass[= ]\S"),
    "sysctl": re.compile(r"(?:.* )?kernel\.core_pattern=.*\|"),
    "split": re.compile(r"(?:.* )?--filter[= ]"),
    "sort": re.compile(r"(?:.* )?--compress-program[= ]"),
    "less": re.compile(r"(?:.* )?\+?!"),
    "logrotate": re.compile(r"(?:.* )?-f .*/tmp/"),
    "run-parts": re.compile(r"(?!--(?:test|list)).*/(?:tmp|home)"),
}


@FAMILY.judges(*_ESCAPES)
def escapes(command: Command, _: Context) -> Iterator[Finding]:
    """Options of ordinary programs that run another one."""
    line = " ".join(word.raw for word in command.args)[:600]
    if _ESCAPES[command.program or ""].match(line):
        yield ESCAPE.found(command, path=line[:80])


@FAMILY.judges("machinectl", "nsenter")
def entered(command: Command, _: Context) -> Iterator[Finding]:
    """Shells of the machine from elsewhere."""
    texts = [word.raw for word in command.args]
    if command.program == "machinectl":
        if texts[:1] in (["shell"], ["login"]):
            yield ROOT_SHELL.found(command)
        return
    options = parse(
        command,
        Spec(
            "a t= m? u? i? n? p? U? C? T? r? w? F S= G= target= all mount? uts? ipc? net? pid? user? root? wd?",
            posix=True,
        ),
    )
    target = options.value("t", "target")
    if target is not None and target.raw == "1":
        yield ROOT_SHELL.found(command)


@FAMILY.judges("visudo", "vipw", "vigr")
def visudo(command: Command, _: Context) -> Iterator[Finding]:
    """Editors of who may do what."""
    options = parse(command, Spec("c f= h I O P q s V x= check file= help version strict quiet owner perms"))
    if not options.helps and not options.has("c", "check", "V", "h"):
        yield SUDOERS.found(command)


_ACCOUNTS = [
    "useradd",
    "adduser",
    "usermod",
    "userdel",
    "deluser",
    "groupadd",
    "addgroup",
    "groupmod",
    "groupdel",
    "delgroup",
    "gpasswd",
    "chpasswd",
    "chgpasswd",
    "newusers",
    "passwd",
    "chage",
    "chsh",
    "chfn",
    "pwconv",
    "pwunconv",
    "grpconv",
    "grpunconv",
    "lusermod",
    "luseradd",
    "smbpasswd",
    "pdbedit",
    "samba-tool",
    "homectl",
    "userdbctl",
    "lpasswd",
    "kpasswd",
    "ypchsh",
    "vpasswd",
]


@FAMILY.judges(*_ACCOUNTS)
def account(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that change accounts; what they only show is fine."""
    texts = {word.raw for word in command.args}
    if command.contained or texts & {"--help", "-h", "--version", "-V"}:
        return
    program = command.program or ""
    shows = {
        "passwd": {"-S", "--status", "-Sa", "-aS"},
        "chage": {"-l", "--list"},
        "useradd": {"-D", "--defaults"},
        "chsh": {"-l", "--list-shells"},
        "pdbedit": {"-L", "--list", "-Lv"},
        "homectl": {"list", "inspect"},
        "userdbctl": {"user", "users", "group", "groups", "services"},
    }.get(program, set())
    if texts & shows and not (program == "useradd" and len(texts) > 1):
        return
    operands = [word.text for word in command.args if not word.raw.startswith("-")]
    yield ACCOUNT.found(command, path=" ".join(operands)[:80] or program)


_GROUPS = frozenset(
    ["docker", "sudo", "wheel", "root", "disk", "lxd", "adm", "admin", "shadow", "kvm", "libvirt", "podman"]
)


@FAMILY.judges(
    "newgrp",
    "sg",
    "dscl",
    "sysadminctl",
    "dseditgroup",
    "net",
    "net.exe",
    "pw",
    "New-LocalUser",
    "Add-LocalGroupMember",
)
def other_accounts(command: Command, _: Context) -> Iterator[Finding]:
    """Accounts on other systems, and groups that are as good as root."""
    texts = [word.raw for word in command.args]
    lower = [text.lower() for text in texts]
    program = (command.program or "").removesuffix(".exe")
    changes = {
        "newgrp": bool(set(texts) & _GROUPS),
        "sg": bool(set(texts[:2]) & _GROUPS),
        "dscl": any(
            text.lstrip("-") in {"create", "passwd", "append", "merge", "delete", "change", "changei"} for text in lower
        ),
        "sysadminctl": any(
            text.startswith(
                (
                    "-adduser",
                    "-deleteuser",
                    "-resetpassword",
                    "-newpassword",
                    "-secureton",
                    "-securetoken",
                    "-guestaccount",
                )
            )
            for text in lower
        ),
        "dseditgroup": "edit" in lower or "create" in lower or "delete" in lower,
        "net": lower[:1] in (["user"], ["localgroup"], ["group"], ["accounts"])
        and (
            any(text.startswith(("/add", "/delete", "/active")) for text in lower)
            or (lower[0] == "user" and len(lower) > 2)
        ),
        "pw": any(
            text.startswith(("useradd", "usermod", "userdel", "groupadd", "groupmod", "groupdel")) for text in lower
        )
        or lower[1:2] in (["add"], ["mod"], ["del"]),
    }
    if changes.get(program, True):
        yield ACCOUNT.found(command, path=" ".join(texts)[:80])


@FAMILY.judges("setcap", "filecap", "setpcaps")
def capability(command: Command, _: Context) -> Iterator[Finding]:
    """Capabilities of files."""
    texts = [word.raw for word in command.args]
    if texts and not {"-v", "-h", "--help"} & set(texts) and not (command.program == "filecap" and len(texts) < 2):
        yield CAPABILITY.found(command, path=texts[-1])


_PROTECTIONS: dict[str, re.Pattern[str] | None] = {
    "setenforce": re.compile(r"(?:0|permissive)\b", re.IGNORECASE),
    "spctl": re.compile(r".*--(?:master-disable|global-disable|add|disable|remove)\b"),
    "csrutil": re.compile(r"(?:disable|clear|enable --without|authenticated-root disable)"),
    "security": re.compile(
        r"(?:-\w+ )*(?:add-trusted-cert|authorizationdb (?:write|remove)|set-keychain-settings|"
        r"unlock-keychain|delete-keychain|set-key-partition-list)\b"
    ),
    "trust": re.compile(r"anchor (?!--remove)"),
    "tccutil": re.compile(r"reset\b"),
    "auditctl": re.compile(r".*-(?:e ?0|D)\b"),
    "faillock": re.compile(r".*--reset\b"),
    "mkcert": re.compile(r"-install\b"),
    "aa-disable": None,
    "aa-complain": None,
    "aa-teardown": None,
    "update-ca-certificates": None,
    "update-ca-trust": None,
    "pam-auth-update": None,
    "authconfig": None,
    "authselect": re.compile(r"(?:select|enable-feature|disable-feature|apply-changes)\b"),
    "fdesetup": re.compile(r"(?:disable|removerecovery|add)\b"),
    "semanage": re.compile(r"(?:permissive|boolean|fcontext|port|login|user) (?:-a|-d|-m|--add|--delete|--modify)\b"),
    "setsebool": None,
}


@FAMILY.judges(*_PROTECTIONS)
def protection(command: Command, _: Context) -> Iterator[Finding]:
    """Protections of the machine."""
    texts = [word.raw for word in command.args]
    if "--help" in texts or "-h" in texts:
        return
    wanted = _PROTECTIONS[command.program or ""]
    line = " ".join(texts)[:400]
    if wanted is None or wanted.match(line):
        yield PROTECTION.found(command, path=line[:80])


@FAMILY.judges("expect", "osascript", "autoexpect", "pexpect")
def scripted(command: Command, _: Context) -> Iterator[Finding]:
    """Scripts that answer a login."""
    text = " ".join(word.raw for word in command.args)[:4000]
    if command.stdin is not None and command.stdin.text:
        text += "\n" + command.stdin.text[:4000]
    if "with administrator privileges" in text or re.search(
        r"\bspawn\b[^\n;]{0,80}\b(?:sudo|su|doas|passwd|ssh|login)\b", text
    ):
        yield SCRIPTED.found(command)
