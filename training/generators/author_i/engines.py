"""Programs that make small and middling sites, each with its paths."""

from __future__ import annotations

from training.generators.author_i.draft import Draft
from training.generators.author_i.model import Page
from training.generators.author_i.stock import CSS, FEED, JS, PDF, PNG, named, shared
from training.generators.common import HTML


def wordpress(draft: Draft) -> None:
    """A blog: posts by date or name, lists of them, uploads, files of core and theme."""
    rng, names = draft.rng, draft.names
    style = rng.choice(("/{y}/{m:02}/{s}/", "/{s}/", "/{y}/{m:02}/{d:02}/{s}/", "/?p={n}"))
    draft.add("/", "Home", own=True)
    for slug in rng.sample(("about", "contact", "privacy-policy", "sample-page", "links"), 3):
        draft.text(f"/{slug}/", late=False)
    release = rng.rank(9)
    for path in ("js/jquery/jquery.min.js", "css/block-library.css", "js/wp-embed.min.js"):
        draft.take([named(f"/wp-includes/{path}?ver={release}", f"wp/{release}/{path}", 31000)])
    draft.take(draft.stock.theme("wordpress", "/wp-content/themes"))
    draft.scripts("/wp-content/plugins/" + names.word(), 0, 3)
    for number in range(draft.want):
        year, month = 2025 - rng.rank(14), rng.randint(1, 12)
        slug = names.slug()
        made = style.format(y=year, m=month, d=rng.randint(1, 28), s=slug, n=number * 3 + 1)
        draft.text(made)
        if rng.chance(0.4):
            draft.picture(f"/wp-content/uploads/{year}/{month:02}/{names.slug(1, 2)}.jpg")
        if rng.chance(0.15):
            draft.add(f"/page/{number // 6 + 2}/", "Blog", own=True)
        if rng.chance(0.12):
            kind = rng.choice(("category", "tag", "author"))
            draft.add(f"/{kind}/{names.word()}/", names.word(), own=True)
        if rng.chance(0.05):
            feed = f"/?feed=rss2&p={number}" if "?" in made else f"{made}feed/"
            draft.add(feed, mime=FEED, late=True)


def joomla(draft: Draft) -> None:
    """Articles behind long queries."""
    rng, names = draft.rng, draft.names
    draft.add("/", "Home", own=True)
    draft.add("/index.php", "Home", own=True)
    draft.take(draft.stock.theme("joomla", "/templates"))
    draft.take(
        [named(f"/media/system/js/{n}.js", f"joomla/{n}", 9000) for n in ("core", "caption")]
    )
    for number in range(1, draft.want):
        query = f"option=com_content&view=article&id={number}"
        end = f"&Itemid={rng.randint(1, 60)}" if rng.chance(0.7) else f":{names.slug(2, 3)}"
        draft.text(f"/index.php?{query}{end}")
        if rng.chance(0.25):
            draft.picture(f"/images/stories/{names.word()}{number}.jpg")


def drupal(draft: Draft) -> None:
    """Nodes and terms, or names for them."""
    rng, names = draft.rng, draft.names
    plain = rng.chance(0.5)
    draft.add("/", "Home", own=True)
    draft.take(draft.stock.theme("drupal", "/sites/all/themes"))
    for path in ("misc/drupal.js", "misc/jquery.js", "modules/system/system.base.css"):
        draft.take([named(f"/{path}?{rng.rank(30)}", f"drupal/{rng.rank(5)}/{path}", 14000)])
    for number in range(1, draft.want):
        draft.text(f"/node/{number}" if plain else f"/{names.word()}/{names.slug(2, 4)}")
        if rng.chance(0.15):
            draft.add(f"/taxonomy/term/{number}", names.word(), own=True)
        if rng.chance(0.2):
            draft.add(f"/sites/default/files/{names.slug(1, 3)}.pdf", mime=PDF, late=True)


def static(draft: Draft) -> None:
    """Pages that someone writes by hand."""
    rng, names = draft.rng, draft.names
    end = rng.choice((".html", ".htm", ".php", ".shtml"))
    draft.pace = max(draft.pace, 12)
    draft.add("/", "Welcome", own=True)
    draft.add(f"/index{end}", "Welcome", own=True)
    draft.add("/style.css", mime=CSS)
    folders = ["", *(f"/{names.word()}" for _ in range(rng.randint(1, 6)))]
    for number in range(draft.want):
        folder = rng.favourite(folders)
        draft.text(f"{folder}/{names.slug(1, 2)}{end}", late=number > draft.want / 2)
        if rng.chance(0.3):
            draft.picture(f"{folder}/{rng.choice(('images', 'img', 'pics'))}/{names.word()}.jpg")
        if rng.chance(0.1):
            draft.add(f"{folder}/{names.slug(1, 3)}.pdf", mime=PDF, late=True)


