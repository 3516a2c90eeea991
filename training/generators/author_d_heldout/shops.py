"""Strangers that sell the same: shops on one platform, and shops with one feed of products."""

from __future__ import annotations

from typing import NamedTuple

from training.generators.author_d_heldout.sites import link, make, share
from training.generators.author_d_heldout.words import TYPES, titled
from training.generators.author_d_heldout.world import (
    Theme,
    World,
    distinct,
)

SHOP_PAGES = (
    ("/collections/all", "Products"),
    ("/pages/about-us", "About us"),
    ("/pages/contact-us", "Contact us"),
    ("/policies/privacy-policy", "Privacy policy"),
    ("/policies/refund-policy", "Refund policy"),
    ("/cart", "Your Shopping Cart"),
    ("/pages/faq", "FAQ"),
    ("/policies/terms-of-service", "Terms of service"),
)


class Product(NamedTuple):
    """What several shops sell."""

    path: str
    title: str
    length: int
    picture: str


def hosted_shops(world: World, n: int) -> None:
    """Shops on one platform, some of which sell from one catalogue."""
    r = world.random
    ips, theme = [world.new_ip() for _ in range(2)], world.theme()
    catalogue = []
    for _ in range(r.randint(60, 250)):
        slug = world.slug(2, 5)
        catalogue.append(
            Product(f"/products/{slug}", titled(slug), r.randint(20000, 60000), f"img{r.random()}")
        )
    for _ in range(n):
        _hosted_shop(world, theme, r.choice(ips), catalogue)


def _hosted_shop(world: World, theme: Theme, ip: str, catalogue: list[Product]) -> None:
    r, site = world.random, make(world, "html", 1, theme=theme, ip=ip)
    site.title = r.choice(("{t} – {n}", "{t} | {n}"))
    site.pages += [
        world.page(path, title, length=r.randint(25000, 40000))
        for path, title in SHOP_PAGES
        if r.random() < 0.8
    ]
    own = r.randint(3, 60)
    if r.random() < 0.35:
        for product in r.sample(catalogue, min(len(catalogue), r.randint(5, 60))):
            site.pages.append(
                world.page(
                    product.path, product.title, length=product.length + r.randint(-300, 300)
                )
            )
            if world.all_types:
                site.pages.append(
                    world.page(
                        f"/cdn{product.path}.jpg",
                        None,
                        TYPES["jpg"],
                        product.picture,
                        40000 + int(product.length / 3),
                    )
                )
        own //= 4
    for _ in range(own):
        slug = world.slug(2, 5)
        site.pages.append(
            world.page(f"/products/{slug}", titled(slug), length=r.randint(20000, 60000))
        )
    site.pages = distinct(site.pages)
    link(world, site.pages, theme.footer)


def affiliates(world: World, n: int) -> None:
    """Shops with parts of one feed of products, each in its own frame."""
    r = world.random
    feed = [
        world.page(f"/item/{world.slug(2, 4)}", world.title(2, 5))
        for _ in range(r.randint(60, 200))
    ]
    shops = [make(world, "shop", r.randint(4, 30)) for _ in range(n)]
    for shop in shops:
        share(world, [shop], feed, keep=r.uniform(0.05, 0.35), own=0.7)
