"""Rules for the firewall: changed, replaced or disabled."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.common.argument_checks import (
    ANY,
    Check,
    any_word,
    findings,
    first,
    flag,
    flag_starts,
    option,
    subcommand,
    verb,
)
from hermes_guard.rules.family import Context, Family, abbreviate
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

FAMILY = Family("firewall")

FIREWALL = FAMILY.rule("firewall.change", "changes the firewall: {path}", effects=("network", "system"))

_TABLES = Spec(
    "A= append= D= delete= I= insert= R= replace= F? flush? Z? zero? X? delete-chain? N= new-chain= P= policy= E= "
    "rename-chain= L? list? S? list-rules? C= check= t= table= "
    "n v x w? W= h p= s= d= j= i= o= m= g= c= line-numbers numeric verbose exact wait? jump= dport= sport= V help "
    "version"
)
_TABLE_CHANGES = names(
    "A append D delete I insert R replace F flush Z zero X delete-chain N new-chain P policy E rename-chain"
)


@FAMILY.judges(
    "iptables",
    "ip6tables",
    "iptables-legacy",
    "iptables-nft",
    "ip6tables-legacy",
    "ip6tables-nft",
    "ebtables",
    "arptables",
    "xtables-multi",
)
def iptables(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about everything except listing and checking."""
    options = parse(command, _TABLES)
    if not options.helps and options.has(*_TABLE_CHANGES):
        yield FIREWALL.found(command, path=abbreviate(command))


_UFW = Spec("force dry-run")
_IPSET = Spec("exist ! output= o= quiet q resolve r sorted s name n terse t file= f=", single=True)
_IPFW = Spec("a b c d D e f i n N q S t T v p=")
_CONNTRACK = Spec(
    "A D F I U L G C S E h V s= d= r= q= p= f= t= u= m= o= b= w= l= e= z add create delete update flush dump get count "
    "stats event help version"
)
_FAIL2BAN = Spec(
    "c= s= p= conf= socket= pidfile= loglevel= logtarget= timeout= i x b f v q d dp dump-pretty t test V h help "
    "version",
    posix=True,
)
_SHOREWALL = Spec("q v T", posix=True)
_CHANGES: dict[str, Check] = {
    **dict.fromkeys(
        (
            "Set-NetFirewallProfile",
            "New-NetFirewallRule",
            "Remove-NetFirewallRule",
            "Disable-NetFirewallRule",
            "Enable-NetFirewallRule",
            "Set-NetFirewallRule",
        ),
        ANY,
    ),
    **dict.fromkeys(("yast", "yast2"), verb("firewall") & ~any_word("list summary help")),
    "conntrack": option(_CONNTRACK, "A D F I U add create delete update flush"),
    "crowdsec-cli": any_word("add delete remove"),
    "cscli": verb("decisions allowlists bouncers") & any_word("add delete remove flush prune"),
    "csf": ANY & ~first("-l -l6 -g -cg -h -v --list --grep --help --version --status"),
    "fail2ban-client": ANY
    & ~subcommand(_FAIL2BAN, "status ping get banned version")
    & ~option(_FAIL2BAN, "d dp dump-pretty t test V h help version"),
    # The macOS firewall has its own preferences domain.
    "defaults": verb("write delete import") & Check(lambda given: any("com.apple.alf" in text for text in given.words)),
    "esxcli": Check(lambda given: given.words[:2] == ["network", "firewall"])
    & any_word("set unload refresh add remove"),
    "ferm": ANY & ~flag("-n --noexec -h --help --version"),
    "firehol": ANY & ~verb("status condrestart explain debug helpme wget") & ~flag("--help --version"),
    "ipf": ANY & ~flag("-V -n -T"),
    "ipfw": ANY & ~subcommand(_IPFW, "list show") & ~option(_IPFW, "n"),
    "ipset": ANY
    & ~subcommand(_IPSET, "list save test version help")
    & ~first("-L -S -T -h -v --list --save --test --help --version"),
    **dict.fromkeys(("lokkit", "system-config-firewall-tui"), ANY & ~flag("--help -h --list-services")),
    "npfctl": ANY & ~verb("show stats validate list debug"),
    "shorewall": ANY
    & ~subcommand(_SHOREWALL, "check show list ls status version dump help")
    & ~first("-h --help --version"),
    "socketfilterfw": flag_starts("--set --add --remove --block --unblock"),
    "ufw": ANY & ~subcommand(_UFW, "status show version app help") & ~flag("--dry-run --help --version"),
    "ufw-docker": ANY & ~first("check status list help -h --help"),
}


@FAMILY.judges(*_CHANGES)
def firewalls(command: Command, _: Context) -> Iterator[Finding]:
    """Judge firewalls with verbs: ask about everything except listing and checking."""
    yield from findings(FIREWALL, command, _CHANGES, helps=False)


_FIREWALLD = re.compile(r"(?:list|get|query|state|info|version|help|check-config|path)|[hV]\Z")


@FAMILY.judges("firewall-cmd", "firewall-offline-cmd")
def firewalld(command: Command, _: Context) -> Iterator[Finding]:
    """Judge firewalld, whose verbs are long options."""
    if command.args and not any(_FIREWALLD.match(name) for name, _ in parse(command, Spec("zone= policy=")).given):
        yield FIREWALL.found(command, path=abbreviate(command))


_NFT = Spec(
    "c check f= file= i interactive D= define= I= includepath= d= debug= o optimize n s t N S j a e y p u T json "
    "handle echo stateless terse numeric v V h version help",
    posix=True,
)
_NFT_LISTS = names("list describe monitor")
#: Separates the commands in one text.
_ORDERS = re.compile(r"[;\n]")


@FAMILY.judges("nft")
def nft(command: Command, _: Context) -> Iterator[Finding]:
    """Allow listing and checking. One call may hold several commands."""
    options = parse(command, _NFT)
    if options.helps or options.has("c", "check", "v", "V", "h"):
        return
    orders = _ORDERS.split(" ".join(word.raw for word in options.operands))
    verbs = {order.split(None, 1)[0] for order in orders if order.strip()}
    if options.has("f", "file", "i", "interactive") or not verbs <= _NFT_LISTS:
        yield FIREWALL.found(command, path=abbreviate(command))


_PFCTL = Spec("a= A d D= e E f= F= g h i= k= K= m n N O o= p= P q r R s= S t= T= v V x= X= z")


@FAMILY.judges("pfctl")
def pfctl(command: Command, _: Context) -> Iterator[Finding]:
    """Judge the firewall of macOS and the BSDs."""
    options = parse(command, _PFCTL)
    if options.has(*"AdeEfFkKNORTxX") and not options.has("n", "h"):
        yield FIREWALL.found(command, path=abbreviate(command))


_WHOLE: dict[str, Check] = {
    **dict.fromkeys(
        (
            "iptables-restore",
            "ip6tables-restore",
            "iptables-legacy-restore",
            "iptables-nft-restore",
            "iptables-apply",
            "ufw-init",
        ),
        ~flag("-t --test"),
    ),
    "netfilter-persistent": verb("reload flush start stop restart"),
    "netsh": Check(lambda given: "firewall" in " ".join(given.texts).lower()) & ~any_word("show"),
}


@FAMILY.judges(*_WHOLE)
def restores(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about restoring a whole ruleset."""
    yield from findings(FIREWALL, command, _WHOLE)