def builder(draft: Draft) -> None:
    """A site of a building kit: few pages, most of it the kit's, some texts never replaced."""
    rng, stock = draft.rng, draft.stock
    template = rng.rank(25)
    draft.add("/", "Home", own=True)
    usual = "about services contact gallery team prices imprint privacy terms blog faq".split()
    for slug in usual[: 3 + rng.rank(8)]:
        untouched = rng.chance(0.5 if slug in ("privacy", "terms") else 0.06)
        if untouched:
            body = f"builder/{template}/{slug}"
            draft.take([shared(f"/{slug}", body, HTML, 21000, slug.capitalize())])
        else:
            draft.add(f"/{slug}", slug.capitalize())
    for number in range(rng.randint(3, 15)):
        path = f"/_kit/{template}/{number}.{rng.choice(('js', 'css'))}"
        draft.take([named(path, f"builder/{template}/file/{number}", 60000)])
    for number in range(min(40, draft.want)):
        draft.picture(f"/media/{draft.names.code(6)}_{number}.jpg")
        if rng.chance(0.2):
            draft.text(f"/blog/{draft.names.slug()}")
    for _ in range(rng.randint(0, 5)):
        draft.take([stock.photo(f"/media/stock-{rng.randint(1, 400)}.jpg")])


def queries(draft: Draft) -> None:
    """A content system whose pages are numbers: /index.php?id=12."""
    rng, names = draft.rng, draft.names
    key = rng.choice(
        ("/index.php?id=", "/?page=", "/index.php?p=", "/content.php?id=", "/main.asp?nr=")
    )
    draft.add("/", "Home", own=True)
    draft.take(draft.stock.theme("queries", "/typo3conf/ext"))
    draft.scripts("/js")
    for number in range(1, draft.want):
        draft.text(f"{key}{number}", late=number > 9)
        if rng.chance(0.2):
            draft.add(f"/fileadmin/{names.slug(1, 2)}.pdf", mime=PDF, late=True)
        if rng.chance(0.2):
            draft.picture(f"/fileadmin/_processed_/{names.code(10)}.jpg")


def dotnet(draft: Draft) -> None:
    """An office's site: .aspx pages, documents by number, tokens in each page."""
    rng, names = draft.rng, draft.names
    draft.add("/", "Home", own=True)
    draft.add("/Default.aspx", "Home", own=True)
    draft.take([named(f"/WebResource.axd?d={names.code()}", f"dotnet/{rng.rank(6)}", 22000)])
    for number in range(1, draft.want):
        kind = rng.choice(("News/Detail", "Pages/View", "Product", "Department"))
        draft.text(f"/{kind}.aspx?id={number}")
        if rng.chance(0.3):
            draft.add(f"/Documents/{names.slug(1, 3)}_{number}.pdf", mime=PDF, late=True)


def spa(draft: Draft) -> None:
    """An application in the browser: each address gives the same shell."""
    rng, names = draft.rng, draft.names
    build = names.code()
    shell = f"{draft.key}/shell"
    draft.take([Page("/", shell, HTML, 2800, "App")])
    draft.add(f"/static/js/main.{build}.js", mime=JS)
    draft.add(f"/static/css/main.{build}.css", mime=CSS)
    draft.add("/logo192.png", mime=PNG)
    for _ in range(min(60, draft.want)):
        path = f"/{rng.choice(('item', 'user', 'about', 'view'))}/{names.slug(1, 2)}"
        draft.take([Page(path, shell, HTML, 2800, "App")])
        if rng.chance(0.4):
            draft.add(f"/api/{names.word()}/{rng.randint(1, 900)}", mime="application/json")
    draft.scripts("/vendor", 0, 3)


ENGINES = {
    "wordpress": wordpress,
    "joomla": joomla,
    "drupal": drupal,
    "static": static,
    "builder": builder,
    "queries": queries,
    "dotnet": dotnet,
    "spa": spa,
}
