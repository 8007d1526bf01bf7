"""Articles: a newspaper, a blog, a recipe, a landing page, a homepage of headlines."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web import checks
from bench.web.building import Builder, Page


def newspaper() -> Page:
    """A newspaper with a mega menu, teasers, a consent dialog and a newsletter box in the text."""
    b = Builder("newspaper")
    menu = "".join(
        f'<li><a href="/{name.lower()}">{b.noise(name + " desk")}</a></li>'
        for name in ("World", "Politics", "Opinion", "Sport")
    )
    more = "".join(
        f'<article class="teaser"><a href="/n/{n}"><h3>{b.noise(f"Teaser headline number {n} about elsewhere")}</h3></a></article>'
        for n in range(5)
    )
    return b.done(f"""<!doctype html><html lang="en"><head><title>Bridge reopens after a decade | The Daily Tide</title>
<meta property="og:title" content="Bridge reopens after a decade"><meta name="author" content="Mara Quist">
<meta property="article:published_time" content="2025-03-04T06:00:00Z"><script>window.dataLayer=[{{"secret":"{b.noise("tracking payload")}"}}]</script></head>
<body class="story-page has-sidebar"><div id="onetrust-banner-sdk" role="dialog" aria-label="Privacy"><p>{b.noise("We and our 842 partners store information on a device")}</p>
<button>{b.noise("Accept everything")}</button></div><header class="site-header"><a href="/">The Daily Tide</a><nav><ul>{menu}</ul></nav></header>
<div class="layout"><main><article><header><h1>Bridge reopens after a decade</h1><p class="standfirst">{b.keep("The crossing that divided two towns is open again, and the queue began at dawn.")}</p>
<div class="byline">By <a rel="author" href="/by/mara">{b.keep("Mara Quist")}</a> <time datetime="2025-03-04">{b.keep("4 March 2025")}</time></div>
<ul class="share-tools"><li><a href="#">{b.noise("Share on Facebook")}</a></li><li><a href="#">{b.noise("Post on X")}</a></li></ul></header>
<figure><img src="/img/b.jpg" alt="The bridge at dawn"><figcaption>{b.keep("The bridge on Tuesday morning. Photograph: A. Lind")}</figcaption></figure>
{b.paragraphs(3)}<div class="newsletter-signup"><h4>{b.noise("Get the morning briefing")}</h4><form><input type="email" placeholder="E-mail"><button>{b.noise("Sign me up")}</button></form></div>
<p>The council had {b.link("published its plan", "/docs/plan.pdf?utm_source=tide&v=2", "https://www.newspaper.example/docs/plan.pdf?v=2")} in January.</p>
<blockquote><p>{b.keep("We never thought we would see it in our lifetime")}</p><footer>— {b.keep("Ilse Brandt, baker")}</footer></blockquote>
<aside class="ad-slot"><span>{b.noise("Advertisement: cheaper heating")}</span></aside>{b.paragraphs(4)}
<h2>What happens next</h2>{b.paragraphs(2)}</article>
<section class="related-stories"><h2>{b.noise("More on this story")}</h2>{more}</section></main>
<aside class="sidebar"><h3>{b.noise("Most viewed today")}</h3><ol><li><a href="/q">{b.noise("Ten lamps you cannot live without")}</a></li><li><a href="/r">{b.noise("Quiz of the week 311")}</a></li></ol></aside></div>
<footer><p>{b.noise("© 2025 Daily Tide Media Group")}</p><a href="/terms">{b.noise("Terms of service and conditions")}</a></footer></body></html>""")


def wordpress() -> Page:
    """A blog of WordPress with widgets, related posts and a comment form."""
    b = Builder("wordpress")
    return b.done(f"""<!DOCTYPE html><html lang="en-US"><head><title>Sharpening a plane iron &#8211; Workshop Notes</title></head>
