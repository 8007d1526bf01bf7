"""Persistence: what makes a command run later or again, and what would switch the agent's own supervision off."""

import re
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.argv.options import parse_words
from hermes_guard.rules.family import Context, Family
from hermes_guard.rules.writes import GIT
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

FAMILY = Family("persistence")

CRON = FAMILY.rule(
    "persistence.schedule",
    "changes what runs on a schedule: {path}",
    effects=("exec", "write"),
    match=(
        "crontab -e",
        "crontab -r",
        "crontab jobs.txt",
        "echo '* * * * * x' | crontab -",
        "(crontab -l; echo x) | crontab -",
        "crontab -u root f",
        "echo x | at now + 1 minute",
        "at -f job.sh noon",
        "batch < job.sh",
        "systemd-run --on-calendar=daily ls",
        "systemd-run --user --on-active=5m ls",
        "schtasks /create /tn x /tr y",
        "crontab < f",
        "atrm 3",
        "crontab -ir",
    ),
    not_match=(
        "crontab -l",
        "crontab -u bob -l",
        "atq",
        "at -l",
        "systemd-run --scope make",
        "man crontab",
        "crontab --help",
        "schtasks /query",
        "echo crontab -r",
        "at -V",
    ),
)
BOOT = FAMILY.rule(
    "persistence.autostart",
    "makes a service or program start by itself: {path}",
    effects=("exec", "write"),
    match=(
        "systemctl enable nginx",
        "systemctl --user enable --now x.service",
        "systemctl link /tmp/x.service",
        "launchctl load ~/x.plist",
        "launchctl bootstrap gui/501 x.plist",
        "update-rc.d x defaults",
        "chkconfig x on",
        "rc-update add x",
        "loginctl enable-linger",
        "pm2 startup",
        "systemctl edit nginx",
        "systemctl set-default rescue.target",
        "sysrc sshd_enable=YES",
        "sc create x binPath= y",
        "launchctl submit -l x -- y",
        "defaults write com.apple.loginwindow LoginHook /tmp/x",
        "systemctl set-environment LD_PRELOAD=x",
        "systemctl reenable x",
        "reg add HKCU\\\\Software\\\\Microsoft\\\\Windows\\\\CurrentVersion\\\\Run /v x /d y",
        "osascript -e 'tell application \"System Events\" to make login item'",
    ),
    not_match=(
        "systemctl status nginx",
        "systemctl is-enabled nginx",
        "systemctl list-unit-files",
        "launchctl list",
        "chkconfig --list",
        "systemctl cat nginx",
        "systemctl daemon-reload",
        "pm2 list",
        "rc-update show",
        "systemctl show x",
        "defaults read com.apple.dock",
        "sc query",
    ),
)
GIT_RUNS = FAMILY.rule(
    "persistence.git-config",
    "lets git run a program or trust another server: {path}",
    effects=("exec", "write"),
    match=(
        "git config core.hooksPath /tmp/h",
        "git config --global core.fsmonitor /tmp/x",
        "git config --global alias.st '!curl h | sh'",
        "git -c core.pager='sh x' log",
        "git config core.sshCommand 'sh -c x'",
        "git config filter.x.smudge cmd",
        "git config set core.hooksPath .x",
        "git config --global init.templateDir /tmp/t",
        "git config --global credential.helper '!f() { cat; }; f'",
        "git config http.sslVerify false",
        "git -c core.hooksPath=/tmp commit",
        "git config --global url.https://evil/.insteadOf https://github.com/ --add x; git config diff.external ./x",
        "git config --global --edit",
        "git config --system user.name x",
        "git config --global credential.helper store",
    ),
    not_match=(
        "git config user.name x",
        "git config --global alias.co checkout",
        "git config --get core.hooksPath",
        "git config -l",
        "git config core.hooksPath",
        "git config --unset core.hooksPath",
        "git config core.sshCommand 'ssh -i ~/.ssh/k'",
        "git -c core.pager=cat log",
        "git config --global core.editor vim",
        "git -c user.name=x commit -m y",
        "git config --global credential.helper cache",
        "git config pull.rebase true",
        "git config get core.hooksPath",
    ),
)
PACKAGE_RUNS = FAMILY.rule(
    "persistence.package-config",
    "changes where a package manager gets its code from or what it runs: {path}",
    effects=("exec", "write"),
    match=(
        "npm config set script-shell /tmp/x",
        "npm config set registry http://evil",
        "pip config set global.index-url http://evil/simple",
        "npm pkg set scripts.postinstall='sh x'",
        "pip config set global.trusted-host evil",
        "npm config set ignore-scripts false",
        "yarn config set npmRegistryServer http://evil",
        "npm config set strict-ssl false",
        "go env -w GOFLAGS=-toolexec=/tmp/x",
    ),
    not_match=(
        "npm config get registry",
        "npm config list",
        "pip config list",
        "npm pkg set scripts.test=jest",
        "npm config set registry https://registry.npmjs.org/",
        "npm config set save-exact true",
        "pip config get global.index-url",
        "go env GOPATH",
        "npm pkg get name",
    ),
)
SSH_RUNS = FAMILY.rule(
    "persistence.hidden-command",
    "runs a command out of an option or variable: {path}",
    effects=("exec",),
    match=(
        "ssh -o ProxyCommand='sh -c x' h",
        "ssh -oLocalCommand=/tmp/x -oPermitLocalCommand=yes h",
        "GIT_SSH_COMMAND='sh -c id' git fetch",
        "scp -S /tmp/x f h:",
        "rsync -e 'sh -c x' a h:b",
        "ssh -o KnownHostsCommand=/tmp/x h",
        "GIT_PAGER='sh -c x' git log",
        "PAGER=/tmp/x man ls",
    ),
    not_match=(
        "ssh -o ProxyCommand='ssh -W %h:%p b' h",
        "ssh -o StrictHostKeyChecking=no h",
        "GIT_SSH_COMMAND='ssh -i k' git fetch",
        "rsync -e ssh a h:b",
        "rsync -e 'ssh -p 22' a h:b",
        "GIT_EDITOR=true git rebase --continue",
        "PAGER=cat git log",
        "EDITOR=vim git commit",
        "GIT_PAGER= git log",
    ),
)
SELF_STOP = FAMILY.rule(
    "self.gateway",
    "stops, restarts or replaces the agent itself: {path}",
    effects=("privileged",),
    match=(
        "hermes gateway stop",
        "hermes gateway restart",
        "hermes update",
        "hermes --profile x gateway stop",
        "hermes uninstall",
        "python -m hermes_cli.main gateway stop",
        "hermes gateway run &",
        "nohup hermes gateway run",
        "setsid hermes gateway run",
        "hermes gateway run & disown",
        "uv run hermes gateway restart",
        "nohup python cli.py --gateway &",
        "tmux kill-session -t hermes",
    ),
    not_match=(
        "hermes gateway status",
        "hermes gateway run",
        "hermes --version",
        "hermes tools",
        "echo hermes update",
        "hermes gateway --help",
        "hermes update --check",
    ),
)
SELF_KILL = FAMILY.rule(
    "self.kill",
    "ends the agent's own process: {path}",
    effects=("privileged",),
    match=(
        "pkill hermes",
        "pkill -f gateway",
        "killall hermes",
        "pkill -f cli.py",
        "kill $(pgrep -f hermes)",
        "pgrep hermes | xargs kill",
        "pkill -9 -f 'hermes.*gateway'",
        "kill `pidof hermes`",
        "kill $(cat ~/.hermes/gateway.pid)",
        "killall -9 hermes-gateway",
    ),
    not_match=("pgrep hermes", "pkill -f nginx", "kill 12345", "ps aux | grep hermes", "killall -l", "pkill -0 hermes"),
)
SELF_RULES = FAMILY.rule(
    "self.approvals",
    "changes what the agent may do unasked: {path}",
    effects=("privileged", "write"),
    match=(
        "hermes approvals approve 3",
        "hermes approvals add 'rm *'",
        "hermes config set approvals.mode off",
        "hermes plugin trust x",
        "hermes lock accept",
        "hermes config unset x",
        "HERMES_YOLO_MODE=1 hermes chat",
        "export HERMES_YOLO_MODE=1",
        "hermes --yolo",
        "hermes -p x approvals revoke y",
        "hermes plugins install x",
        "hermes cron create x",
        "hermes mcp add x",
        "hermes skills install x",
        "python -m hermes_core approvals approve 1",
    ),
    not_match=(
        "hermes approvals list",
        "hermes approvals pending",
        "hermes config get approvals.mode",
        "hermes policy check f",
        "hermes policy explain x",
        "hermes plugin check .",
        "hermes plugins",
        "hermes lock check",
        "hermes audit tail",
        "hermes approvals",
        "hermes config show",
        "hermes plugin new x",
        "hermes approvals deny 3",
        "unset HERMES_YOLO_MODE",
        "hermes approvals export",
    ),
)

