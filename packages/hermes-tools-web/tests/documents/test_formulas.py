"""Formulas that a page has only as MathML are written so that they can be read."""

# ruff: noqa: E501 - markup on long lines, as sites write it

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_tools_web.documents.document import Document

Read = Callable[..., Document]


@pytest.mark.parametrize(
    ("markup", "written"),
    [
        ("<mfrac><mi>a</mi><mi>b</mi></mfrac>", "a/b"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac>", "(a+1)/b"),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"),
        ("<msup><mi>e</mi><mrow><mi>i</mi><mi>t</mi></mrow></msup>", "e^(it)"),
        ("<msub><mi>x</mi><mi>i</mi></msub>", "x_i"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        ("<munderover><mo>∑</mo><mi>k</mi><mi>n</mi></munderover><mi>k</mi>", "∑_k^nk"),
        ("<msqrt><mi>x</mi><mo>+</mo><mi>y</mi></msqrt>", "√(x+y)"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "root(x, 3)"),
        ("<mtable><mtr><mtd>1</mtd><mtd>0</mtd></mtr><mtr><mtd>0</mtd><mtd>1</mtd></mtr></mtable>", "[1, 0; 0, 1]"),
        ("<mi>a</mi><mphantom><mi>q</mi></mphantom><mo>=</mo><mn>1</mn>", "a=1"),
        ("<semantics><mi>a</mi><annotation encoding='MathML-Content'>junk</annotation></semantics>", "a"),
        ("<msup><mi>x</mi></msup>", "x"),
    ],
)
def test_the_structure_of_a_formula_is_written(read: Read, markup: str, written: str) -> None:
    assert read(f"<body><p>It is <math>{markup}</math>.</p></body>").markdown == f"It is {written}."


def test_a_formula_of_any_depth_is_read(read: Read) -> None:
    deep = "<msup><mi>x</mi>" * 200 + "<mn>2</mn>" + "</msup>" * 200
    assert "x" in read(f"<body><p>It is <math>{deep}</math>.</p></body>").markdown


def test_a_formula_with_a_picture_is_written_once(read: Read) -> None:
    math = "<math alttext='x^2'><msup><mi>x</mi><mn>2</mn></msup></math>"
    page = f"<p>It is <span><span class='a'>{math}</span><img class='mwe-math-fallback-image' alt='x^2' src='/x'></span> here.</p>"
    assert read(f"<body>{page}</body>").markdown == "It is $x^2$ here."
