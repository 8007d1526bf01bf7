"""Hosts that are known by their name for what they must not be asked for."""

from __future__ import annotations

from hermes_net.errors import Refusal

_METADATA = frozenset(
    """
    metadata instance-data instance-data.ec2.internal metadata.google.internal metadata.goog metadata.internal
    metadata.azure.internal metadata.azure.com metadata.aws.internal metadata.oraclecloud.com metadata.tencentyun.com
    metadata.platformequinix.com metadata.packet.net api.metadata.cloud.ibm.com metadata.ec2.internal rancher-metadata
    metadata.service.consul wireserver.azure.com
    """.split()  # noqa: SIM905 - twenty lines would say no more
)
"""Where clouds, and what runs in them, tell a machine its credentials."""

_THIS_MACHINE = frozenset(
    """
    localhost localdomain ip6-localhost ip6-loopback localhost4 localhost6 localdomain4 localdomain6 broadcasthost
    """.split()  # noqa: SIM905 - as above
)
_PRIVATE = frozenset(
    """
    consul corp home home.arpa i2p internal intranet kubernetes.default lan local onion private svc
    """.split()  # noqa: SIM905 - as above
)
"""Domains that are never on the internet: whoever answers for them there is not whom somebody meant."""


def require_allowed_name(name: str, *, allow_private: bool) -> None:
    """Let a name through that may be looked up.

    Raises:
        Refusal: it is the name of a metadata service, or of something on this machine or in its network.
    """
    for ending in endings(name):
        if ending in _METADATA:
            raise Refusal("metadata", f"{name} is the metadata service of a cloud.")
    if not allow_private and (name in _THIS_MACHINE or name.rpartition(".")[2] in _THIS_MACHINE):
        raise Refusal("private", f"{name} is this machine.")
    if not allow_private and "." in name and not _PRIVATE.isdisjoint(endings(name)[-2:]):
        raise Refusal("private", f"{name} is in a private network.")


def endings(name: str) -> list[str]:
    """A name and the domains that it is in, the longest first."""
    labels = name.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]
