"""Words that say little about which tool is wanted: of English, and of asking for help."""

from __future__ import annotations

_ENGLISH = """
a about above after again all also am an and any are aren as at be because been before being below between both
but by can cannot could couldn did didn do does doesn doing don during each either else etc even ever every few
for from further had hadn has hasn have haven having he her here hers herself him himself his how however i if in into
is isn it its itself just ll let m may me might mine more most much must my myself near need needn no nor not now of
ok on once only onto or other ought our ours ourselves own per quite rather re really s same shall shan
she should shouldn since so some such t than that the their theirs them themselves then there these they this those
though through thus till to too toward under unless until upon us ve very via was wasn we were weren what whatever
when whenever where wherever whether which while who whoever whom whose why will with within without won would wouldn
yet you your yours yourself yourselves anybody anyone anything d everything exactly gonna gotta hello hey hi kindly
maybe please possibly somebody someone something thank thanks
"""
_ASKING = """
able allow ask asked asking assist assistance bit certain come currently easily enable far
first following general get gets getting give given gives giving go goes going got help helped helpful helping helps
hope idea ideas interested kind know like likely look looking lot love made make makes making many mean means mention
new nice one ones possible provide provided provides providing put see several show simple simply soon sort specific
specified stuff suggest sure take takes taking tell thing things think thinking today tool tools try trying two use
used useful user uses using various want wanted wants way well wish wonder wondering
"""

_PARTICLES = "away down off out over up"
"""*Sign in* and *sign out* differ by nothing else, and neither do *turn up* and *turn off*."""

STOP_WORDS = frozenset(_ENGLISH.split())
"""Dropped everywhere but from names: a tool may well be called `who_am_i`."""

FILLERS = frozenset(f"{_ASKING} {_PARTICLES}".split())
"""What people say around their wish. Such words name tools, too, so that they count for a part."""