# Schedules


@FAMILY.judges("crontab", "fcrontab", "incrontab")
def crontab(command: Command, _: Context) -> Iterator[Finding]:
    """Everything but a look at the table."""
    options = parse(command, Spec("u= l e r i s n= c= V h T= help version"))
    if options.helps or options.has("V", "h", "T"):
        return
    if options.has("l") and not options.has("r", "e"):
        return
    if options.operands or options.has("r", "e") or command.stdin is not None or command.wrappers or not options.given:
        yield CRON.found(command, path=" ".join(command.texts[1:])[:80] or "its input")


@FAMILY.judges("at", "batch", "atrm")
def at(command: Command, _: Context) -> Iterator[Finding]:
    """Jobs for later."""
    options = parse(command, Spec("V q= f= m M l b v k c t= d r help version"))
    if (
        not options.helps
        and not options.has("V", "l", "c")
        and (command.args or command.stdin is not None or command.program == "batch")
    ):
        yield CRON.found(command, path=" ".join(command.texts[1:])[:80])


@FAMILY.judges("systemd-run", "schtasks", "schtasks.exe")
def timers(command: Command, _: Context) -> Iterator[Finding]:
    """Timers of services."""
    texts = [word.raw for word in command.args]
    if command.program == "systemd-run":
        if any(
            text.startswith(("--on-", "--timer-property", "--path-property", "--socket-property")) for text in texts
        ):
            yield CRON.found(command, path=" ".join(command.texts[1:])[:80])
    elif any(text.lower() in {"/create", "/change", "/delete", "/run", "/end", "-create"} for text in texts):
        yield CRON.found(command, path=" ".join(command.texts[1:])[:80])


