"""Check whether a URL may be fetched."""

from __future__ import annotations

from hermes_net.addresses import Address, require_allowed
from hermes_net.errors import Refusal, UrlVerdict
from hermes_net.hosts import require_allowed_name
from hermes_net.keys import require_no_keys
from hermes_net.policy import DEFAULT_POLICY, NetPolicy
from hermes_net.resolver import Resolver, resolve
from hermes_net.urls import Target, parse_url


def check_url(
    url: str, *, resolver: Resolver | None = None, policy: NetPolicy | None = None, resolve: bool = True
) -> UrlVerdict:
    """Check whether a URL may be fetched, as far as that is known in advance.

    The name may resolve to another address later. To fetch the URL, use a guarded client, which connects to the address
    it checked. This check is for URLs that are passed on, and for early errors.

    Args:
        url: The URL. Nothing is raised, whatever it is.
        resolver: Resolves names instead of the system. It gets a host and returns a list of addresses, or raises.
        policy: What the user allows beyond the public web.
        resolve: False checks only the text of the URL, without a DNS lookup.
    """
    policy = policy or DEFAULT_POLICY
    host = ""
    try:
        target = parse_url(url)
        host = target.host
        require_allowed_target(target, policy)
        is_known = target.literal or resolve
        addresses = allowed_addresses(target.host, target.literal, resolver, policy) if is_known else ()
    except Refusal as refusal:
        return refusal_verdict(refusal, host)
    return UrlVerdict(allowed=True, host=host, addresses=tuple(map(str, addresses)))


async def acheck_url(url: str, *, resolver: Resolver | None = None, policy: NetPolicy | None = None) -> UrlVerdict:
    """Run `check_url` without blocking the event loop."""
    from anyio import CapacityLimiter
    from anyio.to_thread import run_sync

    # A thread of the shared limiter would make slow lookups delay all other work.
    own = CapacityLimiter(1)
    return await run_sync(lambda: check_url(url, resolver=resolver, policy=policy), abandon_on_cancel=True, limiter=own)


def require_allowed_target(target: Target, policy: NetPolicy, *, redirected: bool = False) -> None:
    """Require a target that may be requested, judged by its text.

    Raises:
        Refusal: it may not.
    """
    for address in target.literal:
        require_allowed(address, allow_private=policy.allow_private)
    require_allowed_name(target.host, allow_private=policy.allow_private)
    if policy.blocklist is not None:
        policy.blocklist.require_allowed(target.host)
    if not policy.keys_in_urls and not redirected:  # a redirect tells the server nothing new
        require_no_keys(target.host, target.path, target.query, target.fragment)


def allowed_addresses(
    host: str, literal: tuple[Address, ...], resolver: Resolver | None, policy: NetPolicy
) -> tuple[Address, ...]:
    """Return the addresses of a host if all of them are allowed.

    Raises:
        Refusal: one is not allowed, there is none, or programs disagree which it is.
    """
    addresses = literal or resolve(host, resolver, policy.resolve_seconds)
    for address in addresses:
        require_allowed(address, allow_private=policy.allow_private)
    if len(literal) > 1:
        raise Refusal("spelling", f"Programs interpret {host} as different addresses.")
    return addresses


def refusal_verdict(refusal: Refusal, host: str) -> UrlVerdict:
    """Build the verdict for a refusal."""
    return UrlVerdict(allowed=False, reason=refusal.reason, code=refusal.code, host=host)
