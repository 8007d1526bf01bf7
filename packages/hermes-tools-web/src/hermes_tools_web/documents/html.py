"""Parse an HTML page: metadata, main content as Markdown, and links."""

from __future__ import annotations

from hermes_tools_web.documents.aria import convert_aria_tables, label_icons
from hermes_tools_web.documents.content.boilerplate import drop_boilerplate, drop_link_bars
from hermes_tools_web.documents.content.empty_pages import (
    FRAMES,
    NEEDS_SCRIPT,
    is_complete,
    is_short,
    list_frames,
    needs_script,
)
from hermes_tools_web.documents.content.main_content import drop_unselected, find_main_content, run_trafilatura
from hermes_tools_web.documents.content.text_density import mark_title_link, measure_text
from hermes_tools_web.documents.document import Document
from hermes_tools_web.documents.hidden_elements import drop_hidden
from hermes_tools_web.documents.html_tree import Node, limit_markup, parse_html
from hermes_tools_web.documents.links import LinkResolver, collect_links, make_link_resolver
from hermes_tools_web.documents.markdown.blocks import write_markdown
from hermes_tools_web.documents.metadata import read_metadata

_EMPTY = "The page is empty."
_UNGUIDED = "trafilatura could not be imported ({problem}), so the text may include boilerplate."
_MUCH = 400
"""More text than a footer and a banner have."""


def read_html(text: str, url: str, *, links: bool = False) -> Document:
    """Parse a page without its boilerplate."""
    text, note = limit_markup(text)
    root = parse_html(text)
    if root is None:
        return Document(kind="html", notes=(_EMPTY,))
    addresses = make_link_resolver(root, url)
    metadata = read_metadata(root, addresses)
    found = collect_links(root, addresses) if links else ()
    frames = list_frames(root, addresses)
    scripted = needs_script(root)
    markdown, problem = _contents(root, text, addresses)
    notes = [note] if note else []
    if problem:
        notes.append(_UNGUIDED.format(problem=problem))
    if frames:
        markdown = f"{markdown}\n\n{frames}".strip()
        notes.append(FRAMES)
    elif scripted and is_short(markdown):
        notes.append(NEEDS_SCRIPT)
    elif not markdown:
        notes.append(_EMPTY)
    return Document(
        kind="html",
        title=metadata.title,
        markdown=markdown,
        facts=metadata.facts,
        links=found,
        notes=tuple(notes),
        canonical=metadata.canonical,
        robots=metadata.robots,
    )


def _contents(root: Node, text: str, addresses: LinkResolver) -> tuple[str, str]:
    """Return the main content as Markdown, and why trafilatura could not be imported."""
    convert_aria_tables(root)
    label_icons(root)
    mark_title_link(root)
    drop_hidden(root)
    visible = sum(len(piece.strip()) for piece in root.itertext())
    selected = run_trafilatura(root)
    drop_boilerplate(root)
    weights = measure_text(root)
    part = find_main_content(root, weights, selected)
    drop_unselected(part, weights, selected)
    drop_link_bars(part, weights)
    markdown = write_markdown(part, addresses)
    if is_short(markdown) and visible > 2 * len(markdown):
        # Nearly everything was taken for boilerplate: then it is the content, unless it is only links.
        whole = _parse_visible(text)
        if whole is not None and not (is_complete(markdown) and measure_text(whole)[whole].own < len(markdown) + _MUCH):
            return write_markdown(whole, addresses), selected.problem
    return markdown, selected.problem


def _parse_visible(text: str) -> Node | None:
    """Parse a page and keep everything that is visible."""
    root = parse_html(text)
    if root is not None:
        convert_aria_tables(root)
        label_icons(root)
        drop_hidden(root)
    return root


def markdown_of_fragment(text: str, url: str) -> str:
    """Convert a whole fragment of markup to Markdown."""
    root = _parse_visible(text)
    return "" if root is None else write_markdown(root, LinkResolver(url))