# Services that start by themselves

_SYSTEMCTL = Spec(
    "H= host= M= machine= t= type= p= property= s= signal= n= lines= o= output= job-mode= "
    "root= f force q quiet now no-wall user system global no-block "
    "no-pager no-ask-password runtime l full a all help version dry-run"
)
_ENABLING = frozenset(
    [
        "enable",
        "reenable",
        "link",
        "edit",
        "set-default",
        "preset",
        "preset-all",
        "add-wants",
        "add-requires",
        "unmask",
        "revert",
        "set-property",
        "set-environment",
        "import-environment",
        "bind",
        "mount-image",
    ]
)


@FAMILY.judges("systemctl", "loginctl")
def systemctl(command: Command, _: Context) -> Iterator[Finding]:
    """Verbs that make something start at boot or login."""
    options = parse(command, _SYSTEMCTL)
    verb = options.subcommand()
    if options.helps or options.has("dry-run"):
        return
    if (command.program == "systemctl" and verb in _ENABLING) or verb == "enable-linger":
        yield BOOT.found(command, path=" ".join(word.text for word in options.operands[1:])[:80] or verb)


_AUTOSTART: dict[str, re.Pattern[str]] = {
    "launchctl": re.compile(r"(?:load|bootstrap|submit|enable|setenv|config|asuser|start|kickstart)\b"),
    "update-rc.d": re.compile(r"(?:-\w+ )*\S+ (?:defaults|enable|disable|remove|start)\b"),
    "chkconfig": re.compile(r"--(?:add|del|level)\b|\S+ (?:on|off|reset)\b"),
    "rc-update": re.compile(r"(?:-\w+ )*(?:add|del|delete)\b|\S+ (?:add|del)\b"),
    "insserv": re.compile(r"(?!-[hs]).*\S"),
    "sysv-rc-conf": re.compile(r".*\b(?:on|off)\b"),
    "sysrc": re.compile(r".*="),
    "pm2": re.compile(r"startup\b|unstartup\b"),
    "sc": re.compile(r"(?:\\\\\S+ )?(?:create|config|delete|failure)\b", re.IGNORECASE),
    "sc.exe": re.compile(r"(?:create|config|delete|failure)\b", re.IGNORECASE),
    "reg": re.compile(
        r"(?:add|import|delete|restore)\b.*(?:\\+Run|Winlogon|Services|Image File Execution|"
        r"Policies|hklm|hkey_local_machine)",
        re.IGNORECASE,
    ),
    "defaults": re.compile(
        r"(?:-\w+ )*write\b.*(?:loginwindow|LoginHook|LogoutHook|LaunchAgents|LaunchDaemons|"
        r"LSQuarantine|AutoLaunchedApplicationDictionary|screensaver|Gatekeeper|/Library/Preferences)"
    ),
    "osascript": re.compile(r".*make (?:new )?login item", re.DOTALL),
    "plutil": re.compile(r"-(?:insert|replace|remove)\b.*Launch(?:Agents|Daemons)"),
    "gsettings": re.compile(r"set \S*(?:media-keys|startup|autorun)"),
    "brew": re.compile(r"services start --all"),
    "kwriteconfig5": re.compile(r".*autostart"),
    "wsl.exe": re.compile(r"--unregister"),
    "bcdedit": re.compile(r"/set\b"),
}


