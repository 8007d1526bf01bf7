"""The firewall, the network's links, the kernel, boot and disks."""

import re
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context, Family
from hermes_guard.rules.vital import disk
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

FAMILY = Family("firewall_kernel")

FIREWALL = FAMILY.rule(
    "firewall.change",
    "changes the firewall: {path}",
    effects=("network", "system"),
    match=(
        "iptables -F",
        "sudo iptables -A INPUT -p tcp --dport 22 -j DROP",
        "ip6tables -P INPUT ACCEPT",
        "iptables -t nat -X",
        "nft flush ruleset",
        "nft add rule x y z",
        "ufw disable",
        "ufw --force reset",
        "ufw allow 22",
        "firewall-cmd --add-port=80/tcp",
        "firewall-cmd --reload",
        "pfctl -d",
        "pfctl -F all",
        "iptables-restore < f",
        "ipset destroy",
        "nft -f f",
        "ipfw flush",
        "ebtables -F",
        "netsh advfirewall set allprofiles state off",
        "iptables-save | iptables-restore",
        "iptables -D INPUT 1",
        "conntrack -F",
        "fail2ban-client stop",
    ),
    not_match=(
        "iptables -L -n",
        "iptables -t nat -S",
        "iptables-save",
        "nft list ruleset",
        "ufw status verbose",
        "firewall-cmd --list-all",
        "pfctl -s rules",
        "iptables --version",
        "iptables -nvL",
        "ufw --dry-run enable",
        "firewall-cmd --state",
        "nft -c -f f",
        "iptables -C INPUT -j DROP",
        "fail2ban-client status",
    ),
)
NETWORK = FAMILY.rule(
    "network.change",
    "changes links, addresses or routes of this machine: {path}",
    effects=("network", "system"),
    match=(
        "ip link set eth0 down",
        "ip route del default",
        "ip -4 addr flush dev eth0",
        "ifconfig eth0 down",
        "ip r add 1.2.3.0/24 via 1.1.1.1",
        "route del default",
        "nmcli con down x",
        "nmcli networking off",
        "ifdown eth0",
        "networksetup -setairportpower en0 off",
        "tc qdisc add dev eth0 root netem loss 50%",
        "wg-quick down wg0",
        "brctl delbr br0",
        "ip netns del x",
        "rfkill block all",
        "resolvectl dns eth0 1.1.1.1",
        "ethtool -s eth0 speed 10",
        "arp -d 1.2.3.4",
        "ip neigh flush all",
        "ovs-vsctl del-br br0",
        "iwconfig wlan0 txpower off",
        "netplan apply",
        "dhclient -r",
    ),
    not_match=(
        "ip addr",
        "ip a show",
        "ip link",
        "ip route get 1.1.1.1",
        "ip -br a",
        "ifconfig",
        "ifconfig eth0",
        "route -n",
        "nmcli con show",
        "nmcli device status",
        "ip -j route show",
        "ip -s link show eth0",
        "tc qdisc show",
        "arp -a",
        "ethtool eth0",
        "wg show",
        "resolvectl status",
        "ip neigh",
        "rfkill list",
        "ip netns list",
        "netstat -rn",
    ),
)
KERNEL = FAMILY.rule(
    "kernel.change",
    "changes the running kernel or its protections: {path}",
    effects=("system",),
    match=(
        "sysctl -w vm.swappiness=10",
        "sysctl -p",
        "sysctl kernel.panic=1",
        "sysctl --system",
        "modprobe -r kvm",
        "insmod x.ko",
        "rmmod x",
        "modprobe x",
        "setenforce 0",
        "aa-disable /etc/x",
        "echo 1 > /proc/sys/net/ipv4/ip_forward",
        "echo 3 | sudo tee /proc/sys/vm/drop_caches",
        "swapoff -a",
        "kexec -l vmlinuz",
        "dmesg -C",
        "aa-teardown",
        "auditctl -D",
        "echo x > /sys/block/sda/queue/scheduler",
        "sysctl -q -w a=b",
        "auditctl -e 0",
        "dkms remove x/1 --all",
        "bpftool prog load x y",
        "apparmor_parser -R x",
        "setsebool x on",
        "depmod -a",
        "kpatch load x",
        "cpupower frequency-set -g performance",
    ),
    not_match=(
        "sysctl -a",
        "sysctl vm.swappiness",
        "sysctl -n kernel.hostname",
        "lsmod",
        "modinfo x",
        "getenforce",
        "dmesg",
        "dmesg | tail",
        "cat /proc/sys/vm/swappiness",
        "swapon --show",
        "modprobe -n x",
        "aa-status",
        "auditctl -l",
        "modprobe --show-depends x",
        "dkms status",
    ),
)
BOOT = FAMILY.rule(
    "boot.change",
    "changes how the machine starts, or its clock and name: {path}",
    effects=("system",),
    match=(
        "update-grub",
        "grub-install /dev/sda",
        "efibootmgr -B -b 0001",
        "timedatectl set-time 10:00",
        "date -s '2020-01-01'",
        "hostnamectl set-hostname x",
        "grub2-mkconfig -o /boot/grub2/grub.cfg",
        "update-initramfs -u",
        "hwclock --systohc",
        "hostname evil",
        "bcdedit /set x y",
        "nvram -c",
        "bless --mount /",
        "grubby --remove-kernel=x",
        "dracut -f",
        "mkinitcpio -P",
        "timedatectl set-ntp false",
        "localectl set-locale x",
        "csrutil disable",
        "spctl --master-disable",
        "date --set=tomorrow",
        "bootctl remove",
        "fwupdmgr update",
        "flashrom -w x",
        "mokutil --disable-validation",
        "date 010100002020",
    ),
    not_match=(
        "date",
        "date +%s",
        "date -d tomorrow",
        "timedatectl",
        "timedatectl status",
        "hostnamectl",
        "hostname",
        "hostname -f",
        "efibootmgr -v",
        "efibootmgr",
        "hwclock --show",
        "bootctl status",
        "csrutil status",
        "date -u",
        "date -r f +%F",
        "hostname -I",
    ),
)
DISK = FAMILY.rule(
    "disk.change",
    "changes partitions, volumes or file systems: {path}",
    effects=("disk",),
    match=(
        "parted /dev/sda rm 1",
        "fdisk /dev/sda",
        "sgdisk -d 1 /dev/sda",
        "lvremove -f vg/lv",
        "vgremove vg",
        "pvremove /dev/sdb",
        "mdadm --stop /dev/md0",
        "mdadm --zero-superblock /dev/sda",
        "cryptsetup luksFormat d.img",
        "zpool destroy tank",
        "zfs destroy -r tank/x",
        "btrfs subvolume delete x",
        "losetup -d /dev/loop0",
        "debugfs -w /dev/sda1",
        "tune2fs -O ^has_journal /dev/sda1",
        "fsck -y /dev/sda1",
        "e2fsck -p /dev/sda1",
        "resize2fs /dev/sda1",
        "dmsetup remove_all",
        "umount -a",
        "umount -l /",
        "mount -o remount,rw /",
        "mount /dev/sda1 /",
        "mount --bind /tmp /etc",
        "lvreduce -L 1G vg/lv",
        "sfdisk /dev/sda < t",
        "xfs_repair -L /dev/sda1",
        "hdparm -W 0 /dev/sda",
        "nvme delete-ns /dev/nvme0",
        "diskutil unmountDisk disk2",
        "zpool labelclear x",
        "zfs rollback -r tank@a",
        "mdadm --create /dev/md0 --level=0 /dev/sda /dev/sdb",
        "umount /home",
        "growpart /dev/sda 1",
        "fstrim -a",
        "tmutil delete x",
        "cryptsetup close x",
        "losetup -D",
        "ntfsfix /dev/sda1",
        "quotaoff -a",
    ),
    not_match=(
        "parted -l",
        "fdisk -l",
        "sgdisk -p /dev/sda",
        "lvs",
        "vgs",
        "pvs",
        "mdadm --detail /dev/md0",
        "cryptsetup status x",
        "zpool status",
        "zfs list",
        "btrfs subvolume list /",
        "losetup -a",
        "tune2fs -l /dev/sda1",
        "fsck -N /dev/sda1",
        "mount",
        "mount | grep x",
        "dmsetup ls",
        "umount /mnt/usb",
        "mount -t tmpfs tmpfs /mnt/x",
        "sfdisk -d /dev/sda",
        "hdparm -I /dev/sda",
        "nvme list",
        "diskutil list",
        "e2fsck -n /dev/sda1",
        "mount -l",
        "parted /dev/sda print",
        "lsblk",
        "mdadm --examine /dev/sda",
        "hdparm -tT /dev/sda",
    ),
)


