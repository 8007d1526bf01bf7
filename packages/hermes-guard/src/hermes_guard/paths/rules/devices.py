# ruff: noqa: S108 - names to compare with; nothing is put into these folders
"""Rules for devices, sockets and other names that are not files."""

from hermes_guard.paths.rule import BOTH, READ, WRITE, PathRule

_DISKS = (
    "/dev/sd[a-z*?[]*", "/dev/sd", "/dev/hd[a-z*?[]*", "/dev/vd[a-z*?[]*", "/dev/xvd[a-z*?[]*", "/dev/nvme*",
    "/dev/mmcblk*", "/dev/disk/**", "/dev/disk[0-9*?[]*", "/dev/rdisk*", "/dev/mapper/**", "/dev/dm-*",
    "/dev/md[0-9*?[]*", "/dev/md/**", "/dev/nbd*", "/dev/rbd*", "/dev/zd[0-9]*", "/dev/zvol/**", "/dev/bcache*",
    "/dev/drbd*", "/dev/pmem*", "/dev/mtd*", "/dev/ubi*", "/dev/block/**", "/dev/root", "/dev/ada[0-9]*",
    "/dev/da[0-9]*", "/dev/nvd[0-9]*", "/dev/wd[0-9]*", "/dev/dasd*", "/dev/cciss/**", "/dev/*vg*/**", "/dev/raw/**",
    "/devices/**", "**/physicaldrive[0-9]*", "**/globalroot/device/**",
)  # fmt: skip
_DISK_FOLDERS = (
    "/dev/mapper", "/dev/mapper/control", "/dev/disk", "/dev/disk/by-*", "/dev/md", "/dev/block", "/dev/nvme-fabrics",
)  # fmt: skip
_MEMORY = ("/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/proc/kmem")
_ORDINARY = (
    "/dev", "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/arandom", "/dev/stdin",
    "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/ptmx", "/dev/fd", "/dev/fd/*", "/dev/shm/**", "/dev/mqueue",
    "/dev/pts", "/dev/input", "/dev/snd", "/dev/dri", "/dev/net", "/dev/bus", "/dev/char", "/dev/hugepages",
    *_DISK_FOLDERS,
)  # fmt: skip

RULES = (
    PathRule(
        id="path.raw-disk",
        ops=WRITE,
        severity="refuse",
        reason="Writing to a raw disk destroys the file systems on it.",
        effects=frozenset({"delete", "privileged"}),
        patterns=_DISKS,
        unless=_DISK_FOLDERS,
        match=(
            "/dev/sda", "/dev/sdb1", "/dev/nvme0n1p2", "/dev/mapper/cryptroot", "/dev/disk/by-uuid/1a2b",
            "/dev/mmcblk0", "/dev/vda", "/dev/rdisk2", "/dev/md0", "/dev/dm-3", "/dev/ubuntu-vg/ubuntu-lv", "/dev/sd*",
        ),
    ),
    PathRule(
        id="path.raw-disk-read",
        ops=READ,
        severity="ask",
        reason="Reading a raw disk bypasses the permissions of every file on it.",
        effects=frozenset({"privileged"}),
        patterns=_DISKS,
        unless=_DISK_FOLDERS,
        match=("/dev/sda", "/dev/nvme0n1", "/dev/mapper/vg0-home"),
    ),
    PathRule(
        id="path.kernel-memory",
        ops=WRITE,
        severity="ask",
        reason="Writing to the memory of the kernel breaks the machine.",
        effects=frozenset({"privileged"}),
        patterns=_MEMORY,
        match=("/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore"),
    ),
    PathRule(
        id="path.kernel-memory-read",
        ops=READ,
        severity="ask",
        reason="The memory of the kernel holds the secrets of every process.",
        effects=frozenset({"privileged"}),
        patterns=_MEMORY,
        match=("/dev/mem", "/proc/kcore"),
    ),
    PathRule(
        id="path.device",
        ops=BOTH,
        severity="ask",
        reason="It is a device, not a file.",
        effects=frozenset({"privileged"}),
        patterns=("/dev/**",),
        unless=_ORDINARY,
        broad=True,
        match=("/dev/kmsg", "/dev/input/event3", "/dev/ttyUSB0", "/dev/loop0", "/dev/pts/4", "/dev/kvm", "/dev/video0"),
    ),
    PathRule(
        id="path.endless-device",
        ops=READ,
        severity="ask",
        reason="It never ends: a program that reads all of it never finishes.",
        patterns=("/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/arandom"),
        match=("/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"),
    ),
    PathRule(
        id="path.own-descriptor",
        ops=BOTH,
        severity="ask",
        reason="It is a file descriptor of the process, which hides which file it is.",
        patterns=("/dev/fd/*", "/proc/self/fd/*", "/proc/thread-self/fd/*"),
        unless=("/dev/fd/[0-2]", "/proc/self/fd/[0-2]", "/proc/thread-self/fd/[0-2]"),
        match=("/dev/fd/7", "/proc/self/fd/12"),
    ),
    PathRule(
        id="path.network-device",
        ops=BOTH,
        severity="ask",
        reason="A shell opens a network connection for this name.",
        effects=frozenset({"network"}),
        patterns=("/dev/tcp/**", "/dev/udp/**"),
        match=("/dev/tcp/203.0.113.9/4444", "/dev/udp/10.0.0.1/53"),
    ),
    PathRule(
        id="path.control-socket",
        ops=BOTH,
        severity="ask",
        reason="Any program that connects to this socket acts with the rights of the server behind it.",
        effects=frozenset({"privileged"}),
        patterns=(
            "**/docker.sock", "**/docker-cli.sock", "**/podman.sock", "**/containerd.sock*", "**/crio.sock",
            "**/cri-dockerd.sock", "**/buildkitd.sock", "**/lxd/unix.socket", "**/incus/unix.socket",
            "**/libvirt-sock*", "**/snapd.socket", "**/snapd-snap.socket", "**/system_bus_socket", "/run/dbus/**",
            "/var/run/dbus/**", "/run/user/*/bus", "/run/user/*/keyring/**", "/run/user/*/gnupg/**",
            "/run/user/*/pipewire*", "/run/user/*/wayland-*", "/run/user/*/ssh-agent*", "/run/user/*/openssh_agent",
            "/run/systemd/private", "/run/systemd/notify", "/run/udev/control", "/run/acpid.socket",
            "/tmp/ssh-*/agent.*", "/tmp/.x11-unix/**", "/tmp/.ice-unix/**", "/tmp/tmux-*/**", "/run/screen/**",
            "/var/run/screen/**", "/tmp/dbus-*", "**/s.gpg-agent*", "**/com.apple.launchd.*/listeners",
            "**/ssh-agent.sock", "**/agent.sock", "**/mysqld.sock", "**/.s.pgsql.*", "**/haproxy/admin.sock",
        ),
        match=(
            "/var/run/docker.sock", "/run/docker.sock", "~/.docker/run/docker.sock", "/run/user/1000/bus",
            "/tmp/ssh-XYZ/agent.123", "/tmp/.X11-unix/X0", "/run/containerd/containerd.sock",
            "/run/dbus/system_bus_socket",
        ),
    ),
)  # fmt: skip
