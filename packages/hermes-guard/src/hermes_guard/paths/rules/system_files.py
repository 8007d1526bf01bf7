# ruff: noqa: S108 - names to compare with; nothing is put into these folders
"""Rules for files that belong to the machine and not to a project."""

from hermes_guard.paths.rule import WRITE, PathRule

_PRIVILEGED = frozenset({"privileged"})
_RUNS = frozenset({"exec", "privileged"})

RULES = (
    PathRule(
        id="path.preload",
        ops=WRITE,
        severity="ask",
        reason="Every program on the machine loads what this file names.",
        effects=_RUNS,
        patterns=("/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d/**", "/etc/ld.so.cache"),
        match=("/etc/ld.so.preload", "/etc/ld.so.conf.d/x.conf"),
    ),
    PathRule(
        id="path.cron",
        ops=WRITE,
        severity="ask",
        reason="It runs later, on a schedule.",
        effects=_RUNS,
        patterns=(
            "/etc/cron*", "/etc/cron*/**", "/etc/anacrontab", "/etc/at.allow", "/etc/at.deny", "/var/spool/cron/**",
            "/var/spool/anacron/**", "/var/spool/at/**", "/var/spool/atjobs/**", "/var/at/**", "/usr/lib/cron/**",
            "/etc/periodic/**", "/etc/logrotate.d/**", "/windows/system32/tasks/**",
        ),
        match=(
            "/etc/crontab", "/etc/cron.d/job", "/etc/cron.daily/backup", "/var/spool/cron/crontabs/root",
            "/var/spool/cron/dev", "/var/at/tabs/dev",
        ),
    ),
    PathRule(
        id="path.service",
        ops=WRITE,
        severity="ask",
        reason="The system starts the programs in this file.",
        effects=_RUNS,
        patterns=(
            "/etc/systemd/**", "/run/systemd/**", "/lib/systemd/**", "/usr/lib/systemd/**", "/usr/local/lib/systemd/**",
            "~/.config/systemd/**", "~/.local/share/systemd/**", "/etc/init.d/**", "/etc/init/**", "/etc/inittab",
            "/etc/rc.local", "/etc/rc.d/**", "/etc/rc[0-9s].d/**", "/etc/rc.conf", "/etc/runit/**", "/etc/sv/**",
            "/etc/service/**", "/etc/supervisor/**", "/etc/supervisord.conf", "/etc/xinetd.d/**", "/etc/inetd.conf",
            "/etc/dbus-1/**", "/usr/share/dbus-1/**", "~/.local/share/dbus-1/**", "/etc/networkmanager/dispatcher.d/**",
            "/etc/network/if-*.d/**", "/library/launchdaemons/**", "/library/launchagents/**",
            "/system/library/launchdaemons/**", "/system/library/launchagents/**", "/library/startupitems/**",
            "~/library/launchagents/**", "~/.config/autostart/**", "~/.config/autostart-scripts/**",
            "/etc/xdg/autostart/**", "~/appdata/roaming/microsoft/windows/start menu/programs/startup/**",
            "/programdata/microsoft/windows/start menu/programs/startup/**", "~/.config/upstart/**",
            "~/.config/plasma-workspace/env/**", "/etc/update-motd.d/**", "/etc/apt/apt.conf.d/**",
        ),
        match=(
            "/etc/systemd/system/web.service", "~/.config/systemd/user/agent.service", "/etc/init.d/nginx",
            "/etc/rc.local", "~/Library/LaunchAgents/com.example.plist", "/Library/LaunchDaemons/com.example.plist",
            "~/.config/autostart/app.desktop", "/usr/lib/systemd/system/x.service",
        ),
    ),
    PathRule(
        id="path.package-database",
        ops=WRITE,
        severity="ask",
        reason="The package manager keeps its records or its sources there.",
        effects=_PRIVILEGED,
        patterns=(
            "/var/lib/dpkg/**", "/var/lib/apt/**", "/var/lib/rpm/**", "/usr/lib/sysimage/rpm/**", "/var/lib/pacman/**",
            "/var/lib/dnf/**", "/var/lib/snapd/**", "/var/lib/flatpak/**", "/lib/apk/**", "/etc/apk/**", "/etc/apt/**",
            "/etc/yum.conf", "/etc/yum.repos.d/**", "/etc/dnf/**", "/etc/pacman.conf", "/etc/pacman.d/**",
            "/etc/zypp/**", "/etc/portage/**", "/usr/share/keyrings/**", "/etc/pip.conf", "/etc/npmrc",
            "/usr/lib/python*/**", "/usr/local/lib/python*/**", "/usr/lib/node_modules/**",
            "/usr/local/lib/node_modules/**", "/nix/store/**", "/nix/var/**",
        ),
        match=(
            "/var/lib/dpkg/status", "/etc/apt/sources.list", "/etc/apt/sources.list.d/x.list",
            "/etc/yum.repos.d/x.repo", "/usr/lib/python3/dist-packages/x.py",
        ),
    ),
    PathRule(
        id="path.etc",
        ops=WRITE,
        severity="ask",
        reason="It is part of the configuration of the machine.",
        effects=_PRIVILEGED,
        patterns=("/etc/**", "/usr/local/etc/**", "/opt/homebrew/etc/**", "/windows/system32/drivers/etc/**"),
        broad=True,
        match=("/etc/hosts", "/etc/resolv.conf", "/etc/nginx/nginx.conf", "/etc/new-file", "/private/etc/hosts"),
    ),
    PathRule(
        id="path.system-program",
        ops=WRITE,
        severity="ask",
        reason="Programs of the machine, and what they load, are kept there.",
        effects=_RUNS,
        patterns=(
            "/bin/**", "/sbin/**", "/lib/**", "/lib32/**", "/lib64/**", "/libx32/**", "/usr/**", "/opt/homebrew/**",
            "/opt/local/**", "/system/**", "/library/**", "/applications/**", "/snap/**", "/windows/**",
            "/program files/**", "/program files (x86)/**", "/programdata/**",
        ),
        unless=("/usr/src/app/**", "/usr/home/*/**"),
        in_workspace=False,
        broad=True,
        match=("/usr/bin/env", "/bin/sh", "/usr/share/tool/x", "/lib/x86_64-linux-gnu/libc.so.6", "/sbin/init"),
    ),
    PathRule(
        id="path.system-state",
        ops=WRITE,
        severity="ask",
        reason="Services of the machine keep their data there.",
        effects=_PRIVILEGED,
        patterns=("/var/**", "/run/**", "/opt/**", "/lost+found/**"),
        unless=(
            "/var/tmp/**", "/var/folders/**", "/var/www/**", "/run/user/*/**", "/run/shm/**", "/run/lock/**",
            "/var/lock/**", "/var/root/**", "/var/home/*/**",
        ),
        in_workspace=False,
        broad=True,
        match=("/var/log/syslog", "/var/lib/mysql/ibdata1", "/opt/app/bin/start", "/run/nginx.pid"),
    ),
)  # fmt: skip