READ = FAMILY.rule(
    "disk.raw-read",
    "reads the raw disk {path}, past every permission",
    effects=("read", "disk"),
    match=("dd if=/dev/sda of=disk.img", "sudo strings /dev/mem", "ddrescue /dev/sdb x.img log"),
    not_match=(
        "dd if=/dev/zero of=x bs=1M count=1",
        "strings a.out",
        "dd if=disk.img of=copy.img",
        "od -An -N4 /dev/urandom",
    ),
)
LOGS = FAMILY.rule(
    "logs.erase",
    "erases what has been recorded: {path}",
    effects=("delete", "system"),
    match=(
        "journalctl --vacuum-time=1s",
        "history -c",
        "unset HISTFILE",
        "export HISTFILE=/dev/null",
        "wevtutil cl System",
        "set +o history",
        "journalctl --rotate --vacuum-size=1K",
        "log erase --all",
        "logrotate -f /etc/logrotate.conf",
        "faillog -r",
        "lastlog --clear -u x",
        "HISTFILE=/dev/null bash",
    ),
    not_match=(
        "journalctl -u nginx",
        "history",
        "history | tail",
        "set -o history",
        "logrotate -d /etc/logrotate.conf",
        "export HISTSIZE=10000",
        "lastlog",
        "unset FOO",
        "journalctl --disk-usage",
        "wevtutil el",
    ),
)


def _texts(command: Command) -> list[str]:
    return [word.raw for word in command.args]


def _shown(command: Command) -> str:
    return " ".join(command.texts)[:100]


def _helps(texts: list[str]) -> bool:
    return bool({"--help", "--version", "-help", "help"} & set(texts[:2])) or texts[-1:] in (["--help"], ["--version"])


# The firewall

_TABLES = Spec(
    "A= append= D= delete= I= insert= R= replace= F? flush? Z? zero? X? delete-chain? N= new-chain= P= policy= E= "
    "rename-chain= L? list? S? list-rules? C= check= t= table= "
    "n v x w? W= h p= s= d= j= i= o= m= g= c= line-numbers numeric verbose exact wait? jump= dport= sport= V help "
    "version"
)
_CHANGES = frozenset(
    [
        "A",
        "append",
        "D",
        "delete",
        "I",
        "insert",
        "R",
        "replace",
        "F",
        "flush",
        "Z",
        "zero",
        "X",
        "delete-chain",
        "N",
        "new-chain",
        "P",
        "policy",
        "E",
        "rename-chain",
    ]
)


@FAMILY.judges(
    "iptables",
    "ip6tables",
    "iptables-legacy",
    "iptables-nft",
    "ip6tables-legacy",
    "ip6tables-nft",
    "ebtables",
    "arptables",
    "xtables-multi",
)
def iptables(command: Command, _: Context) -> Iterator[Finding]:
    """Everything but listing and checking."""
    options = parse(command, _TABLES)
    if not options.helps and options.has(*_CHANGES):
        yield FIREWALL.found(command, path=_shown(command))


