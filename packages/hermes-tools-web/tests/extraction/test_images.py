"""Pictures that are spelled out in a text are taken out of it."""

from __future__ import annotations

import time

import pytest

from hermes_tools_web.extraction.extract import strip_inline_images

DATA = "data:image/png;base64," + "iVBORw0KGgo=" * 50


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"a ![A cat]({DATA}) b", "a [image: A cat] b"),
        (f"a ![]({DATA}) b", "a [image] b"),
        (f'a ![x]({DATA} "A title") b', "a [image: x] b"),
        (f"a ![x](<{DATA}>) b", "a [image: x] b"),
        (f'<img src="{DATA}" alt="x">', '<img src="[image]" alt="x">'),
        (f"{DATA.replace('png', 'svg+xml;charset=utf-8')} b", "[image] b"),
        (DATA.replace("data:image", "DATA:Image"), "[image]"),
        (f"![a]({DATA})![b]({DATA})", "[image: a][image: b]"),
    ],
)
def test_a_picture_becomes_a_word(text: str, left: str) -> None:
    assert strip_inline_images(text) == left


@pytest.mark.parametrize(
    "text",
    ["", "plain", "![A cat](https://example.org/cat.png)", "data:text/plain;base64,aGVsbG8=", "base64, data:image/png"],
)
def test_everything_else_stays(text: str) -> None:
    assert strip_inline_images(text) == text


@pytest.mark.parametrize(
    "unit", ["![", "data:image/", "data:image/a;", f"![x]({DATA[:60]}", "![x](data:image-was-here"]
)
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit)) + DATA
        begun = time.process_time()
        strip_inline_images(text)
        return time.process_time() - begun

    small = max(min(seconds(20_000) for _ in range(3)), 0.0005)
    assert min(seconds(200_000) for _ in range(2)) < small * 60
