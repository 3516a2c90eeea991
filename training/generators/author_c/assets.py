"""Files that are no pages: libraries that sites share, a theme's files, pictures of the site's own.

Invariant: a crawl of pages only has none of them.
"""

from __future__ import annotations

from training.generators.author_c.world import MIMES, Content, Site, World

FONTS = ("eot", "svg", "ttf", "woff", "woff2")
JQUERY = ["jquery.js", "jquery.min.js"]
BOOTSTRAP = [
    "css/bootstrap.css",
    "css/bootstrap.min.css",
    "js/bootstrap.js",
    "js/bootstrap.min.js",
    *(f"fonts/glyphicons-halflings-regular.{ending}" for ending in FONTS),
]
FONT_AWESOME = [
    "css/font-awesome.min.css",
    *(f"fonts/fontawesome-webfont.{ending}" for ending in FONTS),
    "fonts/FontAwesome.otf",
]


def add_assets(
    world: World,
    site: Site,
    pages: int,
    theme: list[tuple[str, Content]] | None = None,
    pictures: float = 1.0,
) -> None:
    """Libraries, a theme, an icon, a style sheet, and some pictures for each of so many pages."""
    if not world.all_types:
        return
    r = world.random
    folder = r.choice(("", "/assets", "/static", "/lib", "/public"))
    for base, files in [*_libraries(world, folder), ("/", theme or [])]:
        for path, content in files:
            site.add(base + path, content)
    if r.random() < 0.3:
        site.add("/favicon.ico", world.library(f"icon{r.randint(0, 3)}", ["favicon.ico"])[0][1])
    _add_pictures(world, site, folder, pages * pictures)
    site.add(
        f"{folder}/css/{r.choice(('style.css', 'main.css', 'site.css'))}", world.content("text/css")
    )


def _libraries(world: World, folder: str) -> list[tuple[str, list[tuple[str, Content]]]]:
    """The libraries of a site, each with its folder; the newest versions are the most common."""
    r, found = world.random, []
    version = min(world.few(3), 12)
    if r.random() < 0.75:
        found.append(
            (f"{folder}/js/", world.library(f"jquery{version}", JQUERY[: r.randint(1, 2)]))
        )
    if r.random() < 0.5:
        found.append((f"{folder}/", world.library(f"bootstrap{min(world.few(2), 8)}", BOOTSTRAP)))
    if r.random() < 0.4:
        found.append(
            (f"{folder}/", world.library(f"font awesome {min(world.few(1), 5)}", FONT_AWESOME))
        )
    if r.random() < 0.2:
        number, base = r.randint(0, 6), r.choice(("/fancybox/", "/js/vendor/", "/plugins/"))
        files = [
            f"{world.word()}{k}.{r.choice(('js', 'css', 'gif', 'png'))}"
            for k in range(r.randint(3, 30))
        ]
        found.append((base, world.library(f"plugin{number}", files)))
    return found


def _add_pictures(world: World, site: Site, assets: str, usual: float) -> None:
    """Pictures that are counted, or named by a camera or by somebody."""
    r = world.random
    folder, naming = (
        r.choice(
            ("/images/", "/img/", f"{assets}/img/", "/uploads/", "/wp-content/uploads/2016/05/")
        ),
        r.random(),
    )
    for k in range(int(usual * r.uniform(0.2, 2)) + 1):
        ending = r.choice(("png", "jpg", "gif", "svg"))
        if naming < 0.3:
            name = str(k + 1)
        else:
            name = f"IMG_{r.randint(1, 4000):04d}" if naming < 0.5 else world.slug(1, 2)
        site.add(
            f"{folder}{name}.{ending}",
            world.content(MIMES[ending], None, world.log_normal(10, 1.3)),
        )
