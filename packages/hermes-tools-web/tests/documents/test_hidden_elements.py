"""What readers do not see is not read, but no effect of a script or style sheet empties a page."""

# ruff: noqa: E501 - markup on long lines, as sites write it

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_tools_web.documents.document import Document

Read = Callable[..., Document]
_STORY = "".join(f"<p>The keeper climbs the tower every evening, and step number {n} creaks.</p>" for n in range(8))


@pytest.mark.parametrize(
    ("style", "attributes"),
    [
        (".loading{visibility:hidden}", 'class="loading"'),
        (".tab{display:none}.tab.on{display:block}", 'class="tab"'),
        (".tab{display:none} .js .tab{display:block}", 'class="tab"'),
        (".row{font-size:0}", 'class="row"'),
        ("@media print{.page{display:none}}", 'class="page"'),
        ("@media screen and (max-width:2px){.page{display:none}}", 'class="page"'),
        (".fade{opacity:0}", 'class="fade"'),
        (".js .page{display:none}", 'class="page"'),
        ("", 'style="opacity:0"'),
        ("", 'style="visibility: hidden; opacity: 0;"'),
        ("", 'style="display:none"'),
        ("", 'aria-hidden="true"'),
        ("", 'class="hidden"'),
    ],
)
def test_an_effect_does_not_empty_a_page(read: Read, style: str, attributes: str) -> None:
    for tag in ("body", "div", "main"):
        page = f"<html><head><style>{style}</style></head><body><{tag} {attributes}><h1>Tower</h1>{_STORY}</{tag}></body></html>"
        written = read(page.replace("<body><body", "<body").replace("</body></body>", "</body>")).markdown
        assert all(f"step number {n} creaks" in written for n in range(8))


def test_a_style_sheet_for_paper_hides_nothing(read: Read) -> None:
    page = f"<style media='print'>.q{{display:none}}</style><main><h1>Tower</h1><p class='q'>KEPT on screens.</p>{_STORY}</main>"
    assert "KEPT" in read(page).markdown


def test_a_column_with_its_own_font_size_is_seen(read: Read) -> None:
    columns = f'<div style="font-size:0"><div style="font-size:16px">{_STORY}</div></div>'
    assert "step number 7 creaks" in read(f"<body><h1>Tower</h1>{_STORY}{_STORY}{columns}</body>").markdown


@pytest.mark.parametrize(
    "style",
    [
        ".q{display:none}",
        "p.q{display:none!important}",
        "#s{visibility:hidden}",
        ".a,.q{display:none}",
        ".q{padding:1px}.q{display:none}",
        "@import 'x.css';.q{display:none}",
        "@media print{.x{display:block}}.q{display:none}",
        ".q{position:absolute;left:-9999px}",
        "/* } */.q{display:none}",
    ],
)
def test_a_simple_rule_hides(read: Read, style: str) -> None:
    page = f"<style>{style}</style><main><h1>Tower</h1>{_STORY}<p class='q' id='s'>SECRET</p>{_STORY}</main>"
    assert "SECRET" not in read(page).markdown


def test_a_page_that_a_script_reveals_says_so(read: Read) -> None:
    found = read(f"<body><div style='visibility:hidden'><h1>Tower</h1>{_STORY}</div></body>")
    assert any("until a script shows it" in note for note in found.notes)


def test_much_hidden_text_is_not_left_out_silently(read: Read) -> None:
    parts = "".join(f"<div hidden>{_STORY}</div>" for _ in range(4))
    found = read(f"<body><main><h1>Tower</h1>{_STORY}{parts}</main></body>")
    assert found.markdown.count("step number 7") == 1
    assert any("hidden from readers" in note for note in found.notes)


def test_an_attribute_hides_however_long_the_text_is(read: Read) -> None:
    found = read(
        f"<body><main><h1>Tower</h1><p>One short text is all that a reader sees here.</p><div hidden>{_STORY}</div></main></body>"
    )
    assert "creaks" not in found.markdown