_LISTING: dict[str, re.Pattern[str]] = {
    "ufw": re.compile(r"status|show|version|app\Z|--dry-run|--help|--version"),
    "nft": re.compile(r"list|describe|monitor|-c\Z|--check|-v\Z|-h\Z|--version|--help|-\w*c"),
    "firewall-cmd": re.compile(r"--(?:list|get|query|state|info|version|help|check-config|path)|-[hV]\Z"),
    "ipset": re.compile(r"list|save|test|version|help|-[LSThv]\Z|-n\Z"),
    "ipfw": re.compile(r"list|show|-\w*[nS]\Z"),
    "conntrack": re.compile(r"-[LGCSEhV]\Z|--(?:dump|get|count|stats|event|help|version)"),
    "fail2ban-client": re.compile(r"status|ping|get|banned|version|-[dtVh]\Z|--(?:version|help|test)"),
    "ufw-docker": re.compile(r"check|status|list|help"),
    "shorewall": re.compile(r"check|show|status|version|ls|dump|help"),
    "csf": re.compile(r"-[lghv]\Z|--(?:list|grep|help|version|status)"),
}


@FAMILY.judges(*_LISTING)
def firewalls(command: Command, _: Context) -> Iterator[Finding]:
    """Firewalls whose verbs say what they do."""
    texts = _texts(command)
    known = _LISTING[command.program or ""]
    if texts and not any(
        known.match(text) for text in (texts if command.program in {"ufw", "firewall-cmd", "nft"} else texts[:2])
    ):
        yield FIREWALL.found(command, path=_shown(command))


@FAMILY.judges(
    "iptables-restore",
    "ip6tables-restore",
    "iptables-apply",
    "ufw-init",
    "netfilter-persistent",
    "pfctl",
    "netsh",
    "iptables-legacy-restore",
    "iptables-nft-restore",
)
def restores(command: Command, _: Context) -> Iterator[Finding]:
    """Whole sets of rules put in place."""
    texts = _texts(command)
    program = command.program or ""
    if _helps(texts):
        return
    if program == "pfctl":
        packed = "".join(text[1:] for text in texts if text.startswith("-"))
        if not (set(packed) & set("dDeEfFkKRTNAOiax")) or "n" in packed or texts[:1] in (["-s"], ["-sr"], ["-sa"]):
            return
    elif program == "netsh":
        if "show" in texts or "firewall" not in " ".join(texts).lower():
            return
    elif (
        "-t" in texts
        or "--test" in texts
        or (
            program == "netfilter-persistent"
            and texts[:1] not in (["reload"], ["flush"], ["start"], ["stop"], ["restart"])
        )
    ):
        return
    yield FIREWALL.found(command, path=_shown(command))


# Links, addresses, routes

_IP = Spec(
    "4 6 0 B M I= br brief c? color? d details s stats j json p pretty o oneline r n= netns= f= family= a all b= "
    "batch= t ts N h human rc= l= force iec V",
    single=True,
    posix=True,
)
_IP_CHANGES = re.compile(
    r"(?:a|add|del|delete|d|flush|fl|f|set|s|change|chg|replace|append|prepend|restore|attach|exec|up|down|save-?)\Z"
)


@FAMILY.judges("ip", "bridge", "tc", "rdma", "devlink", "dcb")
def ip(command: Command, _: Context) -> Iterator[Finding]:
    """`ip` and the tools of its package."""
    options = parse(command, _IP)
    words = [word.raw for word in options.operands]
    if options.has("b", "batch") or (
        len(words) > 1
        and _IP_CHANGES.match(words[1])
        and words[1] not in {"s", "a"}
        and not (words[0].startswith("netns") and words[1] == "exec")
    ):
        if words[1:2] == ["s"] or "help" in words or "show" in words[1:2]:
            return
        yield NETWORK.found(command, path=_shown(command))


@FAMILY.judges(
    "ifconfig",
    "route",
    "arp",
    "ifdown",
    "ifup",
    "iwconfig",
    "ethtool",
    "brctl",
    "dhclient",
    "dhcpcd",
    "netplan",
    "rfkill",
    "wg",
    "wg-quick",
    "nmcli",
    "resolvectl",
    "networksetup",
    "networkctl",
    "ovs-vsctl",
    "ipmitool",
    "openvpn",
    "scutil",
    "connmanctl",
    "iwctl",
    "iw",
    "vconfig",
    "ifenslave",
    "nmtui",
    "wpa_cli",
    "macchanger",
    "ipvsadm",
    "resolvconf",
    "dscacheutil",
    "bluetoothctl",
    "hciconfig",
    "poff",
    "pon",
)
def links(command: Command, _: Context) -> Iterator[Finding]:
    """The older tools, and those of the desktops."""
    texts = _texts(command)
    if not _helps(texts) and _changes_links(command.program or "", texts):
        yield NETWORK.found(command, path=_shown(command))


