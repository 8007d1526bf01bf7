"""Hide secrets: in logs with `redact`, and in text that a model may write back with `mask_secrets`.

A name is imported from its module when it is first used: most processes have no secrets to hide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_text.secrets.commands import redact_words as redact_words
    from hermes_text.secrets.encoded_secrets import encodings as encodings
    from hermes_text.secrets.masks import Mask as Mask
    from hermes_text.secrets.masks import find_masks as find_masks
    from hermes_text.secrets.masks import mask_secrets as mask_secrets
    from hermes_text.secrets.masks import new_masks as new_masks
    from hermes_text.secrets.redaction import redact as redact
    from hermes_text.secrets.secret_names import MASK as MASK
    from hermes_text.secrets.secret_names import looks_secret as looks_secret
    from hermes_text.secrets.secret_names import masked as masked

    __all__: list[str]
else:
    from hermes_text.lazy_names import lazy_names

    __all__, __getattr__, __dir__ = lazy_names()
