"""Vectors of texts from a small static model, for questions that share no word with the tool they mean.

The model is a table: one vector for each piece of a word. The vector of a text is the sum of its pieces', so that
making one costs microseconds and needs no neural network. The table comes inside the wheel of `wordllama`; its files
are read directly, because importing that package sets up logging for the whole process, and looks for files on the
network. `pieces` says where its vectors are better placed for finding tools.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hermes_core.errors import ConfigError
from hermes_core.families import install_command
from hermes_core.search import pieces as movements
from hermes_core.search.words import split

_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_PIECES = Path("tokenizers", "l2_supercat_tokenizer_config.json")
Array = Any
"""An array of numpy, which is there only with the extra; its types are not wanted where it is not."""
EXTRA = "hermes-core[search]"


def installed() -> bool:
    """Whether what the vectors need is there."""
    return all(find_spec(name) is not None for name in ("numpy", "tokenizers", "wordllama"))


def numpy() -> Any:
    """The module, when it is needed."""
    return import_module("numpy")


class Model:
    """A table of vectors.

    Attributes:
        table: The vectors, a row for each piece.
        pieces: What cuts a text into the pieces that the table knows.
    """

    def __init__(self, table: Array, pieces: Any) -> None:
        self.table = table
        self.pieces = pieces

    def vectors(self, texts: Sequence[str], longest: int) -> Array:
        """One row of length 1 for each text, made of so many characters; zeros for a text without a known piece."""
        np = numpy()
        rows = np.zeros((len(texts), self.table.shape[1]), dtype=np.float32)
        for number, text in enumerate(texts):
            # One at a time: for texts this short, spreading them over threads costs more than it gains.
            rows[number] = self.table[self.numbers(text, longest)].sum(axis=0)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def numbers(self, text: str, longest: int) -> list[int]:
        """The pieces of a text, made of so many characters, as numbers of rows."""
        found: list[int] = self.pieces.encode(" ".join(split(text[:longest])), add_special_tokens=False).ids
        return found


@lru_cache(maxsize=1)
def load_model() -> Model:
    """The model with its vectors where they find tools best, read once in a process.

    Raises:
        ConfigError: the extra is not installed.
    """
    plain = plain_model()
    try:
        return Model(movements.moved(plain.table, movements.FILE.read_bytes()), plain.pieces)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"The vectors cannot be moved: {error}. Install both anew: {install_command(EXTRA)}"
        ) from error


def plain_model() -> Model:
    """The model as its authors publish it.

    Raises:
        ConfigError: the extra is not installed.
    """
    if not installed():
        raise ConfigError(f"Searching by meaning needs an extra that is not installed: {install_command(EXTRA)}")
    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    try:
        table = _read_table((folder / _WEIGHTS).read_bytes())
        pieces = import_module("tokenizers").Tokenizer.from_file(str(folder / _PIECES))
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(
            f"The vectors inside of wordllama cannot be read ({error}). Install it anew: {install_command(EXTRA)}"
        ) from error
    pieces.no_padding()
    pieces.no_truncation()
    return Model(table, pieces)


def _read_table(raw: bytes) -> Array:
    """A safetensors file: eight bytes of length, a header in JSON, and then the numbers."""
    np = numpy()
    start = 8 + int.from_bytes(raw[:8], "little")
    about = json.loads(raw[8:start])["embedding.weight"]
    first, last = about["data_offsets"]
    halves = np.frombuffer(raw[start + first : start + last], dtype=np.float16)
    return halves.reshape(about["shape"]).astype(np.float32)