def _changes_links(program: str, texts: list[str]) -> bool:
    words = [text for text in texts if not text.startswith("-")]
    flags = {text for text in texts if text.startswith("-")}
    verb = words[0] if words else ""
    if program == "ifconfig":
        return len(words) > 1
    if program == "route":
        return verb in {"add", "del", "delete", "flush", "change"} or "flush" in words
    if program == "arp":
        return bool(flags & {"-d", "-s", "-f", "-D", "--delete", "--set"})
    if program in {"ifdown", "ifup", "dhclient", "dhcpcd", "ifenslave", "vconfig", "macchanger"}:
        return bool(texts) and not flags & {"-n", "--no-act", "-s", "--show"}
    if program == "iwconfig":
        return len(words) > 1
    if program == "iw":
        return bool(set(words) & {"set", "del", "disconnect", "connect", "add", "up", "down"})
    if program == "ethtool":
        return any(
            re.match(
                r"-(?:[sAGCKLNXEfprW]|-(?:change|set|flash|reset|negotiate|features|offload|config|coalesce))", flag
            )
            for flag in flags
        )
    if program == "brctl":
        return verb not in {"", "show", "showmacs", "showstp"}
    if program == "netplan":
        return verb in {"apply", "set", "try", "rebind", "migrate"}
    if program == "rfkill":
        return verb in {"block", "toggle"}
    if program == "wg":
        return verb in {"set", "setconf", "addconf", "syncconf"}
    if program == "wg-quick":
        return verb in {"up", "down", "save"}
    if program == "nmcli":
        return (
            len(words) > 1
            and (
                words[1]
                in {
                    "down",
                    "delete",
                    "del",
                    "modify",
                    "mod",
                    "off",
                    "disconnect",
                    "disc",
                    "up",
                    "add",
                    "set",
                    "edit",
                    "hotspot",
                    "reload",
                    "clone",
                    "import",
                    "on",
                    "hostname",
                }
                or (words[0].startswith(("r", "n")) and words[-1] == "off")
            )
            and not (words[1] == "hostname" and len(words) == 2)
        )
    if program == "resolvectl":
        return (
            verb in {"dns", "domain", "revert", "default-route", "llmnr", "mdns", "dnssec", "dnsovertls"}
            and len(words) > 2
        ) or verb == "revert"
    if program == "networksetup":
        return any(flag.startswith(("-set", "-remove", "-create", "-delete", "-add", "-switch")) for flag in flags)
    if program == "networkctl":
        return verb in {"down", "delete", "reconfigure", "reload", "up", "renew", "forcerenew"}
    if program == "ovs-vsctl":
        return any(word.startswith(("del-", "add-", "set", "emer-reset", "clear", "remove")) for word in words)
    if program == "ipmitool":
        return (
            bool(set(words) & {"off", "cycle", "reset", "soft", "set", "clear", "delete", "restore"})
            and "status" not in words
        )
    if program == "ipvsadm":
        return any(re.match(r"-[ADECadeR]", flag) for flag in flags)
    if program in {"bluetoothctl", "hciconfig"}:
        return bool(set(words) & {"off", "down", "reset", "remove", "disconnect"})
    if program == "wpa_cli":
        return bool(set(words) & {"disconnect", "terminate", "disable_network", "remove_network", "interface_remove"})
    if program == "poff":
        return True
    if program == "scutil":
        return "--set" in flags
    return False


# The kernel

_SYSCTL = Spec(
    "w p? a A n N e q r= b d x X f? write load? all names values ignore quiet pattern= system dry-run help version V "
    "h deprecated binary"
)


@FAMILY.judges("sysctl")
def sysctl(command: Command, _: Context) -> Iterator[Finding]:
    """Settings that are written, one by one or from a file."""
    options = parse(command, _SYSCTL)
    if options.helps or options.has("dry-run"):
        return
    if options.has("w", "write", "p", "load", "f", "system") or any("=" in word.raw for word in options.operands):
        yield KERNEL.found(command, path=_shown(command))


@FAMILY.judges(
    "modprobe",
    "insmod",
    "rmmod",
    "kmod",
    "depmod",
    "dkms",
    "kextload",
    "kextunload",
    "kldload",
    "kldunload",
    "kpatch",
    "livepatch",
)
def modules(command: Command, _: Context) -> Iterator[Finding]:
    """Modules of the kernel, in or out."""
    texts = _texts(command)
    program = command.program or ""
    quiet = {
        "-n",
        "--dry-run",
        "--show",
        "--show-depends",
        "-D",
        "-c",
        "--showconfig",
        "--show-config",
        "-V",
        "--version",
        "--help",
        "-h",
        "--resolve-alias",
        "-R",
        "--dump-modversions",
        "--show-modversions",
    }
    if not texts or (set(texts) & quiet and program != "dkms"):
        return
    if program in {"kmod", "dkms", "kpatch", "livepatch"} and texts[0] in {
        "list",
        "static-nodes",
        "status",
        "help",
        "info",
        "--version",
        "build",
        "match",
    }:
        return
    yield KERNEL.found(command, path=_shown(command))


@FAMILY.judges(
    "setenforce",
    "aa-disable",
    "aa-teardown",
    "aa-complain",
    "aa-remove-unknown",
    "apparmor_parser",
    "setsebool",
    "semodule",
    "semanage",
    "auditctl",
    "swapoff",
    "kexec",
    "dmesg",
    "bpftool",
    "sysrq",
    "cpupower",
    "prlimit",
    "zramctl",
    "chcpu",
    "wrmsr",
    "setpci",
    "devmem",
    "devmem2",
    "stress-ng",
    "ipcrm",
    "swapon",
)
def protections(command: Command, _: Context) -> Iterator[Finding]:
    """Protections and resources of the running system."""
    texts = _texts(command)
    words = [text for text in texts if not text.startswith("-")]
    program = command.program or ""
    if _helps(texts):
        return
    hit = {
        "setenforce": bool(words),
        "aa-disable": bool(words),
        "aa-teardown": True,
        "aa-complain": bool(words),
        "aa-remove-unknown": "-n" not in texts,
        "apparmor_parser": any(re.match(r"-\w*[Rra]|--(?:remove|replace|add)", text) for text in texts)
        and not any(text in {"-p", "-Q", "--skip-kernel-load"} for text in texts),
        "setsebool": len(words) > 1,
        "semodule": any(re.match(r"-\w*[irdeRXu]|--(?:install|remove|disable)", text) for text in texts)
        and not any(text.startswith(("-l", "--list")) for text in texts),
        "semanage": any(
            text in {"-a", "-d", "-m", "-D", "-r", "--add", "--delete", "--modify", "--deleteall"} for text in texts
        ),
        "auditctl": any(re.match(r"-[aAdDebfrwWR]", text) for text in texts) and "-l" not in texts,
        "swapoff": bool(texts),
        "swapon": bool(words) or "-a" in texts,
        "kexec": bool(texts) and not any(text in {"-S", "--status", "-v"} for text in texts),
        "dmesg": any(re.match(r"-\w*[CcnD]\w*\Z|--(?:clear|read-clear|console-off)", text) for text in texts),
        "bpftool": any(word in {"load", "attach", "detach", "delete", "update", "pin", "loadall"} for word in words),
        "cpupower": (bool(words) and words[0].endswith("-set")) or words[:1] == ["set"],
        "wrmsr": bool(words),
        "setpci": any("=" in word for word in words),
        "devmem": len(words) > 1,
        "devmem2": len(words) > 1,
        "ipcrm": bool(texts),
    }
    if hit.get(program):
        yield KERNEL.found(command, path=_shown(command))