@FAMILY.judges(*_AUTOSTART)
def autostart(command: Command, _: Context) -> Iterator[Finding]:
    """The same on other systems."""
    line = " ".join(word.raw for word in command.args)[:1000]
    if "--help" not in line and _AUTOSTART[command.program or ""].match(line):
        yield BOOT.found(command, path=line[:80])


# Settings that run programs

_GIT_KEYS = re.compile(
    r"core\.(?:hookspath|fsmonitor|sshcommand|gitproxy|pager|editor|askpass|attributesfile|"
    r"alternaterefscommand|worktree)\Z|"
    r"alias\..+|filter\..+\.(?:clean|smudge|process)\Z|diff\.(?:external|.+\.(?:textconv|"
    r"command))\Z|merge\..+\.driver\Z|(?:diff|merge)tool\..+\.cmd\Z|"
    r"gpg\.(?:.+\.)?program\Z|init\.templatedir\Z|credential\.(?:.+\.)?helper\Z|sequence\.editor\Z|"
    r"include(?:if\..+)?\.path\Z|"
    r"http\.(?:.+\.)?(?:sslverify|proxy)\Z|protocol\.(?:.+\.)?allow\Z|remote\..+\.(?:uploadpack|"
    r"receivepack|vcs|proxy)\Z|pager\..+|"
    r"interactive\.difffilter\Z|uploadpack\..+|receive\.deny\w+\Z|sendemail\.\w*cmd\Z|"
    r"trailer\..+\.(?:command|cmd)\Z|browser\..+\.(?:cmd|path)\Z|"
    r"man\..+\.cmd\Z|submodule\..+\.update\Z|fsck\.\w+\Z|transfer\.fsckobjects\Z|safe\.barerepository\Z"
)
_EDITORS = re.compile(
    r"[\"']?(?:\S*/)?(?:vim?|nvim|nano|emacs|emacsclient|code|code-insiders|subl|micro|"
    r"helix|hx|cat|less|more|delta|bat|diff-so-fancy|true|false|:|true;|"
    r"cursor|idea|zed|mate|gedit|kate|notepad\S*|most|ydiff|diff-highlight|tig|pico|joe|"
    r"ed|ex|kak|atom|mg|meld)?(?:[\"']?(?: [^;|&$`<>]*)?)\Z"
)
_SSH_VALUE = re.compile(r"(?:\S*/)?(?:ssh|plink|autossh)(?: [^;|&$`<>]*)?\Z")
_HELPERS = re.compile(
    r"(?:cache|osxkeychain|libsecret|manager(?:-core)?|wincred|gnome-keyring|gh auth "
    r"git-credential|!gh auth git-credential|"
    r"!?(?:/\S+/)?gh auth git-credential|!aws codecommit credential-helper \$@|!?gcloud\.sh|"
    r"!gcloud auth git-helper \S*|oauth|)(?: .*)?\Z"
)


