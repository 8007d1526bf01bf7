"""Whether a URL may be fetched."""

from __future__ import annotations

from hermes_net.addresses import Address, require_allowed
from hermes_net.errors import Refusal, UrlVerdict
from hermes_net.keys import require_no_keys
from hermes_net.names import require_allowed_name
from hermes_net.policy import DEFAULT_POLICY, NetPolicy
from hermes_net.resolver import Resolver, resolve
from hermes_net.urls import Target, read_url


def check_url(url: str, *, resolver: Resolver | None = None, policy: NetPolicy | None = None) -> UrlVerdict:
    """Whether a URL may be fetched, as far as can be known before it is.

    The name may lead elsewhere a moment later. Who fetches the URL does that with a guarded client, which connects
    to the address that it checked; this is for those who only hand a URL on, or want to know early.

    Args:
        url: The URL. Nothing is raised, whatever it is.
        resolver: What looks names up, instead of this machine's own way. It gets a host and gives a list of
            addresses, or raises.
        policy: What the user allows beyond the default, which is the public web.
    """
    policy = policy or DEFAULT_POLICY
    host = ""
    try:
        target = read_url(url)
        host = target.host
        require_allowed_target(target, policy)
        addresses = allowed_addresses(target.host, target.literal, resolver, policy)
    except Refusal as refusal:
        return refused(refusal, host)
    return UrlVerdict(allowed=True, host=host, addresses=tuple(map(str, addresses)))


async def acheck_url(url: str, *, resolver: Resolver | None = None, policy: NetPolicy | None = None) -> UrlVerdict:
    """The same as `check_url`, without holding up an event loop."""
    from anyio.to_thread import run_sync

    return await run_sync(lambda: check_url(url, resolver=resolver, policy=policy), abandon_on_cancel=True)


def require_allowed_target(target: Target, policy: NetPolicy, *, redirected: bool = False) -> None:
    """Let a target through that may be asked for, as far as its text tells.

    Raises:
        Refusal: it may not.
    """
    for address in target.literal:
        require_allowed(address, allow_private=policy.allow_private)
    require_allowed_name(target.host, allow_private=policy.allow_private)
    if policy.blocklist is not None:
        policy.blocklist.require_allowed(target.host)
    if not policy.keys_in_urls and not redirected:  # a redirect tells its server nothing that it did not say itself
        require_no_keys(target.host, target.path, target.query, target.fragment, policy.has_secret)


def allowed_addresses(
    host: str, literal: tuple[Address, ...], resolver: Resolver | None, policy: NetPolicy
) -> tuple[Address, ...]:
    """The addresses of a host, when every one of them may be reached.

    Raises:
        Refusal: one may not, there is none, or programs disagree which it is.
    """
    addresses = literal or resolve(host, resolver, policy.resolve_seconds)
    for address in addresses:
        require_allowed(address, allow_private=policy.allow_private)
    if len(literal) > 1:
        raise Refusal("spelling", f"Programs read {host} as different addresses.")
    return addresses


def refused(refusal: Refusal, host: str) -> UrlVerdict:
    """The verdict that a refusal leads to."""
    return UrlVerdict(allowed=False, reason=refusal.reason, code=refusal.code, host=host)
