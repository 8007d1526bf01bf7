"""What people say before they come to what they want: *could you please*, *I'd like you to*, *and then*."""

from __future__ import annotations

import re

_LEADS = re.compile(
    r"(?:(?:and|but|so|also|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|finally|lastly|furthermore|additionally"
    r"|besides|meanwhile|afterwards|hey|hi|hello|ok|okay|now|please|kindly|could you|can you|would you|will you|just|to"
    r"|(?:after|before|once|when|while|as soon as) you(?:'ve)?"
    r"|i(?:'d| would) (?:also )?like (?:you )?to|i (?:also )?(?:need|want) (?:you )?to|help me(?: to)?)\b[\s,]*|\W+)++",
    re.IGNORECASE,
)


def without_lead(text: str) -> str:
    """A text from where it comes to the point; all of it when it never does."""
    lead = _LEADS.match(text)
    return (text[lead.end() :] if lead else text) or text