def _git_runs(key: str, value: str) -> bool:
    """Whether a setting of git makes it run a foreign program or trust a foreign server."""
    key = key.lower()
    if not _GIT_KEYS.match(key):
        return False
    if key.startswith("alias."):
        return value.lstrip().startswith("!")
    if key == "core.sshcommand":
        return not _SSH_VALUE.match(value) or "proxycommand" in value.lower()
    if key in {"core.editor", "core.pager", "sequence.editor", "interactive.difffilter"} or key.startswith("pager."):
        return not _EDITORS.match(value) and value not in {"true", "false"}
    if key.endswith(".helper"):
        return not _HELPERS.match(value)
    if key.endswith("sslverify"):
        return value.lower() in {"false", "0", "no", "off"}
    if key.endswith(".proxy") and key.startswith("http"):
        return False
    if key == "core.fsmonitor":
        return value.lower() not in {"true", "false", "0", "1"}
    if key.startswith("filter.lfs."):
        return not value.startswith("git-lfs ")
    if key.endswith(".update"):
        return value.startswith("!")
    if key.startswith(("receive.", "fsck.", "transfer.", "uploadpack.", "safe.")):
        return value.lower() in {"false", "ignore"} or "hook" in key
    if key.startswith("gpg."):
        return not re.match(r"(?:/\S+/)?(?:gpg2?|ssh-keygen|gpgsm|op-ssh-sign|smimesign)\Z", value)
    if key == "core.attributesfile" or key.endswith(".cmd"):
        return key.endswith(".cmd") and not re.match(
            r"(?:code|meld|kdiff3|vim|nvim|bcomp\w*|p4merge|opendiff|idea|cursor|difft)\b[^;|&`]*\Z", value
        )
    return True


_GIT_CONFIG = Spec(
    "f= file= blob= t= type= e l z add replace-all get get-all get-regexp get-urlmatch "
    "unset unset-all list edit global system local worktree "
    "show-origin show-scope name-only default= comment= fixed-value bool int path remove-section "
    "rename-section null includes value= url= all"
)


@FAMILY.judges("git")
def git(command: Command, context: Context) -> Iterator[Finding]:
    """Settings for one command, and those that stay."""
    options = parse(command, GIT)
    for word in options.values("c"):
        key, _, value = word.raw.partition("=")
        if _git_runs(key, value):
            yield GIT_RUNS.found(command, path=word.text)
            yield from _code(value.lstrip("!"), command, context)
    if options.subcommand() == "clone":
        after = parse_words(options.operands[1:], Spec("c= config= u= upload-pack= template= b= o= depth= branch="))
        for word in after.values("c", "config"):
            key, _, value = word.raw.partition("=")
            if _git_runs(key, value):
                yield GIT_RUNS.found(command, path=word.text)
        if after.has("u", "upload-pack") or any(word.raw.startswith("ext::") for word in after.operands):
            yield GIT_RUNS.found(command, path=" ".join(command.texts)[:80])
        return
    if options.subcommand() != "config" or options.helps:
        return
    after = parse_words(options.operands[1:], _GIT_CONFIG)
    words = after.operands
    verb = words[0].raw if words else ""
    if verb in {"set", "edit"}:
        words = words[1:]
    elif verb in {"get", "list", "unset", "remove-section", "rename-section", "get-color"}:
        return
    if after.has("e", "edit") or verb == "edit":
        yield GIT_RUNS.found(command, path="the whole file")
        return
    if (
        after.has("get", "get-all", "get-regexp", "get-urlmatch", "l", "list", "unset", "unset-all", "remove-section")
        or len(words) < 2
    ):
        return
    key, value = words[0].raw, words[1].raw
    if _git_runs(key, value) or after.has("system"):
        yield GIT_RUNS.found(command, path=f"{words[0].text} {words[1].text}"[:80])
        if value.startswith("!"):
            yield from _code(value[1:], command, context)


def _code(text: str, command: Command, context: Context) -> list[Finding]:
    return context.judge_code(text, command) if text.strip(HOLE).strip() else []


