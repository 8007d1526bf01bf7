"""The network of this machine: links, addresses and routes."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context, Family
from hermes_guard.rules.machine_verbs import (
    ALWAYS,
    ANY,
    Arguments,
    Check,
    any_word,
    findings,
    flag,
    flag_like,
    flag_starts,
    verb,
    words,
)
from hermes_guard.rules.words import names, shown
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

FAMILY = Family("network")

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

_IP = Spec(
    "4 6 0 B M I= br brief c? color? d details s stats j json p pretty o oneline r n= netns= f= family= a all b= "
    "batch= t ts N h human rc= l= force iec V",
    single=True,
    posix=True,
)
_IP_CHANGES = (
    "add",
    "delete",
    "flush",
    "set",
    "change",
    "chg",
    "replace",
    "append",
    "prepend",
    "restore",
    "attach",
    "exec",
    "up",
    "down",
    "save",
)


@FAMILY.judges("ip", "bridge", "tc", "rdma", "devlink", "dcb")
def ip(command: Command, _: Context) -> Iterator[Finding]:
    """`ip` and the tools of its package."""
    options = parse(command, _IP)
    operands = [word.raw for word in options.operands]
    if options.has("b", "batch") or _changes_by_ip(operands):
        yield NETWORK.found(command, path=shown(command))


def _changes_by_ip(operands: list[str]) -> bool:
    if operands[:1] == ["xfrm"]:
        # One noun more: `ip xfrm state flush`.
        operands = operands[1:]
    if len(operands) < 2 or operands[-1] == "help":
        return False
    noun, order = operands[:2]
    # Any beginning of a verb will do. A lone `a` or `s` mostly shows.
    if order in {"", "a", "s"}:
        return (order == "a" or (order == "s" and noun[:1] == "l")) and len(operands) > 3
    return any(change.startswith(order) for change in _IP_CHANGES) and not (
        # The command inside is judged by itself.
        noun.startswith("netns") and order == "exec"
    )


def _changes_by_nmcli(given: Arguments) -> bool:
    if len(given.words) < 2:
        return False
    order = given.words[1]
    if order == "hostname":
        return len(given.words) > 2
    return order in _NMCLI or (given.verb[:1] in {"r", "n"} and given.words[-1] == "off")


_NMCLI = names("down delete del modify mod off disconnect disc up add set edit hotspot reload clone import on")
_LINKS: dict[str, Check] = {
    **dict.fromkeys(("ifconfig", "iwconfig"), words(2)),
    **dict.fromkeys(
        ("ifdown", "ifup", "dhclient", "dhcpcd", "ifenslave", "vconfig", "macchanger"),
        ANY & ~flag("-n --no-act -s --show"),
    ),
    **dict.fromkeys(("bluetoothctl", "hciconfig"), any_word("off down reset remove disconnect")),
    "arp": flag("-d -s -f -D --delete --set"),
    "brctl": words(1) & ~verb("show showmacs showstp"),
    "ethtool": flag_like(
        r"-(?:[sAGCKLNXEfprW]|-(?:change|set|flash|reset|negotiate|features|offload|config|coalesce))"
    ),
    "ipmitool": any_word("off cycle reset soft set clear delete restore") & ~any_word("status"),
    "ipvsadm": flag_like(r"-[ADECadeR]"),
    "iw": any_word("set del disconnect connect add up down"),
    "netplan": verb("apply set try rebind migrate"),
    "networkctl": verb("down delete reconfigure reload up renew forcerenew"),
    "networksetup": flag_starts("-set -remove -create -delete -add -switch"),
    "nmcli": Check(_changes_by_nmcli),
    "ovs-vsctl": Check(
        lambda given: any(
            text.startswith(("del-", "add-", "set", "emer-reset", "clear", "remove")) for text in given.words
        )
    ),
    "poff": ALWAYS,
    "resolvectl": verb("revert") | (verb("dns domain default-route llmnr mdns dnssec dnsovertls") & words(3)),
    "rfkill": verb("block toggle"),
    "route": verb("add del delete flush change") | any_word("flush"),
    "scutil": flag("--set"),
    "wg": verb("set setconf addconf syncconf"),
    "wg-quick": verb("up down save"),
    "wpa_cli": any_word("disconnect terminate disable_network remove_network interface_remove"),
}


@FAMILY.judges(*_LINKS)
def links(command: Command, _: Context) -> Iterator[Finding]:
    """The older tools, and those of the desktops."""
    yield from findings(NETWORK, command, _LINKS)
