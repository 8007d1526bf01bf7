"""Shops: a product with specifications and reviews, a list of products, search results."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web import checks
from bench.web.building import Builder, Page


def product() -> Page:
    """A product of a shop: price, specifications, reviews, and other products below."""
    b = Builder("shop", "https://shop.shop.example/products/lantern")
    specs = b.row("Weight", "640 g") + b.row("Burn time", "14 hours") + b.row("Material", "Brass, glass")
    others = "".join(
        f'<div class="product-card"><a href="/products/o{n}"><img src="/o{n}.jpg" alt=""><span class="product-card__title">{b.noise(f"Other lantern model {n}")}</span></a><span class="price">€{n}9</span></div>'
        for n in range(1, 4)
    )
    return b.done(f"""<!doctype html><html lang="en"><head><title>Storm lantern – Lamp Shop</title><meta property="og:type" content="product"></head><body class="template-product"><div id="shopify-section-announcement-bar" class="announcement-bar"><p>{b.noise("Free shipping over €50 this week")}</p></div><div class="shopify-section-header"><header class="header"><nav class="header__inline-menu"><ul class="list-menu"><li><a href="/collections/all">{b.noise("Catalog of all lamps")}</a></li></ul></nav><a href="/cart" class="header__icon">{b.noise("Your cart is waiting")}</a></header></div>
<main id="MainContent" class="content-for-layout focus-none" role="main"><section class="product"><div class="product__info-wrapper"><h1 class="product__title">Storm lantern</h1><div class="price"><span class="price-item--regular">{b.keep("€49.00 EUR")}</span></div><div class="product__tax">{b.keep("Tax included.")}</div>
<form class="product-form"><button type="submit" name="add"><span>{b.noise("Add to cart")}</span></button></form><div class="product__description rte"><p>{b.keep("A lantern that stays lit in wind and rain, made in one workshop since 1902.")}</p>{b.items("Double glass against wind", "Wick that can be replaced", "Folds flat")}</div>
<h2>Specifications</h2><table class="product-specs"><tbody>{specs}</tbody></table><div class="share-button">{b.noise("Share this lamp")}</div></div></section>
<section class="reviews"><h2>Reviews</h2><div class="review"><span class="review__author">{b.keep("Nils B.")}</span><p>{b.keep("Survived two winters on the pier.")}</p></div><div class="review"><span class="review__author">{b.keep("Ada")}</span><p>{b.keep("The hinge is a little stiff at first.")}</p></div></section>
<section class="related-products"><h2>{b.noise("You may also like")}</h2><div class="grid">{others}</div></section></main><footer class="footer"><div class="footer-block__newsletter"><h2>{b.noise("Subscribe to our emails")}</h2></div><small>{b.noise("© 2025, Lamp Shop")}</small></footer></body></html>""")


def catalogue() -> Page:
    """A list of products in cards, which is what the page is about."""
    b = Builder("catalogue", "https://tools.catalogue.example/c/planes")
    cards = ""
    for n, (name, price) in enumerate(
        (
            ("Block plane No. 9", "€84"),
            ("Jack plane No. 5", "€129"),
            ("Router plane", "€98"),
            ("Shoulder plane", "€142"),
        ),
        1,
    ):
        cards += f'<li class="product type-product"><a href="/p/{n}" class="woocommerce-LoopProduct-link"><h2 class="woocommerce-loop-product__title">{name}</h2><span class="price"><bdi>{b.keep(price)}</bdi></span></a><p class="short">{b.keep(b.prose.sentence())}</p><a href="?add-to-cart={n}" class="button add_to_cart_button">Add to basket</a></li>'
        b.expect(checks.link(name, f"https://tools.catalogue.example/p/{n}"))
    return b.done(f"""<!doctype html><html><head><title>Planes</title></head><body class="archive woocommerce"><div class="top-bar"><ul class="menu"><li><a href="/acc">{b.noise("My account pages")}</a></li></ul></div><div class="breadcrumb"><a href="/">{b.noise("Start of shop")}</a></div><div id="content"><h1 class="page-title">Planes</h1><p>{b.keep("New and restored planes, each tested before it is sent.")}</p><ul class="products columns-4">{cards}</ul><nav class="woocommerce-pagination"><ul class="page-numbers"><li><a href="/c/planes/2">{b.noise("Page two →")}</a></li></ul></nav></div>
<div id="sidebar"><div class="widget widget_product_categories"><h3>{b.noise("Product groups filter")}</h3><ul><li><a href="/c/saws">{b.noise("Saws and blades")}</a></li></ul></div></div><div class="site-footer">{b.noise("All prices include VAT of 19 percent")}</div></body></html>""")


def results() -> Page:
    """A page of search results: links with descriptions."""
    b = Builder("results", "https://find.results.example/?q=tide")
    found = ""
    for n, said in enumerate(("Tide tables for the west coast", "How tides are computed", "Tidal power explained"), 1):
        found += f'<div class="result"><h3 class="result__title"><a href="https://r{n}.example/page">{said}</a></h3><div class="result__url">r{n}.example</div><p class="result__snippet">{b.keep(b.prose.sentence())}</p></div>'
        b.expect(checks.link(said, f"https://r{n}.example/page"))
    return b.done(
        f"""<!doctype html><html><head><title>tide - Find</title></head><body><header><form role="search"><input name="q" value="tide"><button>{b.noise("Search the web")}</button></form><div class="tabs"><a href="/i">{b.noise("Images tab")}</a></div></header><div id="results"><p class="stats">{b.keep("About 3 results")}</p>{found}</div><div class="pagination"><a href="?p=2">{b.noise("Next results page")}</a></div><footer>{b.noise("Send us feedback about results")}</footer></body></html>"""
    )


MAKERS = (product, catalogue, results)