_LIVE = re.compile(r"/(?:proc/sys/|proc/\d+/|proc/self/(?:oom|mem)|proc/(?:irq|acpi|mtrr)|sys/(?!fs/cgroup/user))")


@FAMILY.judges("*")
def live_files(command: Command, _: Context) -> Iterator[Finding]:
    """Writing into the kernel's own files."""
    inside = (command.cwd or "").startswith(("/proc", "/sys"))
    for redirect in command.redirects:
        raw = redirect.target.raw
        # Most targets are not even near; a path costs more than a look.
        if (inside or "proc" in raw or "sys" in raw) and redirect.writes:
            path = command.path(raw)
            if path and _LIVE.match(path):
                yield KERNEL.found(command, path=path)
                return
    if command.program in {"tee", "sponge", "dd", "cp"}:
        for word in command.args[-1:] if command.program == "cp" else command.args:
            path = command.path(word.tail(3) if word.raw.startswith("of=") else word)
            if path and _LIVE.match(path):
                yield KERNEL.found(command, path=path)
                return


# Boot, clock, name


@FAMILY.judges(
    "update-grub",
    "update-grub2",
    "grub-install",
    "grub2-install",
    "grub-mkconfig",
    "grub2-mkconfig",
    "grubby",
    "grub-set-default",
    "grub-editenv",
    "grub2-editenv",
    "grub-reboot",
    "efibootmgr",
    "update-initramfs",
    "dracut",
    "mkinitcpio",
    "mkinitramfs",
    "lilo",
    "bootctl",
    "kernel-install",
    "bcdedit",
    "nvram",
    "bless",
    "csrutil",
    "spctl",
    "fwupdmgr",
    "flashrom",
    "mokutil",
    "update-secureboot-policy",
    "installkernel",
    "sbctl",
    "pmset",
    "systemsetup",
)
def boot(command: Command, _: Context) -> Iterator[Finding]:
    """What the machine starts with."""
    texts = _texts(command)
    program = command.program or ""
    words = [text for text in texts if not text.startswith("-")]
    if _helps(texts):
        return
    harmless = {
        "efibootmgr": not any(
            re.match(
                r"-\w*[BbcCnNoOtTaALd]|--(?:delete|create|bootnext|bootorder|active|inactive|"
                r"timeout)",
                text,
            )
            for text in texts
        ),
        "bootctl": not words or words[0] in {"status", "list", "is-installed", "kernel-identify", "kernel-inspect"},
        "grub-mkconfig": not any(text.startswith(("-o", "--output")) for text in texts),
        "grub2-mkconfig": not any(text.startswith(("-o", "--output")) for text in texts),
        "grubby": not any(re.match(r"--(?:remove|add|set|update|default-kernel=|args|make)", text) for text in texts),
        "grub-editenv": "list" in words,
        "grub2-editenv": "list" in words,
        "csrutil": words[:1] in ([], ["status"], ["report"]),
        "bcdedit": not texts or "/enum" in texts,
        "nvram": not any(text in {"-c", "-d", "-f"} for text in texts) and not any("=" in word for word in words),
        "spctl": not any(
            text in {"--master-disable", "--global-disable", "--add", "--remove", "--disable"} for text in texts
        ),
        "bless": "--info" in texts or "-info" in texts,
        "fwupdmgr": not words
        or words[0] not in {"update", "install", "downgrade", "reinstall", "activate", "unlock", "upgrade"},
        "flashrom": not any(re.match(r"-[wE]|--(?:write|erase)", text) for text in texts),
        "mokutil": not any(
            re.match(r"--(?:disable|enable|import|delete|reset|password|clear)", text) for text in texts
        ),
        "pmset": not words or words[0] == "-g" or "-g" in texts,
        "systemsetup": not any(text.startswith(("-set", "-remove")) for text in texts),
        "sbctl": words[:1] in ([], ["status"], ["verify"], ["list-files"]),
        "dracut": "--list-modules" in texts,
        "lilo": "-t" in texts or "-q" in texts,
        "kernel-install": words[:1] in (["list"], ["inspect"]),
    }
    if not harmless.get(program, False):
        yield BOOT.found(command, path=_shown(command))


_DATE = Spec(
    "d= date= f= file= I? iso-8601? R r= reference= s= set= u debug rfc-3339= rfc-email universal utc help version j "
    "n v= z= resolution"
)