@FAMILY.judges("npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "gem", "go", "cargo", "conda", "composer", "bundle")
def packages(command: Command, _: Context) -> Iterator[Finding]:
    """Where packages come from, and the scripts that run with them."""
    words = [word.raw for word in command.args if not word.raw.startswith("-") or word.raw == "-w"]
    program = command.program or ""
    line = " ".join(words)[:400]
    if (
        words[:2] == ["config", "set"]
        or (program in {"npm", "pnpm"} and words[:1] == ["set"])
        or (program in {"conda", "bundle"} and words[:1] == ["config"])
    ):
        rest = line.partition("set ")[2] if "set " in line else line
        key, _space, value = rest.replace("=", " ", 1).partition(" ")
        if _package_runs(key.lower(), value.strip()):
            yield PACKAGE_RUNS.found(command, path=rest[:80])
    elif words[:2] == ["pkg", "set"] or words[:1] == ["set-script"]:
        if re.search(r"(?:scripts\.|set-script )(?:pre|post|install|prepare)", line):
            yield PACKAGE_RUNS.found(command, path=line[:80])
    elif program == "go" and words[:2] == ["env", "-w"]:
        if re.search(
            r"GOFLAGS=.*(?:toolexec|overlay|exec)|GOSUMDB=off|GONOSUMCHECK|GOINSECURE|GOPROXY=http:|\bCC=|\bGOROOT=",
            line,
        ):
            yield PACKAGE_RUNS.found(command, path=line[:80])
    elif program == "gem" and words[:1] == ["sources"] and {"-a", "--add"} & {word.raw for word in command.args}:
        foreign = not any("https://rubygems.org" in word for word in words)
        yield from [PACKAGE_RUNS.found(command, path=line[:80])] if foreign else []


_TRUSTED = re.compile(
    r"https://(?:registry\.npmjs\.org|registry\.yarnpkg\.com|pypi\.org|registry\.npmmirror\.com|"
    r"npm\.pkg\.github\.com|files\.pythonhosted\.org)(?:/|\Z)"
)


def _package_runs(key: str, value: str) -> bool:
    if re.search(
        r"script-shell|scriptshell|git\b|node-options|init-module|trusted-host|onload-script|"
        r"shell\Z|allow.?scripts|unsafe-perm",
        key,
    ):
        return key not in {"git-tag-version", "git-checks"}
    if key.endswith(("ignore-scripts", "strict-ssl", "ssl_verify", "enablestrictssl", "disable-tls")):
        return value.lower() in {"false", "0", "no"} or key == "disable-tls"
    if re.search(r"registry|index-url|index_url|extra-index|find-links|proxy\Z|channels", key) and not key.startswith(
        "//"
    ):
        if key.endswith("proxy"):
            return False
        return value.startswith("http://") or (not _TRUSTED.match(value) and not value.startswith("https://"))
    return False


_PROXIES = re.compile(
    r"(?:\S*/)?(?:ssh|nc|ncat|netcat|connect(?:-proxy)?|corkscrew|cloudflared|aws|gcloud|"
    r"socat|proxytunnel|tsh|session-manager-plugin|none|websocat|tailscale)"
    r"(?:\Z|\s[^;|&`<>]*\Z)|none\Z",
    re.IGNORECASE,
)
_SSH_KEYS = re.compile(
    r"(ProxyCommand|LocalCommand|KnownHostsCommand|ProxyUseFdpass|PKCS11Provider|SecurityKeyProvider|"
    r"XAuthLocation|Match)[=\s]\s*(.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_SSH = Spec(
    "4 6 A a C f G g K k M N n q s T t V v X x Y y r p? B= b= c= D= E= e= F= I= i= J= L= l= m= O= o= P= Q= R= S= W= w=",
    posix=True,
)
_SCP = Spec("3 4 6 A B C p q r v O R s T c= D= F= i= J= l= o= P= S= X= e= rsh= rsync-path=")


@FAMILY.judges("ssh", "scp", "sftp", "rsync", "autossh", "mosh", "sshfs")
def ssh(command: Command, context: Context) -> Iterator[Finding]:
    """Commands that hide in an option of ssh."""
    program = command.program or ""
    options = parse(command, _SSH if program in {"ssh", "autossh"} else _SCP)
    for word in options.values("o"):
        found = _SSH_KEYS.match(word.raw)
        if found is not None and not (
            found.group(1).lower() == "proxycommand" and _PROXIES.match(found.group(2).removeprefix("exec "))
        ):
            yield SSH_RUNS.found(command, path=word.text)
            yield from _code(found.group(2), command, context)
    shells: list[Word] = (
        options.values("e", "rsh") if program == "rsync" else options.values("S") if program in {"scp", "sftp"} else []
    )
    for word in shells:
        if (
            HOLE not in word.raw
            and not _SSH_VALUE.match(word.raw)
            and not re.match(r"(?:\S*/)?(?:rsh|sshpass|gcloud|docker|kubectl|podman)\b", word.raw)
        ):
            yield SSH_RUNS.found(command, path=word.text)
            yield from _code(word.raw, command, context)


_RUNNING = frozenset(
    [
        "GIT_SSH_COMMAND",
        "GIT_SSH",
        "GIT_EDITOR",
        "GIT_PAGER",
        "GIT_EXTERNAL_DIFF",
        "GIT_PROXY_COMMAND",
        "GIT_SEQUENCE_EDITOR",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "PAGER",
        "EDITOR",
        "VISUAL",
        "MANPAGER",
        "LESSOPEN",
        "LESSCLOSE",
        "BROWSER",
        "PROMPT_COMMAND",
        "BASH_ENV",
        "SYSTEMD_PAGER",
        "SYSTEMD_EDITOR",
        "SUDO_ASKPASS",
        "SUDO_EDITOR",
        "KUBE_EDITOR",
        "RSYNC_RSH",
        "CVS_RSH",
    ]
)


@FAMILY.judges("*")
def variables(command: Command, context: Context) -> Iterator[Finding]:
    """Variables whose value a program runs, and the one that silences the agent's questions."""
    if command.assignments:
        yield from _variables(command.assignments, command, context)
    if command.program in {"export", "declare", "typeset", "readonly", "setx"}:
        given = dict(word.raw.partition("=")[::2] for word in command.args if "=" in word.raw)
        if "HERMES_YOLO_MODE" in given and given["HERMES_YOLO_MODE"].lower() not in {"0", "", "false"}:
            yield SELF_RULES.found(command, path="HERMES_YOLO_MODE")


def _variables(assignments: dict[str, str], command: Command, context: Context) -> Iterator[Finding]:
    for name, value in assignments.items():
        if name in _RUNNING and HOLE not in value:
            if not (
                _EDITORS.match(value)
                or _SSH_VALUE.match(value)
                or re.match(r"(?:sed|perl|echo|bat|col|touch|cp|ln|sort|python3?)\b[^;|&`<>]*\Z", value)
            ):
                yield SSH_RUNS.found(command, path=f"{name}={value}"[:80])
                yield from _code(value, command, context)
            elif "roxyCommand" in value:
                yield SSH_RUNS.found(command, path=f"{name}={value}"[:80])
        elif name == "HERMES_YOLO_MODE" and value.lower() not in {"0", "", "false"}:
            yield SELF_RULES.found(command, path=name)


# The agent itself

_HERMES = Spec(
    "p= profile= home= config= m= model= q= query= yolo v verbose json help version "
    "h c= r= continue? resume= toolsets= t= dev",
    posix=True,
)
_READING = frozenset(
    [
        "list",
        "ls",
        "show",
        "status",
        "get",
        "path",
        "check",
        "explain",
        "backtest",
        "stats",
        "tail",
        "pending",
        "export",
        "prove",
        "diff",
        "help",
        "search",
        "view",
        "info",
        "describe",
        "validate",
        "logs",
        "test",
        "inspect",
        "new",
        "manifest",
        "deny",
        "cat",
        "print",
        "why",
        "run",
        "start",
        "doctor",
        "browse",
    ]
)
_GUARDED = frozenset(
    [
        "approvals",
        "config",
        "plugin",
        "plugins",
        "lock",
        "policy",
        "mcp",
        "skills",
        "skill",
        "cron",
        "hooks",
        "auth",
        "tools",
        "guard",
        "webhook",
        "pairing",
        "secrets",
        "profile",
        "memory",
    ]
)


@FAMILY.judges(
    "hermes",
    "hermes-agent",
    "hermes-gateway",
    "hermes-cli",
    "python",
    "python3",
    "uv",
    "uvx",
    "pipx",
    "poetry",
    "cli.py",
)
def hermes(command: Command, _: Context) -> Iterator[Finding]:
    """Orders to the agent about itself."""
    words = list(command.args)
    program = command.program or ""
    if not program.startswith("hermes") and program != "cli.py":
        words = _module(words)
        if not words:
            return
        words = words[1:]
    options = parse_words(words, _HERMES)
    if options.has("help", "version", "h") or any(word.raw == "--help" for word in words):
        return
    if options.has("yolo") or any(word.raw == "--yolo" for word in words):
        yield SELF_RULES.found(command, path="--yolo")
    name, verb = options.subcommand(), options.subcommand(1)
    rest = [word.raw for word in options.operands[1:]]
    line = " ".join(word.text for word in options.operands)[:80]
    gateway = name == "gateway" or program == "hermes-gateway" or any(word.raw == "--gateway" for word in words)
    if gateway:
        order = verb if name == "gateway" else name
        hidden = command.background or command.wrapped_by(
            "nohup", "setsid", "tmux", "screen", "systemd-run", "daemonize", "start-stop-daemon"
        )
        if (
            order in {"stop", "restart", "uninstall", "kill", "install", "replace"}
            or (order in {"run", "", "start"} and hidden)
            or "--replace" in rest
        ):
            yield SELF_STOP.found(command, path=line or program)
    elif (
        name in {"update", "uninstall", "upgrade", "reset", "restore"}
        and "--check" not in rest
        and "--dry-run" not in rest
    ):
        yield SELF_STOP.found(command, path=line)
    elif name in _GUARDED and verb and not verb.startswith("-") and verb not in _READING:
        yield SELF_RULES.found(command, path=line)


def _module(words: list[Word]) -> list[Word]:
    """The words from the agent's own name on, when a runner starts it."""
    for number, word in enumerate(words[:8]):
        raw = word.raw
        if raw == "-c":
            return []
        name = raw.rsplit("/", 1)[-1]
        if name in {"hermes", "hermes-agent"} and (
            number == 0 or words[number - 1].raw in {"run", "x", "tool"} or "/" in raw
        ):
            return words[number:]
        if (
            re.match(r"(?:hermes_(?:cli|core|agent)(?:\.\w+)*|gateway\.run|hermes)\Z", raw)
            and number
            and words[number - 1].raw == "-m"
        ):
            return words[number:]
        if name == "cli.py" and any(after.raw in {"--gateway", "gateway"} for after in words[number + 1 :]):
            return words[number:]
    return []


_SELF = re.compile(r"hermes|gateway|cli\.py", re.IGNORECASE)


@FAMILY.judges("pkill", "killall", "kill", "skill", "fuser", "killall5")
def kill(command: Command, _: Context) -> Iterator[Finding]:
    """The agent's process, by its name or by a search for it."""
    texts = [word.raw for word in command.args]
    if {"-l", "-L", "-0", "--list", "-V", "--version", "--help"} & set(texts):
        return
    if command.program in {"pkill", "killall"}:
        names = [text for text in texts if _SELF.search(text)]
        if names:
            yield SELF_KILL.found(command, path=names[0])
        return
    sources = [inner for word in command.args for inner in word.commands]
    if command.wrapped_by("xargs", "parallel") and command.stdin is not None:
        sources += command.stdin.commands
    for source in sources:
        if source.program in {"pgrep", "pidof", "cat", "ps", "grep", "head", "awk", "lsof"} and any(
            _SELF.search(word.raw) for word in source.args
        ):
            yield SELF_KILL.found(command, path=" ".join(source.texts)[:80])
            return


@FAMILY.judges("tmux", "screen", "launchctl", "supervisorctl")
def sessions(command: Command, _: Context) -> Iterator[Finding]:
    """The session or job in which the agent lives."""
    texts = [word.raw for word in command.args]
    ends = {
        "kill-session",
        "kill-server",
        "kill-window",
        "kill-pane",
        "quit",
        "kill",
        "stop",
        "restart",
        "unload",
        "bootout",
        "remove",
        "kickstart",
    }
    if ends & set(texts) and any("hermes" in text.lower() for text in texts):
        yield SELF_STOP.found(command, path=" ".join(texts)[:80])
