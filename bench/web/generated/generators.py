"""Documentation as its generators write it: MkDocs, Sphinx, Docusaurus, Rouge, a hosted README."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web.building import Builder, Page


def mkdocs() -> Page:
    """Material for MkDocs: tabs, line numbers beside short code, buttons to copy it."""
    b = Builder("mkdocs with tabs", "https://docs.mkdocs.example/install/")
    return b.done(f"""<!doctype html><html lang=en><head><title>Install the client | Acme Docs</title></head><body><header class="md-header"><a href="/">{b.noise("Acme front page")}</a></header><div class="md-container"><nav class="md-nav"><ul><li><a href=/c>{b.noise("Reference index")}</a></li></ul></nav>
<main class=md-main><article class="md-content__inner md-typeset">{b.title("Install the client", "h1", "id=install", '<a class=headerlink href="#install">¶</a>')}<p>{b.keep("The client runs on Linux, macOS and Windows. Choose your package manager below.")}</p>
<div class="tabbed-set"><input checked id=t1 type=radio><input id=t2 type=radio><div class="tabbed-labels"><label for=t1>pip</label><label for=t2>conda</label></div><div class="tabbed-content"><div class="tabbed-block"><div class="language-bash highlight"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre><span class="normal">1</span>
<span class="normal">2</span></pre></div></td><td class="code"><div><pre><button class="md-clipboard"></button><code>{b.code("python -m venv .venv" + chr(10) + "pip install acme")}
</code></pre></div></td></tr></table></div></div><div class="tabbed-block"><div class="language-bash highlight"><pre><code>{b.code("conda install acme")}
</code></pre></div></div></div></div>{b.title("Verify")}<div class="admonition warning"><p class="admonition-title">Warning</p><p>{b.keep("Do not run the daemon as root on shared hosts.")}</p></div><details><summary>{b.keep("Why a virtual environment?")}</summary><p>{b.keep("It keeps the client apart from the system.")}</p></details>
{b.paragraphs(2)}<form class="md-feedback"><fieldset><legend>{b.noise("Was this page helpful?")}</legend><button>Yes</button></fieldset></form></article></main></div><footer class=md-footer><a href=/next rel=next>{b.noise("Next: Configuration")}</a></footer></body></html>""")


def sphinx() -> Page:
    """Sphinx: chapters whose ids repeat their headings, signatures, lists of fields."""
    b = Builder("sphinx with chapters", "https://requests.sphinx.example/advanced.html")
    return b.done(f"""<!DOCTYPE html><html lang="en"><head><title>Advanced Usage &#8212; documentation</title></head><body><div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main"><section id="advanced-usage">{b.title("Advanced Usage", "h1")}<p>{b.keep("This document covers the more advanced features.")}</p>
<section id="cookies">{b.title("Cookies", after='<a class="headerlink" href="#cookies">¶</a>')}<p>{b.keep("If a response contains some cookies, you can quickly access them.")}</p><div class="highlight-default notranslate"><div class="highlight"><pre>{b.code("r.cookies")}
</pre></div></div></section><section id="toolbar">{b.title("Toolbar")}<p>{b.keep("The toolbar has three buttons.")}</p></section>
<dl class="py function"><dt class="sig sig-object py"><span class="sig-prename">{b.keep("requests.")}</span><span class="sig-name">get</span>(<em class="sig-param">url</em>)<a class="headerlink" href="#get">¶</a></dt><dd><p>{b.keep("Sends a GET request.")}</p><dl class="field-list simple"><dt class="field-odd">Returns<span class="colon">:</span></dt><dd class="field-odd">{b.keep("A response object")}</dd></dl></dd></dl>
<table class="docutils"><thead><tr><th class="head"><p>Key</p></th><th class="head"><p>Meaning</p></th></tr></thead><tbody>{b.row("timeout", "seconds to wait")}</tbody></table>{b.paragraphs(2)}</section></div></div></div><div class="sphinxsidebar" role="navigation"><ul><li><a href=#x>{b.noise("Session objects of the sidebar")}</a></li></ul></div></div><div class="footer">{b.noise("Powered by Sphinx")}</div></body></html>""")


def docusaurus() -> Page:
    """Docusaurus: panels of tabs that are hidden until somebody clicks."""
    b = Builder("docusaurus with tabs", "https://docusaurus.example/docs/guide")
    return b.done(f"""<html><head><title>Guide | X</title></head><body><nav class="navbar navbar--fixed-top"><a class=navbar__item href=/docs>{b.noise("All the docs")}</a></nav><div class="main-wrapper"><aside class="theme-doc-sidebar-container"><ul class=menu__list><li><a class=menu__link href=/a>{b.noise("Entry of the sidebar")}</a></li></ul></aside><main><article><div class="theme-doc-markdown markdown"><header>{b.title("Guide", "h1")}</header><p>{b.keep("Let us begin with the installation of the tool.")}</p>
<div class="tabs-container"><ul role=tablist class=tabs><li role=tab class="tabs__item">npm</li><li role=tab class=tabs__item>Yarn</li></ul><div><div role=tabpanel><div class="language-bash codeBlockContainer"><div class=codeBlockContent><pre class="prism-code language-bash"><code><span class=token-line><span class="token plain">{b.code("npm install x")}</span><br></span></code></pre><div class=buttonGroup><button>Copy</button></div></div></div></div><div role=tabpanel hidden><div class="language-bash"><pre><code>{b.code("yarn add x")}</code></pre></div></div></div></div>
{b.title("Usage", attributes='class="anchor anchorWithStickyNavbar_x" id=usage')}{b.paragraphs(2)}</div><footer class="theme-doc-footer"><a href=/edit class=theme-edit-this-page>{b.noise("Edit this page")}</a></footer></article><nav class="pagination-nav"><a href=/n><div>{b.noise("The next chapter")}</div></a></nav></main></div></body></html>""")


def readme() -> Page:
    """A README on a forge: code without a language, tasks, a table of options, signs in its cells."""
    b = Builder("readme with options", "https://forge.example/acme/widget")
    return b.done(f"""<html><head><title>acme/widget: A tiny widget toolkit</title></head><body><header><nav><ul><li><a href=/f>{b.noise("Products of the forge")}</a></li></ul></nav></header><main><ul class=pagehead-actions><li><a href=/fork>{b.noise("Fork 123")}</a></li></ul><div id=readme><article class="markdown-body entry-content" itemprop=text><div class=markdown-heading>{b.title("Widget", "h1")}<a class=anchor href=#widget><svg></svg></a></div>{b.paragraphs(1)}
<div class="snippet-clipboard-content notranslate position-relative"><pre class=notranslate><code>{b.code("make install")}</code></pre><div class=zeroclipboard-container><clipboard-copy value="make"></clipboard-copy></div></div><ul class=contains-task-list><li class=task-list-item><input type=checkbox checked disabled> {b.keep("Colours")}</li></ul>
<table><thead><tr><th>Terminal</th><th>Works</th></tr></thead><tbody><tr><td>xterm</td><td><svg aria-label="Yes"></svg></td></tr></tbody></table><p>{b.link("the guide", "docs/guide.md", "https://forge.example/acme/docs/guide.md")} tells {b.keep("more about all of it.")}</p></article></div></main><footer>{b.noise("The forge, Inc.")}</footer></body></html>""")


MAKERS = (mkdocs, sphinx, docusaurus, readme)
