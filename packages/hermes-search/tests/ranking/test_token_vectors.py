"""How the vectors of the extra are moved: what is written is read again, and what does not fit is refused."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from hermes_search import ToolIndex
from hermes_search.ranking import embeddings

with_extra = pytest.mark.skipif(not embeddings.installed(), reason="needs the extra: numpy, tokenizers, wordllama")


def _movements(rows: int) -> tuple[Any, bytes]:
    np = import_module("numpy")
    patterns = np.zeros((2, 256, embeddings.PART))
    patterns[0, 3] = 1.0
    patterns[1, 7] = -0.5
    codes = np.array([[3, 0], [0, 7]])
    return np.zeros((rows, 2 * embeddings.PART), dtype=np.float32), embeddings.pack(
        rows, np.array([1, 4]), codes, patterns
    )


@with_extra
def test_pieces_move_as_it_was_written_and_the_others_stay() -> None:
    table, raw = _movements(5)
    found = embeddings.move_pieces(table, raw).tolist()
    assert found[1] == pytest.approx([1.0] * embeddings.PART + [0.0] * embeddings.PART, abs=0.01)
    assert found[4] == pytest.approx([0.0] * embeddings.PART + [-0.5] * embeddings.PART, abs=0.01)
    assert [found[it] for it in (0, 2, 3)] == [[0.0] * 2 * embeddings.PART] * 3
    assert not table.any(), "the table itself was changed"


@with_extra
@pytest.mark.parametrize("cut", [0, 3, 20, -1])
def test_a_file_that_is_not_whole_is_refused(cut: int) -> None:
    table, raw = _movements(5)
    with pytest.raises(ValueError, match="incomplete"):
        embeddings.move_pieces(table, raw[:cut])


@with_extra
def test_movements_of_another_table_are_refused() -> None:
    table, _ = _movements(6)
    with pytest.raises(ValueError, match="5 pieces"):
        embeddings.move_pieces(table, _movements(5)[1])


@with_extra
def test_a_broken_file_is_an_error_that_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "token_vectors.bin"
    broken.write_bytes(b"no")
    monkeypatch.setattr(embeddings, "FILE", broken)
    embeddings.load_model.cache_clear()
    try:
        with pytest.raises(embeddings.VectorsUnavailableError, match=r"incomplete.*hermes-search\[search\]"):
            ToolIndex([{"name": "tea"}], embeddings=True)
    finally:
        embeddings.load_model.cache_clear()


@with_extra
def test_the_file_is_small_and_fits_the_model_of_the_extra() -> None:
    assert embeddings.FILE.stat().st_size < 500_000
    plain = embeddings.plain_model()
    changed = (embeddings.load_model().table != plain.table).any(axis=1).sum()
    assert 5_000 < changed < len(plain.table)
