"""A docstring in any of the three usual spellings gives a description and one text for each parameter."""

from __future__ import annotations

import textwrap

import pytest

from hermes_schemas.docstring import read_docstring

GOOGLE = """Search the web.

    Finds pages, newest first.

    Args:
        query: What to look for,
            in any language.
        limit (int, optional): How many results.
        where (dict[str, tuple(int, int)]): A place.

    Returns:
        The results.
    """

NUMPY = """Search the web.

    Finds pages, newest first.

    Parameters
    ----------
    query : str
        What to look for,
        in any language.
    limit : int, optional
        How many results.
    where
        A place.

    Returns
    -------
    list
        The results.
    """

SPHINX = """Search the web.

    Finds pages, newest first.

    :param query: What to look for,
        in any language.
    :param int limit: How many results.
    :type query: str
    :param where: A place.
    :returns: The results.
    """


@pytest.mark.parametrize("doc", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_each_spelling_describes_the_parameters(doc: str) -> None:
    found = read_docstring(doc)
    assert found.parameters == {
        "query": "What to look for, in any language.",
        "limit": "How many results.",
        "where": "A place.",
    }
    assert found.text.startswith("Search the web.\n\nFinds pages, newest first.")
    assert "How many" not in found.text
    assert "The results." in found.text


def test_no_docstring_is_an_empty_description() -> None:
    assert read_docstring(None).text == ""
    assert read_docstring("").parameters == {}


def test_a_plain_docstring_is_the_description() -> None:
    assert read_docstring("  One line.  ").text == "One line."


@pytest.mark.parametrize("heading", ["Args", "Arguments", "Parameters", "Params", "args", "Keyword Args"])
def test_google_sections_have_several_headings(heading: str) -> None:
    assert read_docstring(f"Do.\n\n{heading}:\n    x: The x.\n").parameters == {"x": "The x."}


def test_a_paragraph_of_a_google_item_stays_with_it() -> None:
    found = read_docstring(
        "Do.\n\nArgs:\n    x: First.\n\n        Second: with a colon.\n    y: Other.\n\nNote: after.\n"
    )
    assert found.parameters == {"x": "First. Second: with a colon.", "y": "Other."}
    assert found.text == "Do.\n\nNote: after."


def test_numpy_names_that_share_a_description_all_get_it() -> None:
    found = read_docstring("Do.\n\nParameters\n----------\nx, y : int\n    A coordinate.\n*rest\n    Others.\n")
    assert found.parameters == {"x": "A coordinate.", "y": "A coordinate.", "rest": "Others."}


def test_stars_before_a_name_do_not_count() -> None:
    assert read_docstring("Do.\n\nArgs:\n    **options: More.\n").parameters == {"options": "More."}
    assert read_docstring("Do.\n\n:param **options: More.\n").parameters == {"options": "More."}


def test_text_after_the_section_stays_in_the_description() -> None:
    found = read_docstring("Do.\n\nArgs:\n    x: The x.\n\nExample:\n    do(1)\n")
    assert found.text == "Do.\n\nExample:\n    do(1)"


def test_windows_line_ends_are_read() -> None:
    assert read_docstring("Do.\r\n\r\nArgs:\r\n    x: The x.\r\n").parameters == {"x": "The x."}


@pytest.mark.parametrize(
    "doc",
    [
        "Do.\n\nArgs:\n",
        "Do.\n\nParameters\n----------\n",
        "Do.\n\n:param:\n",
        "Do.\n\n:param : x\n",
        "-----\n-----\n",
        ":type x: int",
    ],
)
def test_unfinished_sections_name_no_parameter(doc: str) -> None:
    assert read_docstring(doc).parameters == {}


@pytest.mark.parametrize(
    "unit", [":param a", "Args:\n  a    b", ":param    a", "x, ", "Parameters\n-----\n  y,", "a ((", "\n    "]
)
def test_reading_is_linear(unit: str) -> None:
    """Long strange docstrings: any backtracking would not come back within the test run."""
    for doc in (unit * 20_000, unit + " " * 200_000 + "x", ":param " + unit * 20_000):
        assert read_docstring(textwrap.indent(doc, "  ")).parameters is not None
