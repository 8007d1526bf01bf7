"""The firewall: the spellings an attacker would try."""

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
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert "firewall.change" in GUARD.judge(command, home="/home/dev").rules
