"""Rules for the kernel's own files: /proc, /sys, /boot, modules."""

from hermes_guard.paths.rule import BOTH, READ, WRITE, PathRule

RULES = (
    PathRule(
        id="path.sysrq",
        ops=WRITE,
        severity="refuse",
        reason="One letter written there reboots, halts or kills everything.",
        effects=frozenset({"privileged"}),
        patterns=("/proc/sysrq-trigger",),
        match=("/proc/sysrq-trigger",),
    ),
    PathRule(
        id="path.process-secrets",
        ops=READ,
        severity="ask",
        reason="It shows the environment or the memory of a process, where secrets are kept.",
        effects=frozenset({"privileged"}),
        patterns=(
            "/proc/*/environ", "/proc/*/mem", "/proc/*/auxv", "/proc/*/pagemap", "/proc/*/maps", "/proc/*/smaps",
            "/proc/*/map_files/**", "/proc/*/stack", "/proc/*/syscall", "/proc/*/fd/*/**", "/proc/*/cwd/**",
            "/proc/keys", "/proc/key-users", "/proc/kallsyms", "/proc/kmsg", "/proc/kpage*", "/proc/vmcore",
            "/proc/slabinfo", "/sys/kernel/debug/**", "/sys/kernel/tracing/**", "/sys/kernel/security/**",
            "/sys/firmware/efi/efivars/**", "/sys/fs/pstore/**",
        ),
        unless=(
            "/proc/self/maps", "/proc/self/smaps", "/proc/self/auxv", "/proc/self/cwd", "/proc/self/fd/*",
            "/proc/thread-self/fd/*", "/proc/*/fd",
        ),
        match=(
            "/proc/self/environ", "/proc/1/environ", "/proc/4711/mem", "/proc/4711/maps", "/proc/1/cwd/.bash_history",
            "/proc/kallsyms", "/proc/self/fd/3/etc", "/proc/77/fd/5",
        ),
    ),
    PathRule(
        id="path.proc-write",
        ops=WRITE,
        severity="ask",
        reason="Writing there changes the running kernel or another process.",
        effects=frozenset({"privileged"}),
        patterns=("/proc/**",),
        unless=(
            "/proc/self/fd/*", "/proc/thread-self/fd/*", "/proc/self/comm", "/proc/self/oom_score_adj",
        ),
        broad=True,
        match=(
            "/proc/sys/kernel/core_pattern", "/proc/sys/net/ipv4/ip_forward", "/proc/1234/mem", "/proc/self/uid_map",
            "/proc/sys/vm/drop_caches", "/proc/1/oom_score_adj",
        ),
    ),
    PathRule(
        id="path.sys-write",
        ops=WRITE,
        severity="ask",
        reason="Writing there changes the running kernel, a device or a limit.",
        effects=frozenset({"privileged"}),
        patterns=("/sys/**",),
        broad=True,
        match=(
            "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/class/backlight/intel/brightness", "/sys/power/state",
            "/sys/fs/cgroup/memory/limit", "/sys/block/sda/device/delete",
        ),
    ),
    PathRule(
        id="path.boot",
        ops=WRITE,
        severity="ask",
        reason="The machine starts from these files.",
        effects=frozenset({"privileged"}),
        patterns=(
            "/boot/**", "/efi/**", "/vmlinuz*", "/initrd*", "/system/library/kernels/**", "/bootmgr", "/boot.ini",
        ),
        match=("/boot/grub/grub.cfg", "/boot/vmlinuz-6.8", "/boot/efi/EFI/BOOT/BOOTX64.EFI", "/efi/loader/loader.conf"),
    ),
    PathRule(
        id="path.kernel-module",
        ops=WRITE,
        severity="ask",
        reason="The kernel loads this, or a rule for it.",
        effects=frozenset({"exec", "privileged"}),
        patterns=(
            "/lib/modules/**", "/usr/lib/modules/**", "/lib/firmware/**", "/usr/lib/firmware/**", "/etc/modules",
            "/etc/modules-load.d/**", "/usr/lib/modules-load.d/**", "/etc/modprobe.d/**", "/usr/lib/modprobe.d/**",
            "/lib/modprobe.d/**", "/etc/udev/**", "/lib/udev/**", "/usr/lib/udev/**", "/run/udev/rules.d/**",
            "/library/extensions/**", "/etc/sysctl.conf", "/etc/sysctl.d/**", "/usr/lib/sysctl.d/**",
        ),
        match=(
            "/lib/modules/6.8.0/extra/x.ko",
            "/etc/modprobe.d/blacklist.conf",
            "/etc/udev/rules.d/99-usb.rules",
            "/etc/sysctl.conf",
        ),
    ),
    PathRule(
        id="path.cgroup-escape",
        ops=BOTH,
        severity="ask",
        reason="It is a known way out of a container.",
        effects=frozenset({"privileged"}),
        patterns=("**/release_agent", "**/notify_on_release", "/proc/*/ns/**", "/proc/*/attr/**"),
        match=("/sys/fs/cgroup/rdma/release_agent", "/proc/1/ns/mnt"),
    ),
    PathRule(
        id="path.by-number",
        ops=BOTH,
        severity="ask",
        reason="It names a file by its number, which hides which file it is.",
        patterns=("/.vol/**",),
        match=("/.vol/16777220/2",),
    ),
)  # fmt: skip
