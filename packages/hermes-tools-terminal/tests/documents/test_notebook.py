"""The text of a Jupyter notebook."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.documents.extractors import DocumentError
from hermes_tools_terminal.documents.notebook import extract_text


def notebook(*cells: Any) -> bytes:
    return json.dumps({"nbformat": 4, "cells": cells}).encode()


def test_cells_are_told_with_what_they_printed() -> None:
    code = {
        "cell_type": "code",
        "source": ["x = 1\n", "print(x)"],
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
            {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": ["<Figure>"]}},
            {"output_type": "error", "traceback": ["\x1b[31mValueError\x1b[0m: x"]},
        ],
    }
    assert extract_text(notebook({"cell_type": "markdown", "source": "# Title"}, code)) == (
        "--- Cell 1 [markdown] ---\n# Title\n\n--- Cell 2 [code] ---\nx = 1\nprint(x)\n--- Output ---\n1\n"
        "--- Output ---\n<Figure>\n[image/png]\n--- Output ---\nValueError: x"
    )


def test_an_old_notebook_has_its_cells_on_worksheets() -> None:
    old = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "y = 2"}]}]}
    assert extract_text(json.dumps(old).encode()) == "--- Cell 1 [code] ---\ny = 2"


def test_a_long_output_is_cut() -> None:
    cell = {"cell_type": "code", "source": "", "outputs": [{"text": "a" * 50_000}]}
    assert extract_text(notebook(cell)).endswith("aaa\n[40000 more characters]")


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b'{"cells": 5}', b"\xff\xfe{", b"[" * 100_000])
def test_what_is_no_notebook_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(DocumentError, match="notebook"):
        extract_text(data)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["cells", "source", "outputs", "data", "text", "traceback", "text/plain", "worksheets"]),
            inner,
            max_size=4,
        ),
    ),
)


@given(JSON)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_json_gives_text_or_a_clear_error(value: Any) -> None:
    try:
        assert isinstance(extract_text(json.dumps(value).encode()), str)
    except DocumentError as error:
        assert "cells" in str(error)  # noqa: PT017 - both outcomes are right