@FAMILY.judges(
    "date",
    "gdate",
    "timedatectl",
    "hostnamectl",
    "localectl",
    "hwclock",
    "hostname",
    "ntpdate",
    "chronyc",
    "domainname",
    "rdate",
    "sntp",
    "tzselect",
)
def clock(command: Command, _: Context) -> Iterator[Finding]:
    """The clock and the name of the machine."""
    texts = _texts(command)
    program = command.program or ""
    words = [text for text in texts if not text.startswith("-")]
    if _helps(texts):
        return
    if program in {"date", "gdate"}:
        options = parse(command, _DATE)
        plain = [word.raw for word in options.operands if not word.raw.startswith("+")]
        hit = options.has("s", "set") or (
            not options.has("j", "d", "date", "f", "r")
            and any(re.match(r"\d{8,12}(?:\.\d\d)?\Z", text) for text in plain)
        )
    elif program in {"timedatectl", "localectl"}:
        hit = bool(words) and words[0].startswith(("set-", "revert", "ntp-servers"))
    elif program == "hostnamectl":
        hit = bool(words) and (
            words[0].startswith("set-")
            or (words[0] in {"hostname", "icon-name", "chassis", "deployment", "location"} and len(words) > 1)
        )
    elif program == "hwclock":
        hit = (
            any(
                text in {"-w", "--systohc", "-s", "--hctosys", "--set", "--adjust", "-a", "--predict"} for text in texts
            )
            and "--test" not in texts
        )
    elif program in {"hostname", "domainname"}:
        hit = bool(words) or any(text in {"-F", "--file", "-b"} for text in texts)
    elif program == "chronyc":
        hit = bool(words) and words[0] in {
            "makestep",
            "settime",
            "delete",
            "add",
            "shutdown",
            "burst",
            "offline",
            "online",
        }
    else:
        hit = program in {"ntpdate", "rdate"} and bool(texts) and not any(text in {"-q", "-p"} for text in texts)
    if hit:
        yield BOOT.found(command, path=_shown(command))


# Records


@FAMILY.judges(
    "journalctl",
    "history",
    "unset",
    "export",
    "declare",
    "set",
    "wevtutil",
    "wevtutil.exe",
    "log",
    "logrotate",
    "faillog",
    "lastlog",
    "fc",
    "auditctl",
    "clear-history",
)
def records(command: Command, _: Context) -> Iterator[Finding]:
    """Logs and histories that are emptied or switched off."""
    texts = _texts(command)
    program = (command.program or "").removesuffix(".exe")
    hit = {
        "journalctl": any(text.startswith(("--vacuum", "--relinquish-var")) for text in texts),
        "history": any(re.match(r"-\w*[cd]", text) for text in texts),
        "unset": "HISTFILE" in texts,
        "export": any(_NO_HISTORY.match(text) for text in texts),
        "declare": any(_NO_HISTORY.match(text) for text in texts),
        "set": "+o" in texts and "history" in texts,
        "wevtutil": bool(texts) and texts[0].lower() in {"cl", "clear-log"},
        "log": texts[:1] == ["erase"],
        "logrotate": any(re.match(r"-\w*f|--force", text) for text in texts)
        and "-d" not in texts
        and "--debug" not in texts,
        "faillog": any(re.match(r"-\w*r|--reset", text) for text in texts),
        "lastlog": any(text in {"-C", "--clear", "-S", "--set"} for text in texts),
    }
    if hit.get(program) and not _helps(texts):
        yield LOGS.found(command, path=_shown(command))


_NO_HISTORY = re.compile(r"(?:HISTFILE=(?:/dev/null)?|HISTSIZE=0|HISTFILESIZE=0)\Z")


@FAMILY.judges("*")
def without_history(command: Command, _: Context) -> Iterator[Finding]:
    """The same as the environment of a command."""
    if command.assignments and any(_NO_HISTORY.match(f"{name}={value}") for name, value in command.assignments.items()):
        yield LOGS.found(command, path="no history")


# Disks

_REMOVERS = frozenset(
    [
        "lvremove",
        "vgremove",
        "pvremove",
        "lvreduce",
        "lvresize",
        "lvextend",
        "lvrename",
        "lvchange",
        "lvcreate",
        "lvconvert",
        "vgcreate",
        "vgextend",
        "vgreduce",
        "vgmerge",
        "vgsplit",
        "vgchange",
        "vgrename",
        "vgexport",
        "pvcreate",
        "pvresize",
        "pvmove",
        "resize2fs",
        "growpart",
        "xfs_growfs",
        "dmraid",
        "multipath",
        "e2label",
        "swaplabel",
        "ntfsresize",
        "reiserfstune",
        "xfs_admin",
        "cfdisk",
        "cgdisk",
        "gparted",
        "partprobe",
        "kpartx",
        "quotaoff",
        "fatlabel",
        "partx",
        "addpart",
        "delpart",
        "resizepart",
        "integritysetup",
        "vdo",
        "ntfsfix",
        "gdisk",
    ]
)


