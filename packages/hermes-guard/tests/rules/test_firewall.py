"""Firewalls: dangerous commands in many spellings."""

import pytest

from hermes_guard.guard import Guard

GUARD = Guard()

DANGEROUS = (
    "iptables -w -F",
    "nft delete table inet filter",
    "ufw deny out",
    "nft 'list ruleset; flush ruleset'",
    "nft add table inet list",
    "ipset flush testset",
    "ipset destroy list1",
    "ufw allow 22 comment show",
    "fail2ban-client stop getty",
    "pfctl -d -sn",
    "socketfilterfw --setglobalstate off",
    "/usr/libexec/ApplicationFirewall/socketfilterfw --unblockapp /Applications/x.app",
    "sudo defaults write /Library/Preferences/com.apple.alf globalstate -int 0",
    "pfctl -f /etc/pf.conf",
    "pfctl -a com.apple/x -F rules",
    "firewall-cmd --permanent --remove-service=ssh",
    "firewall-cmd --panic-on",
    "firewall-offline-cmd --disabled",
    "ufw default allow incoming",
    "ufw delete 3",
    "nft -f /etc/nftables.conf",
    "iptables -t nat -A PREROUTING -p tcp --dport 80 -j REDIRECT --to-port 8080",
    "ip6tables-restore rules.v6",
    "lokkit --disabled",
    "yast2 firewall disable",
    "ferm /etc/ferm/ferm.conf",
    "shorewall clear",
    "csf -x",
    "ufw --force disable",
    "iptables -I INPUT -j ACCEPT",
    "iptables --flush",
    "sudo ip6tables -t mangle --delete-chain",
    "nft 'add rule inet filter input accept'",
    "nft -i < rules",
    "firewall-cmd --zone=public --add-masquerade",
    "pfctl -e -f pf.conf",
    "ipset add blocklist 1.2.3.4",
    "fail2ban-client set sshd unbanip 1.2.3.4",
    "fail2ban-client unban --all",
    "netsh advfirewall firewall delete rule name=all",
    "ebtables -t filter -P FORWARD DROP",
    "conntrack -D -s 1.2.3.4",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert "firewall.change" in GUARD.judge(command, home="/home/dev").rules
