"""The network: the spellings an attacker would try."""

import pytest

from hermes_guard.guard import Guard

GUARD = Guard()

DANGEROUS = (
    "ip link set dev eth0 mtu 9000",
    "ip route replace default via 1.1.1.1",
    "ip l s eth0 down",
    "ip a a 10.0.0.1/8 dev eth0",
    "ip link se eth0 down",
    "ip r repl default via 1.1.1.1",
    "ip xfrm policy flush",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert "network.change" in GUARD.judge(command, home="/home/dev").rules