@FAMILY.judges(*_REMOVERS)
def volumes(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that only change."""
    texts = _texts(command)
    quiet = {
        "--help",
        "-h",
        "--version",
        "-V",
        "-t",
        "--test",
        "--show",
        "-l",
        "--list",
        "-n",
        "--dry-run",
        "-s",
        "-ll",
        "-P",
    }
    if texts and not set(texts) & quiet:
        yield DISK.found(command, path=_shown(command))


_ZFS = frozenset(
    [
        "destroy",
        "rollback",
        "rename",
        "promote",
        "receive",
        "recv",
        "inherit",
        "set",
        "create",
        "clone",
        "unmount",
        "umount",
        "unload-key",
        "change-key",
        "upgrade",
    ]
)
_ZPOOL = frozenset(
    [
        "destroy",
        "labelclear",
        "remove",
        "detach",
        "offline",
        "export",
        "replace",
        "clear",
        "upgrade",
        "split",
        "create",
        "add",
        "attach",
        "set",
        "import",
        "reguid",
        "trim",
        "initialize",
    ]
)


@FAMILY.judges(
    "parted",
    "fdisk",
    "sgdisk",
    "sfdisk",
    "mdadm",
    "cryptsetup",
    "zpool",
    "zfs",
    "btrfs",
    "losetup",
    "debugfs",
    "tune2fs",
    "dmsetup",
    "hdparm",
    "nvme",
    "diskutil",
    "lvm",
    "fstrim",
    "tmutil",
    "sdparm",
    "smartctl",
    "veritysetup",
    "bcachefs",
    "nbd-client",
    "veracrypt",
    "hdiutil",
    "blockdev",
    "qemu-img",
    "qemu-nbd",
    "exportfs",
    "sg_format",
    "sg_sanitize",
    "xfs_db",
)
def disks(command: Command, _: Context) -> Iterator[Finding]:
    """Programs whose verbs or options tell listing from changing."""
    texts = _texts(command)
    if not _helps(texts) and _changes_disk(command.program or "", texts):
        yield DISK.found(command, path=_shown(command))


def _changes_disk(program: str, texts: list[str]) -> bool:
    words = [text for text in texts if not text.startswith("-")]
    flags = {text for text in texts if text.startswith("-")}
    packed = set("".join(flag[1:] for flag in flags if not flag.startswith("--")))
    verb = words[0] if words else ""
    if program == "parted":
        verbs = {
            "rm",
            "mklabel",
            "mktable",
            "mkpart",
            "resizepart",
            "set",
            "name",
            "toggle",
            "rescue",
            "disk_set",
            "mkfs",
        }
        return bool(set(words) & verbs) or (
            len(words) == 1 and not flags & {"-l", "--list"} and verb.startswith("/dev/") and "-m" not in flags
        )
    if program == "fdisk":
        return (
            bool(words) and not flags & {"-l", "--list", "-s", "--getsz", "-x", "--list-details"} and "l" not in packed
        )
    if program == "sgdisk":
        return any(
            re.match(
                r"-[dDnotsuUcgGhlaAmrRSTzZeE]\Z|-[dnotc]\d|--(?:delete|new|clear|typecode|zap|mbrtogpt|load|"
                r"replicate|sort|randomize|change|largest)",
                flag,
            )
            for flag in flags
            if flag != "-p"
        )
    if program == "sfdisk":
        return bool(texts) and not flags & {
            "-d",
            "--dump",
            "-l",
            "--list",
            "-J",
            "--json",
            "-F",
            "-V",
            "--verify",
            "-n",
            "--no-act",
            "-s",
            "-T",
            "-g",
        }
    if program == "mdadm":
        return any(
            re.match(
                r"--(?:stop|zero-superblock|create|remove|fail|grow|manage|add|re-add|replace|kill|assemble|"
                r"set-faulty)",
                flag,
            )
            for flag in flags
        ) or bool(packed & set("SCGfra") and not packed & set("DEQ"))
    if program in {"cryptsetup", "veritysetup"}:
        return verb in {
            "luksFormat",
            "erase",
            "luksErase",
            "luksRemoveKey",
            "luksKillSlot",
            "luksAddKey",
            "luksChangeKey",
            "reencrypt",
            "close",
            "luksClose",
            "remove",
            "resize",
            "luksHeaderRestore",
            "convert",
            "open",
            "luksOpen",
            "create",
            "format",
            "config",
            "luksSuspend",
            "luksConvertKey",
        }
    if program == "zpool":
        return verb in _ZPOOL and "n" not in packed and not (verb == "import" and len(texts) == 1)
    if program == "zfs":
        return verb in _ZFS and "n" not in packed
    if program == "btrfs":
        rest = words[1] if len(words) > 1 else ""
        return (
            (verb.startswith("su") and rest in {"delete", "set-default"})
            or (verb.startswith("dev") and rest in {"delete", "remove", "add", "replace"})
            or (verb in {"check", "rescue"} and ("--repair" in flags or verb == "rescue"))
            or (verb.startswith("fi") and rest in {"resize", "defragment", "label"} and len(words) > 3)
            or (verb == "balance" and rest == "start")
        )
    if program == "losetup":
        return bool(packed & set("dD")) or bool(flags & {"--detach", "--detach-all"})
    if program == "debugfs":
        return "w" in packed
    if program == "xfs_db":
        return "x" in packed
    if program == "tune2fs":
        return bool(texts) and "l" not in packed
    if program == "dmsetup":
        return verb in {
            "remove",
            "remove_all",
            "wipe_table",
            "create",
            "suspend",
            "resume",
            "reload",
            "load",
            "clear",
            "rename",
            "message",
            "mknodes",
            "setgeometry",
        }
    if program == "hdparm":
        return bool(packed & set("WSyYBMAPXZFfwJNpD")) or any(
            flag.startswith(
                ("--security", "--trim", "--write", "--make-bad", "--fwdownload", "--dco", "--yes", "--sanitize")
            )
            for flag in flags
        )
    if program == "nvme":
        return verb in {
            "format",
            "sanitize",
            "delete-ns",
            "create-ns",
            "detach-ns",
            "attach-ns",
            "fw-download",
            "fw-commit",
            "fw-activate",
            "reset",
            "subsystem-reset",
            "write",
            "write-zeroes",
            "dsm",
            "set-feature",
            "disconnect",
            "disconnect-all",
            "write-uncor",
        }
    if program == "diskutil":
        return verb.lower() in {
            "unmount",
            "unmountdisk",
            "umount",
            "eject",
            "rename",
            "erasedisk",
            "erasevolume",
            "partitiondisk",
            "mergepartitions",
            "resizevolume",
            "splitpartition",
            "secureerase",
            "zerodisk",
            "randomdisk",
            "reformat",
            "repairdisk",
            "repairvolume",
            "enableownership",
            "disableownership",
            "corestorage",
            "deletecontainer",
            "addpartition",
        } or (
            verb.lower() in {"apfs", "ap", "cs", "appleraid"}
            and any(word.lower().startswith(("delete", "erase", "resize", "create", "remove")) for word in words[1:])
        )
    if program == "lvm":
        return verb in _REMOVERS
    if program == "fstrim":
        return bool(texts) and "n" not in packed and "--dry-run" not in flags
    if program == "tmutil":
        return verb in {
            "delete",
            "deletelocalsnapshots",
            "disable",
            "removedestination",
            "setdestination",
            "deleteinprogress",
            "thinlocalsnapshots",
        }
    if program == "hdiutil":
        return verb in {"erasekeys", "eject", "detach", "resize", "burn"}
    if program == "exportfs":
        return bool(packed & set("uraf") and not packed & set("sv"))
    if program == "blockdev":
        return any(flag.startswith(("--set", "--flush")) for flag in flags)
    if program == "qemu-img":
        return (verb == "snapshot" and bool(packed & set("da"))) or verb in {"commit", "rebase", "resize"}
    if program == "qemu-nbd":
        return bool(packed & set("dc"))
    if program == "nbd-client":
        return "d" in packed
    return program in {"sg_format", "sg_sanitize"} and bool(words)


@FAMILY.judges(
    "fsck",
    "e2fsck",
    "xfs_repair",
    "dosfsck",
    "fsck.vfat",
    "fsck.fat",
    "fsck.ext2",
    "fsck.ext3",
    "fsck.ext4",
    "fsck.xfs",
    "fsck.btrfs",
    "reiserfsck",
    "fsck_apfs",
    "fsck_hfs",
    "jfs_fsck",
    "ntfsclone",
    "badblocks",
    "zerofree",
    "testdisk",
)
def repairs(command: Command, _: Context) -> Iterator[Finding]:
    """Repairs that write without asking."""
    texts = _texts(command)
    packed = "".join(text[1:] for text in texts if text.startswith("-") and not text.startswith("--"))
    program = command.program or ""
    if _helps(texts) or "n" in packed or "N" in packed or not texts or program == "testdisk":
        return
    if program == "badblocks":
        if "w" in packed:
            yield DISK.found(command, path=_shown(command))
        return
    if (
        program in {"xfs_repair", "ntfsclone", "zerofree"}
        or set(packed) & set("yafpD")
        or any(word.startswith("/dev/") for word in texts)
    ):
        yield DISK.found(command, path=_shown(command))


@FAMILY.judges(
    "dd",
    "ddrescue",
    "dcfldd",
    "dc3dd",
    "partclone.ext4",
    "ntfsclone",
    "pv",
    "dump",
    "xxd",
    "hexdump",
    "hd",
    "od",
    "strings",
    "testdisk",
    "photorec",
    "foremost",
    "extundelete",
    "fsarchiver",
    "partimage",
)
def raw_reads(command: Command, _: Context) -> Iterator[Finding]:
    """A raw disk holds every file of everybody."""
    for word in command.args:
        target = word.tail(3) if word.raw.startswith("if=") else word
        if not word.raw.startswith("of=") and disk(target):
            yield READ.found(command, path=target.text)
            return


_BROAD = re.compile(
    r"/(?:home|root|etc|usr|var|bin|sbin|boot|lib\w*|dev|proc|sys|opt|srv|run|tmp|var/lib(?:/docker)?|var/log|"
    r"boot/efi|usr/local|System.*|Users)?/?\Z"
)
#: Mounting over anything in here hides what the system needs.
_SYSTEM = re.compile(r"/(?:etc|usr|bin|sbin|boot|lib\w*|root|var/(?:lib|log|spool|run)|proc|sys|dev)(?:/|\Z)")
_MOUNT = Spec(
    "a t= o= types= options= O= l L= U= r w n s v V h f F i R= B= M= bind rbind move make-private source= target= all "
    "fake no-mtab read-only rw verbose label= uuid= show-labels "
    "make-shared make-slave make-unbindable make-rprivate make-rslave N= T= fstab="
)


@FAMILY.judges("mount", "umount", "mount_nfs", "pivot_root", "pumount", "fusermount", "swapon")
def mounts(command: Command, _: Context) -> Iterator[Finding]:
    """Mounts over, or unmounts of, places the system needs."""
    program = command.program or ""
    if program in {"swapon", "fusermount", "pumount"}:
        return
    if program == "pivot_root":
        if command.args:
            yield DISK.found(command, path=_shown(command))
        return
    spec = (
        _MOUNT
        if program != "umount"
        else Spec(
            "a A c d f h i l n N= O= q r R t= v V all all-targets fake force internal-only lazy recursive read-only "
            "types= test-opts= help version"
        )
    )
    options = parse(command, spec)
    if options.helps or options.has("V", "h", "fake") or (program == "mount" and options.has("f", "l")):
        return
    if program == "umount":
        broad = any(_BROAD.match(command.path(word) or "-") for word in options.operands)
        if (
            options.has("a", "A", "all", "R", "recursive", "f", "force", "l", "lazy")
            or broad
            or any(word.splits or word.glob for word in options.operands)
        ):
            yield DISK.found(command, path=_shown(command))
        return
    if not options.operands and not options.has("a", "all"):
        return
    target = options.value("target") or (options.operands[-1] if options.operands else None)
    values = ",".join(word.raw for word in options.values("o", "options"))
    place = (command.path(target) or "-") if target is not None else "-"
    broad = bool(options.operands) and (_BROAD.match(place) or _SYSTEM.match(place)) is not None
    if (
        "remount" in values
        or (broad and (len(options.operands) > 1 or options.has("bind", "B", "t", "types")))
        or options.has("a", "all", "move")
    ):
        yield DISK.found(command, path=_shown(command))
