"""What people say before they come to what they want: *could you please*, *how do I*, *is there a tool for*, *then*."""

from __future__ import annotations

import re

_TOOL = r"(?:tool|function|command|action|api|endpoint|plugin|skill|way|option)s?"
_FOR = (
    r"(?: (?:here|available|out there))?,?"
    r" (?:(?:(?:that|which) )?(?:can|could|will|lets me|allows me to)|that|which|to|for)"
)
_PHRASES = (
    # what comes next
    r"and|but|so|also|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|finally|lastly|furthermore|additionally",
    r"besides|meanwhile|afterwards|(?:after|before|once|when|while|as soon as) you(?:'ve)?",
    # greetings and manners
    r"hey|hi|hello|ok|okay|now|please|kindly|just|to|help me(?: to)?",
    # asking somebody
    r"(?:could|can|would|will) you|are you able to|(?:is there )?any chance (?:that )?you (?:could|can)",
    r"is there (?:an?|any|some) way(?: that)? (?:you|i|we) (?:could|can)",
    r"it would be (?:great|nice|good) if you could|(?:i was |i am |i'm )?wondering if (?:you|i|we) (?:could|can)",
    r"i(?:'d| would) (?:also )?(?:like|love) (?:you )?to|i (?:also )?(?:need|want) (?:you )?to",
    # asking how
    r"how (?:do|does|can|could|would|should|might) (?:i|we|you|one|someone|somebody|a user)|how to|(?:what|how) about",
    r"(?:(?:show|tell|teach|explain to) (?:me|us)|find out|do you know|i don't know) how (?:to|(?:i|we) can|do i)",
    r"(?:is it|would it be|if it(?:'s| is)) possible (?:for (?:you|me|us) )?to|(?:is it|am i) able to|can (?:i|we)",
    # saying what one is about to do
    r"(?:i'm|i am|we're|we are) (?:trying|going|about) to|(?:i|we) (?:have|ought) to|i think (?:you|i|we) should",
    # asking for a tool
    rf"(?:(?:is|are) there|(?:do|have) (?:you|we) (?:have|got)) (?:an?|any|some) {_TOOL}{_FOR}",
    rf"(?:which|what)(?:'s| is)?(?: the)?(?: best| easiest| right)? {_TOOL}"
    rf"(?: (?:should|can|could|do|would|must) (?:i|we|you) use)?{_FOR}",
    r"(?:(?:i|we) (?:need|want)|i(?:'m| am) looking for|(?:find|give|get|show)(?: me)?|search for|look for)"
    rf" (?:an?|the|any|some)(?: best| right)? {_TOOL}{_FOR}",
    rf"(?:an? |the )?{_TOOL}{_FOR}",
)
_LEADS = re.compile(rf"(?:(?:{'|'.join(_PHRASES)})\b[\s,]*+|\W++)+", re.IGNORECASE)


def without_lead(text: str) -> str:
    """A text from where it comes to the point; all of it when it never does."""
    lead = _LEADS.match(text.replace("’", "'"))
    return (text[lead.end() :] if lead else text) or text
