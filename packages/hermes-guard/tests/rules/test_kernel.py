"""The kernel: dangerous commands in many spellings."""

import pytest

from hermes_guard.guard import Guard

GUARD = Guard()

DANGEROUS = (
    "swapon /swapfile",
    "echo 1 | sudo tee /proc/sys/kernel/sysrq",
    "sysctl net.ipv4.ip_forward=1",
    "modprobe -rv nouveau",
    "setenforce Permissive",
    "insmod evil.ko -n",
    "insmod evil.ko help",
    "dmesg -Tc",
    "swapon --all",
    "sysctl -w net.ipv4.ip_forward=1",
    "echo 'vm.swappiness=1' | sudo tee -a /etc/sysctl.conf && sudo sysctl -p",
    "echo 0 > /proc/sys/kernel/randomize_va_space",
    "kexec -e",
    "kpatch load patch.ko",
    "modprobe -r nvidia",
    "modprobe evil",
    "dkms install evil/1.0",
    "bpftool prog load evil.o /sys/fs/bpf/evil",
    "bpftool net attach xdp id 1 dev eth0",
    "setenforce 0",
    "aa-disable /etc/apparmor.d/usr.bin.man",
    "aa-complain /usr/sbin/mysqld",
    "apparmor_parser -R /etc/apparmor.d/x",
    "kmutil load -p /tmp/x.kext",
    "kextload /tmp/x.kext",
    "kldload if_evil",
    "insmod ./rootkit.ko",
    "rmmod -f nvidia",
    "echo -1 > /proc/sys/kernel/perf_event_paranoid",
    "ulimit -c unlimited; sysctl kernel.core_pattern='|/tmp/x'",
    "zramctl --reset /dev/zram0",
    "swapoff /dev/sda3",
    "tuned-adm profile throughput-performance",
    "powertop --auto-tune",
    "x86_energy_perf_policy performance",
    "nvidia-smi --gpu-reset",
    "nvidia-smi -pl 100",
    "swapoff -a && swapon -a",
    "sysctl -w kernel.sysrq=1",
    "sysctl -p /tmp/evil.conf",
    "sudo sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'",
    "sudo modprobe -r iptable_filter",
    "sudo insmod /tmp/x.ko",
    "sudo rmmod kvm",
    "depmod -a",
    "dkms remove nvidia/535 --all",
    "kexec -l /boot/vmlinuz --initrd=/boot/initrd --reuse-cmdline",
    "semanage permissive -a httpd_t",
    "setsebool -P httpd_can_network_connect on",
    "aa-teardown",
    "auditctl -e 0",
    "dmesg --clear",
    "swapoff /swapfile",
    "ipcrm -a",
    "bpftool map update id 1 key 0 value 1",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert "kernel.change" in GUARD.judge(command, home="/home/dev").rules


def test_a_trigger_of_the_kernel_is_asked_about() -> None:
    # The table of paths knows it, too.
    assert GUARD.judge("echo c > /proc/sysrq-trigger", home="/home/dev").severity != "allow"
