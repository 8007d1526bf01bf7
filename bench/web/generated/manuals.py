"""Manuals: MkDocs Material, a man page, a notebook, a page of source code, definitions of commands."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web import checks
from bench.web.building import Builder, Page

_YAML = "site_name: Tides\nnav:\n  - Home: index.md\n  - Guide:\n      - Start: start.md"
_GO = "func main() {\n\tfor i := 0; i < 3; i++ {\n\t\tfmt.Println(i)\n\t}\n}"


def material() -> Page:
    """A page of MkDocs Material: code with anchors for lines, tabs, admonitions in details."""
    b = Builder("mkdocs", "https://tides.mkdocs.example/setup/")
    lines = "\n".join(
        f'<span id="__span-0-{n}"><a id="__codelineno-0-{n}" name="__codelineno-0-{n}" href="#__codelineno-0-{n}"></a>{line}</span>'
        for n, line in enumerate(b.code(_YAML).split("\n"), 1)
    )
    return b.done(f"""<!doctype html><html lang="en" class="no-js"><head><title>Setup - Tides</title></head><body dir="ltr" data-md-color-scheme="default"><div data-md-component="skip"><a href="#setup" class="md-skip">{b.noise("Skip to content of page")}</a></div><header class="md-header"><nav class="md-header__inner"><a href=".." class="md-header__button">{b.noise("Tides logo home")}</a></nav></header>
