"""Rules for this machine's network: links, addresses and routes."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.rules.common.argument_checks import (
    ALWAYS,
    ANY,
    Arguments,
    Check,
    any_word,
    findings,
    flag,
    flag_like,
    flag_starts,
    letter,
    mentions,
    subcommand,
    verb,
    words,
)
from hermes_guard.rules.family import Context, Family, abbreviate
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

FAMILY = Family("network")

NETWORK = FAMILY.rule(
    "network.change", "changes links, addresses or routes of this machine: {path}", effects=("network", "system")
)

_IP = Spec(
    "4 6 0 B M I= br brief c? color? d details s stats j json p pretty o oneline r n= netns= f= family= a all b= "
    "batch= t ts N h human rc= l= force iec V",
    single=True,
    posix=True,
)
_IP_CHANGES = (
    "add", "delete", "flush", "set", "change", "chg", "replace", "append", "prepend", "restore", "attach", "exec", "up",
    "down", "save",
)  # fmt: skip


@FAMILY.judges("ip", "bridge", "tc", "rdma", "devlink", "dcb")
def ip(command: Command, _: Context) -> Iterator[Finding]:
    """Judge `ip` and the other tools of iproute2."""
    options = parse(command, _IP)
    operands = [word.raw for word in options.operands]
    if options.has("b", "batch") or _changes_by_ip(operands):
        yield NETWORK.found(command, path=abbreviate(command))


def _changes_by_ip(operands: list[str]) -> bool:
    if operands[:1] == ["xfrm"]:
        # A nested noun: `ip xfrm state flush`.
        operands = operands[1:]
    if len(operands) < 2 or operands[-1] == "help":
        return False
    noun, order = operands[:2]
    # Verbs may be abbreviated. A lone `a` or `s` usually shows.
    if order in {"", "a", "s"}:
        return (order == "a" or (order == "s" and noun[:1] == "l")) and len(operands) > 3
    return any(change.startswith(order) for change in _IP_CHANGES) and not (
        # The inner command is judged separately.
        noun.startswith("netns") and order == "exec"
    )


_NMCLI = Spec(
    "a ask c= colors= e= escape= f= fields= g= get-values= m= mode= o overview p pretty s show-secrets t terse w= "
    "wait= h help v version",
    posix=True,
    single=True,
)
#: Verbs that change something, by noun. Abbreviations are accepted, except ambiguous ones.
_NMCLI_ORDERS: dict[str, tuple[str, ...]] = {
    "general": ("reload",),
    "networking": ("on", "off"),
    "radio": (),
    "connection": ("up", "down", "add", "modify", "edit", "clone", "delete", "reload", "load", "import", "migrate"),
    "device": ("set", "connect", "reapply", "modify", "up", "down", "disconnect", "delete"),
}


def _changes_by_nmcli(given: Arguments) -> bool:
    words = [word.raw for word in parse_words(given.args, _NMCLI).operands if not word.raw.startswith("-")]
    if len(words) < 2:
        return False
    noun = next((known for known in _NMCLI_ORDERS if known.startswith(words[0])), "")
    order = words[1]
    if noun == "radio":
        return words[-1] in {"on", "off"}
    if noun == "general" and order[:1] in {"h", "l"}:
        # A name, or the log level.
        return len(words) > 2
    if noun == "device" and "wifi".startswith(order):
        return len(words) > 2 and words[2][:1] in {"c", "h"}
    # `nmcli d s` shows the status.
    return order not in {"", "s"} and any(known.startswith(order) for known in _NMCLI_ORDERS.get(noun, ()))


#: Tunnels that redirect the machine's traffic.
_OPENVPN = ANY & ~flag_starts("--genkey --show --version --help --test-crypto --rmtun")
_TUNNELS: dict[str, Check] = {
    **dict.fromkeys(("openconnect", "openfortivpn", "vpnc", "sshuttle"), words(1) & ~flag("-h --version --help -V")),
    **dict.fromkeys(
        ("nordvpn", "expressvpn", "mullvad", "protonvpn", "protonvpn-cli", "surfshark-vpn", "piactl", "windscribe"),
        verb("connect c disconnect d set reconnect refresh logout"),
    ),
    **dict.fromkeys(("ipsec", "strongswan"), verb("start stop restart reload update up down route unroute rereadall")),
    "openvpn": _OPENVPN,
    "openvpn3": verb("session-start session-manage config-remove"),
    "swanctl": flag_starts("-i -t --initiate --terminate --load --install --uninstall --redirect --rekey"),
    "tailscale": verb("set up") & flag_like(r"--(?:accept-routes|exit-node|advertise|ssh|reset|shields-up|netfilter)"),
    "warp-cli": verb("connect set-mode mode"),
    "wg": verb("set setconf addconf syncconf"),
    "wg-quick": verb("up down save"),
    "zerotier-cli": verb("join leave set orbit deorbit"),
}
_HARDWARE: dict[str, Check] = {
    **dict.fromkeys(("ifconfig", "iwconfig"), words(2)),
    **dict.fromkeys(
        (
            "ifdown",
            "ifup",
            "ifreload",
            "dhclient",
            "dhcpcd",
            "udhcpc",
            "ifenslave",
            "vconfig",
            "macchanger",
            "tunctl",
            "pppd",
            "wpa_supplicant",
            "hostapd",
        ),
        ANY & ~flag("-n --no-act -s --show --help -h --version -v --syntax-check"),
    ),
    **dict.fromkeys(("bluetoothctl", "hciconfig"), any_word("off down reset remove disconnect")),
    **dict.fromkeys(("pon", "poff", "pppoe-start", "pppoe-stop"), ALWAYS),
    "arp": letter("dsSfD") | flag("--delete --set --file --use-device"),
    "brctl": words(1) & ~verb("show showmacs showstp"),
    "ethtool": flag_like(
        r"-(?:[sAGCKLNXEfprW]|-(?:change|set|flash|reset|negotiate|features|offload|config|coalesce))"
    ),
    "ipmitool": any_word("off cycle reset soft set clear delete restore") & ~any_word("status"),
    "ipvsadm": flag_like(r"-[ADECadeR]"),
    "iw": any_word("set del disconnect connect add up down"),
    "iwctl": any_word("connect connect-hidden disconnect forget set-property start stop start-profile"),
    "mii-tool": letter("FrRA") | flag_starts("--force --restart --reset --advertise"),
    "rfkill": verb("block toggle"),
    "wpa_cli": any_word(
        "disconnect terminate disable_network remove_network interface_remove reconfigure reassociate select_network "
        "enable_network set_network add_network save_config interface_add"
    ),
}
_OVS = Spec("O= protocols= t= timeout= m F= flow-format= strict bundle", posix=True)
_FLOWS = (
    "add-flow add-flows mod-flows del-flows replace-flows mod-port add-group mod-group del-groups add-dp del-dp del-if"
)
_NETSH = mentions("set add delete reset disconnect connect import exec") & ~mentions("firewall advfirewall")
_BIRD = verb("configure down enable disable restart reload graceful")
_ROUTES: dict[str, Check] = {
    **dict.fromkeys(("birdc", "birdcl"), _BIRD),
    **dict.fromkeys(("ovs-ofctl", "ovs-dpctl"), subcommand(_OVS, _FLOWS)),
    **dict.fromkeys(
        ("ipconfig", "ipconfig.exe"), verb("set setverbose") | mentions("/release /renew /release6 /renew6")
    ),
    **dict.fromkeys(("netsh", "netsh.exe"), _NETSH),
    "airport": flag_starts("-z -A --associate --disassociate"),
    "connmanctl": verb("enable disable connect disconnect config tether move-before move-after"),
    "netctl": verb("start stop stop-all restart switch-to enable disable reenable store restore"),
    "netplan": verb("apply set try rebind migrate"),
    "networkctl": verb("down delete reconfigure reload up renew forcerenew edit mask"),
    # Everything except queries.
    "networksetup": ANY & ~flag_starts("-list -get -show -is -print -version -help -h -detect"),
    "nmcli": Check(_changes_by_nmcli),
    "nmstatectl": verb("apply set edit rollback commit gc"),
    "ovs-vsctl": Check(
        lambda given: any(
            text.startswith(("del-", "add-", "set", "emer-reset", "clear", "remove")) for text in given.words
        )
    ),
    "resolvectl": verb("revert") | (verb("dns domain default-route llmnr mdns dnssec dnsovertls nta") & words(3)),
    "route": verb("add del delete flush change") | any_word("flush"),
    "scutil": flag("--set") | (flag("--nc") & any_word("start stop enablevpntype select")),
    "systemd-resolve": flag_starts("--set --revert"),
    "vtysh": Check(lambda given: any(text.lstrip().startswith(("conf", "clear", "write")) for text in given.words)),
    "wicked": verb("ifup ifdown ifreload"),
}
_LINKS = {**_TUNNELS, **_HARDWARE, **_ROUTES}


@FAMILY.judges(*_LINKS)
def links(command: Command, _: Context) -> Iterator[Finding]:
    """Judge the older tools, those of desktops, and tunnels."""
    yield from findings(NETWORK, command, _LINKS)