<body class="post-template-default single single-post wp-embed-responsive"><div id="page" class="site"><a class="skip-link screen-reader-text" href="#content">{b.noise("Skip to content")}</a>
<header id="masthead" class="site-header"><p class="site-title"><a href="/">Workshop Notes</a></p><p class="site-description">{b.noise("Just another hand tool journal")}</p>
<nav id="site-navigation" class="main-navigation"><ul id="primary-menu"><li class="menu-item"><a href="/about">{b.noise("About this journal")}</a></li></ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main" class="site-main"><article id="post-42" class="post-42 post type-post hentry">
<header class="entry-header"><h1 class="entry-title">Sharpening a plane iron</h1><div class="entry-meta">Posted on <time class="entry-date" datetime="2024-11-02">{b.keep("November 2, 2024")}</time></div></header>
<div class="entry-content">{b.paragraphs(3)}{b.title("Grits that I use")}<ul class="wp-block-list"><li>{b.item("220 for repairing a chipped edge")}</li><li>{b.item("1000 for the working bevel")}<ul><li>{b.item("with plain water")}</li><li>{b.item("never with oil")}</li></ul></li><li>{b.item("8000 for the polish")}</li></ul>
<figure class="wp-block-table"><table class="has-fixed-layout"><thead><tr><th>Stone</th><th>Minutes</th></tr></thead><tbody>{b.row("Coarse", "3")}{b.row("Medium", "5")}{b.row("Fine", "9")}</tbody></table></figure>
{b.paragraphs(2)}<div class="sharedaddy sd-sharing-enabled"><h3 class="sd-title">{b.noise("Share this:")}</h3><ul><li><a href="?share=twitter">{b.noise("Click to share on Twitter")}</a></li></ul></div>
<div id="jp-relatedposts" class="jp-relatedposts"><h3>{b.noise("Related")}</h3><a href="/p/3">{b.noise("A workbench in one weekend")}</a></div></div>
<footer class="entry-footer"><span class="cat-links">Posted in <a href="/c/tools">{b.noise("Hand tool category")}</a></span></footer></article>
<nav class="navigation post-navigation"><a rel="prev" href="/p/41">{b.noise("Previous Post: Oil or wax")}</a></nav></main></div>
<aside id="secondary" class="widget-area"><section class="widget widget_search"><form><label>{b.noise("Search for:")}</label></form></section><section class="widget widget_archive"><h2>{b.noise("Archive of months")}</h2><ul><li><a href="/2024/10">{b.noise("October 2024 (7)")}</a></li></ul></section></aside></div>
<footer id="colophon" class="site-footer"><div class="site-info">{b.noise("Proudly powered by WordPress")}</div></footer></div></body></html>""")


def recipe() -> Page:
    """A recipe: ingredients, steps, nutrition, and a long way down to it."""
    b = Builder("recipe")
    ingredients = "".join(
        f'<li class="wprm-recipe-ingredient"><span class="amount">{amount}</span> <span class="unit">{unit}</span> <span class="name">{name}</span></li>'
        for amount, unit, name in (
            ("250", "g", "rye flour"),
            ("180", "ml", "buttermilk"),
            ("2", "tsp", "caraway seeds"),
        )
    )
    b.expect(*map(checks.item, ("250 g rye flour", "180 ml buttermilk", "2 tsp caraway seeds")))
    steps = "".join(
        f"<li><div class='instruction-text'>{b.item(one)}</div></li>"
        for one in (
            "Warm the buttermilk until it is lukewarm.",
            "Fold in the flour and the caraway.",
            "Bake for 40 minutes at 220 degrees.",
        )
    )
    return b.done(f"""<html><head><title>Rye buns</title><script type="application/ld+json">{{"@type":"Recipe","name":"Rye buns","author":{{"name":"Tove"}}}}</script></head><body>
<div class="topbar"><div class="nav-links"><a href="/">Home</a> <a href="/r">{b.noise("All our recipes A-Z")}</a></div></div><div class="jump"><a class="wprm-jump-button" href="#recipe">Jump to Recipe</a></div>
<div class="post"><h1>Rye buns with caraway</h1>{b.paragraphs(2)}<div class="recipe-card" id="recipe"><div class="rating">{b.keep("4.8 from 132 votes")}</div><div class="times"><span class="label">Prep</span> <span>{b.keep("20 minutes")}</span> <span class="label">Cook</span> <span>{b.keep("40 minutes")}</span></div>
{b.title("Ingredients", "h3")}<ul class="ingredients">{ingredients}</ul>{b.title("Instructions", "h3")}<ol>{steps}</ol>
<table class="nutrition"><tr><th>Energy</th><td>412 kcal</td></tr>{b.row("Fat", "7 g").replace("<td>Fat</td>", "<th>Fat</th>")}</table></div>
<div class="subscribe-box"><p>{b.noise("Get free recipes in your inbox every week!")}</p></div></div>
<div class="recommended"><h3>{b.noise("You might also like")}</h3><div class="grid"><a href="/1">{b.noise("Potato scones")}</a><a href="/2">{b.noise("Barley flatbread")}</a></div></div>
<div class="footer">{b.noise("Privacy - Contact - Advertise with us")}</div></body></html>""")


def landing() -> Page:
    """A landing page of a product, made of sections with utility classes."""
    b = Builder("landing")
    features = "".join(
        f'<div class="p-6 rounded-xl shadow"><h3 class="text-xl font-bold">{b.keep(name)}</h3><p class="text-gray-600">{b.keep(said)}</p></div>'
        for name, said in (
            ("Offline first", "Your notes stay on your disk and sync when you decide."),
            ("Plain files", "Everything is Markdown in folders that you own."),
            ("Fast search", "Finds a word in a million notes before you stop typing."),
        )
    )
    return b.done(f"""<!doctype html><html lang="en"><head><title>Notegarden</title></head><body class="antialiased">
