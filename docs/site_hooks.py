"""MkDocs hooks: captions of code blocks, inline diagrams, line breaks in tables, and a check for remote files."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

_CAPTION = re.compile(r"^(?:`([^`\s]+)`|(Output)):\n\n```(\w+)$", re.MULTILINE)
_DIAGRAM = re.compile(r'<p><img alt="([^"]*)" src="(?:\.\./)*([\w-]+\.svg)" ?/?></p>')
_CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)
_CODE = re.compile(r"(?<=<code>)[^<]+(?=</code>)")
_REMOTE = re.compile(
    r"""<(?:script|img|iframe|source|embed|object|audio|video)\b[^>]*\s(?:src|data)=["']?(?:https?:)?//[^>]*>"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*\shref=["']?(?:https?:)?//[^>]*>"""
    r"""|url\(["']?(?:https?:)?//[^)]*\)|@import\s+["'](?:https?:)?//[^;]*"""
    r"""|["'`](?:https?:)?//(?:unpkg\.com|esm\.sh|[\w.-]*\bcdn\b[\w.-]*|\w+\.googleapis\.com)/[^"'`]*""",
    re.IGNORECASE,
)
_OPTIONAL_SCRIPT = re.compile(r'"https://unpkg\.com/[^"]*"')


def on_page_markdown(markdown: str, **_: object) -> str:
    """Turn the line above a code block, with its file name or the word Output, into the title of the block."""
    return _CAPTION.sub(lambda found: f'```{found[3]} title="{found[1] or found[2]}"', markdown)


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Put diagrams into the page, where they use its colors, and let long names in tables break at dots and dashes."""

    def inline(found: re.Match[str]) -> str:
        source = Path(str(page.file.abs_src_path)).parent / found[2]
        return f'<figure class="diagram">{source.read_text(encoding="utf-8")}</figure>'

    return _CELL.sub(lambda cell: _CODE.sub(_breakable, cell[0]), _DIAGRAM.sub(inline, html))


def _breakable(code: re.Match[str]) -> str:
    text = code[0].replace("\\|", "|")  # GitHub needs bars escaped in code, too; MkDocs shows the backslash
    return re.sub(r"(?<=\w)([._/|]|-(?=\w))(?=\S)", r"\1<wbr>", text)


def on_post_build(config: MkDocsConfig) -> None:
    """Keep the theme's script from loading anything from a CDN, and fail if any file of the site does."""
    for file in Path(config.site_dir, "assets", "javascripts").glob("bundle.*.js"):
        # The theme would load Mermaid, and a polyfill for old browsers, from a CDN. The pages need neither.
        file.write_text(_OPTIONAL_SCRIPT.sub('"about:blank"', file.read_text(encoding="utf-8")), encoding="utf-8")
    files = [file for ending in ("html", "css", "js") for file in sorted(Path(config.site_dir).rglob(f"*.{ending}"))]
    remote = {file: found for file in files if (found := find_remote(file.read_text(encoding="utf-8")))}
    if remote:
        raise PluginError("\n".join(f"{file} loads {found[0]}" for file, found in remote.items()))


def find_remote(text: str) -> list[str]:
    """Find everything that a page, stylesheet or script loads from another host."""
    return _REMOTE.findall(text)