<div class="md-container"><main class="md-main"><div class="md-main__inner md-grid"><div class="md-sidebar md-sidebar--primary"><nav class="md-nav md-nav--primary"><ul class="md-nav__list"><li class="md-nav__item"><a href="../" class="md-nav__link">{b.noise("Overview nav entry")}</a></li></ul></nav></div><div class="md-sidebar md-sidebar--secondary"><nav class="md-nav md-nav--secondary"><label class="md-nav__title">{b.noise("Table of contents label")}</label></nav></div>
<div class="md-content"><article class="md-content__inner md-typeset"><a href="https://git.example/edit" title="Edit this page" class="md-content__button md-icon"></a><h1 id="setup">Setup<a class="headerlink" href="#setup" title="Permanent link">&para;</a></h1>{b.paragraphs(1)}<div class="language-yaml highlight"><span class="filename">mkdocs.yml</span><pre id="__code_0"><span></span><button class="md-clipboard"></button><code>{lines}
</code></pre></div><details class="warning"><summary>{b.keep("Before you upgrade")}</summary><p>{b.keep("Make a copy of the folder first.")}</p></details>
<div class="md-typeset__scrollwrap"><div class="md-typeset__table"><table><thead><tr><th>Key</th><th>Default</th></tr></thead><tbody>{b.row("site_dir", "site")}{b.row("strict", "false")}</tbody></table></div></div><p>Press <kbd>Ctrl</kbd>+<kbd>C</kbd> {b.keep("to stop the server.")}</p></article></div></div></main>
<footer class="md-footer"><nav class="md-footer__inner"><a href="../next/" class="md-footer__link md-footer__link--next"><div class="md-footer__title"><span>Next</span><div class="md-ellipsis">{b.noise("Deploying your site chapter")}</div></div></a></nav><div class="md-copyright">Made with Material</div></footer></div></body></html>""")


def man_page() -> Page:
    """A manual page made of `pre` and definitions."""
    b = Builder("manpage")
    options = "".join(
        f"<dt><b>{option}</b></dt><dd>{b.keep(said)}</dd>"
        for option, said in (
            ("-a, --all", "Show hidden stations, too."),
            ("-n <i>count</i>", "Stop after this many lines."),
            ("--utc", "Print times in UTC."),
        )
    )
    return b.done(
        f"""<!DOCTYPE html><html><head><title>tide(1)</title></head><body><table class="head"><tr><td>TIDE(1)</td><td>General Commands Manual</td></tr></table><div class="nav-bar"><a href="../">{b.noise("Manual index link")}</a> <a href="tidal.5">{b.noise("Other sections link")}</a></div><section class="Sh"><h1 id="NAME">NAME</h1><p><code class="Nm">tide</code> — {b.keep("print the next high and low water")}</p></section><section class="Sh"><h1>SYNOPSIS</h1><pre>{b.code("tide [-a] [-n count]" + chr(10) + "     [--utc] station ...")}</pre></section><section><h1>OPTIONS</h1><dl class="Bl-tag">{options}</dl></section><section><h1>EXAMPLES</h1><p>{b.keep("Print the next three tides at Ornby:")}</p><pre>{b.code("$ tide -n 3 ornby" + chr(10) + "  04:12 high 3.1 m")}</pre></section></body></html>"""
    )


def source_file() -> Page:
    """A file of source code with line numbers in a table."""
    b = Builder("sourcefile", "https://git.sourcefile.example/blob/main/loop.go")
    rows = "".join(
        f'<tr><td id="L{n}" class="blob-num js-line-number" data-line-number="{n}"></td><td id="LC{n}" class="blob-code blob-code-inner js-file-line">{line}</td></tr>'
        for n, line in enumerate(b.code(_GO).split("\n"), 1)
    )
    return b.done(
        f"""<!DOCTYPE html><html><head><title>loop.go</title></head><body><header class="AppHeader" role="banner"><a href="/">{b.noise("Homepage of git host")}</a></header><main id="js-repo-pjax-container"><nav class="js-repo-nav"><a href="/pulls">{b.noise("Pull requests 3")}</a></nav><div class="file"><div class="file-header"><span>{b.keep("6 lines (5 sloc)")}</span> <a href="/raw">Raw</a></div><table class="highlight tab-size js-file-line-container"><tbody>{rows}</tbody></table></div></main><footer class="footer">{b.noise("Status of the git host")}</footer></body></html>"""
    )


def gutter() -> Page:
    """A blog post with code beside a column of line numbers, and one with numbers in the lines."""
    b = Builder("gutter")
    code = b.code("if ready:\n    start()\nelse:\n    wait(5)")
    numbers = "\n".join(map(str, range(1, 5)))
    return b.done(
        f"""<html><head><title>Waiting</title></head><body><div class="page"><div class="page-head"><ul class="top-menu"><li><a href="/all">{b.noise("All older entries")}</a></li></ul></div><div class="post"><h2 class="title">Waiting well</h2>{b.paragraphs(2)}<figure class="highlight python"><table><tr><td class="gutter"><pre><span class="line">{numbers}</span></pre></td><td class="code"><pre>{code}</pre></td></tr></table></figure>{b.paragraphs(1)}<p>Docs: {b.link("the manual", "../manual/wait.html", "https://www.gutter.example/manual/wait.html")}</p></div><div class="post-nav"><a href="/older">{b.noise("« Sleeping badly")}</a></div></div></body></html>"""
    )


def command_list() -> Page:
    """A nested list of lists, three levels deep, numbered and not."""
    b = Builder("outline")
    b.expect(*map(checks.item, ("Prepare the boat", "Check the oil", "only when cold", "Cast off", "bow line first")))
    return b.done(
        f"""<!doctype html><html><head><title>Outline</title></head><body><div id="nav"><a href="/">{b.noise("Course start")}</a></div><div id="main-content"><h1>Leaving port</h1><p>{b.keep("Follow the steps in this order, every time.")}</p><ol><li>Prepare the boat<ul><li>Check the oil<ul><li>only when cold</li></ul></li><li>Check the lamps</li></ul></li><li><p>Cast off</p><ul><li>bow line first</li><li>then the stern line</li></ul></li></ol></div><div id="footer"><a href="/imprint">{b.noise("Imprint of the course")}</a></div></body></html>"""
    )


MAKERS = (material, man_page, source_file, gutter, command_list)