<header class="sticky top-0 flex"><a href="/">Notegarden</a><nav class="hidden md:flex"><a href="/pricing">{b.noise("See our pricing")}</a><a href="/login">{b.noise("Log in here")}</a></nav></header>
<main><section class="hero py-24"><h1 class="text-5xl">{b.keep("Notes that grow with you")}</h1><p class="lead">{b.keep("A quiet place for what you learn, without accounts and without a cloud.")}</p><a class="btn btn-primary" href="/download">Download</a></section>
<section class="grid md:grid-cols-3">{features}</section>
<section class="faq"><h2>Questions</h2><details><summary>{b.keep("Can I import from other apps?")}</summary><p>{b.keep("Yes: drop the exported archive on the window.")}</p></details><details><summary>{b.keep("Is there a phone app?")}</summary><p>{b.keep("For Android, and soon for the other one.")}</p></details></section>
<section class="testimonials"><blockquote>{b.keep("I deleted three other tools in the first week.")}<cite>{b.keep("P. Okafor")}</cite></blockquote></section></main>
<div class="cookie-bar fixed bottom-0"><p>{b.noise("This site uses cookies to count visitors.")}</p></div>
<footer class="bg-gray-900"><div>{b.noise("© Notegarden GmbH, Leipzig")}</div><ul><li><a href="/imprint">{b.noise("Imprint and legal notice")}</a></li></ul></footer></body></html>""")


def homepage() -> Page:
    """A homepage: nothing but headlines with links, which are what it is about."""
    b = Builder("homepage", "https://news.homepage.example/")
    stories = "".join(
        f'<article class="card"><h2><a href="/2025/{n}-story">{said}</a></h2><p>{b.keep(b.prose.sentence())}</p></article>'
        for n, said in enumerate(
            (
                "Ferry line returns to winter hours",
                "Council votes on the glass roof",
                "Storm closes the coast road",
                "Choir wins at the third attempt",
            ),
            1,
        )
    )
    b.expect(
        checks.link("Ferry line returns to winter hours", "https://news.homepage.example/2025/1-story"),
        checks.link("Choir wins at the third attempt", "https://news.homepage.example/2025/4-story"),
    )
    return b.done(f"""<!doctype html><html><head><title>Coast News</title></head><body><header><h1 class="logo"><a href="/">Coast News</a></h1><nav><a href="/a">{b.noise("Section fisheries")}</a><a href="/b">{b.noise("Section harbour")}</a></nav></header>
<div class="alert-cookies">{b.noise("Cookies help us to deliver our services")}</div><main><section class="top">{stories}</section></main><footer><p>{b.noise("Editorial standards and complaints")}</p></footer></body></html>""")


def faq() -> Page:
    """Questions behind buttons of an accordion, as Bootstrap writes them."""
    b = Builder("faq")
    panels = "".join(
        f"""<div class="accordion-item"><h2 class="accordion-header" id="h{n}"><button class="accordion-button collapsed" type="button" data-bs-toggle="collapse" data-bs-target="#c{n}" aria-expanded="false" aria-controls="c{n}">{b.keep(question)}</button></h2>
<div id="c{n}" class="accordion-collapse collapse"><div class="accordion-body">{b.keep(answer)}</div></div></div>"""
        for n, (question, answer) in enumerate(
            (
                ("How long does delivery take?", "Between two and four working days within the country."),
                ("Can I return opened boxes?", "Within thirty days, as long as nothing is missing."),
                ("Do you ship to islands?", "Yes, for a surcharge of six euros."),
            )
        )
    )
    return b.done(f"""<!doctype html><html><head><title>Help</title></head><body><nav class="navbar navbar-expand-lg"><div class="container"><a class="navbar-brand" href="/">Shop</a><ul class="navbar-nav"><li class="nav-item"><a class="nav-link" href="/sale">{b.noise("Summer sale now on")}</a></li></ul></div></nav>
<div class="container my-5"><h1>Help and contact</h1><p>{b.keep("Most questions are answered here; write to us about the others.")}</p><div class="accordion" id="acc">{panels}</div></div>
<footer class="container border-top"><p class="text-muted">{b.noise("© 2025 Parcel Shop Ltd")}</p></footer></body></html>""")


MAKERS = (newspaper, wordpress, recipe, landing, homepage, faq)
