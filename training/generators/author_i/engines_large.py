"""Programs that make sites with much in them: wikis, manuals, forums, shops, news, archives."""

from __future__ import annotations

from training.generators.author_i.draft import Draft
from training.generators.author_i.stock import CSS, GZIP, JPEG, JS, PDF, PLAIN, ZIP, named, shared
from training.generators.common import HTML


def wiki(draft: Draft) -> None:
    """Articles with their histories and pictures."""
    rng, names = draft.rng, draft.names
    lead = rng.choice(("/wiki/", "/index.php/", "/index.php?title=", "/doku.php?id="))
    ask = "&" if "?" in lead else "?"
    draft.add("/", "Main Page", own=True)
    draft.add(f"{lead}Main_Page", "Main Page", own=True)
    for path in ("skins/common/shared.css", "skins/vector/main.css", "resources/mediawiki.js"):
        draft.take([named(f"/{path}", f"wiki/{rng.rank(6)}/{path}", 26000)])
    for special in ("RecentChanges", "AllPages", "Version"):
        draft.add(f"{lead}Special:{special}", special, own=True)
    for number in range(draft.want):
        title = names.slug(1, 3).replace("-", "_").capitalize()
        path = draft.add(f"{lead}{title}", title.replace("_", " "), late=True)
        if rng.chance(0.12):
            draft.add(f"{path}{ask}action={rng.choice(('edit', 'history', 'info'))}", title)
        if rng.chance(0.15):
            a = names.code(2)
            draft.picture(f"/images/{a[0]}/{a}/{title}.jpg")
        if rng.chance(0.08):
            draft.add(f"{lead}Talk:{title}", f"Talk:{title}", own=number % 2 == 0)


def manual(draft: Draft) -> None:
    """The documentation of a program: generated pages, sources, files of the generator."""
    rng, names = draft.rng, draft.names
    java = rng.chance(0.3)
    root = rng.choice(
        ("/api/", "/apidocs/") if java else ("/en/latest/", "/", "/docs/", "/en/stable/")
    )
    draft.pace = max(draft.pace, 4)
    draft.add("/", "Documentation")
    draft.add(f"{root}index.html", "Overview")
    usual = (
        ("stylesheet.css", "script.js") if java else ("_static/basic.css", "_static/doctools.js")
    )
    release = rng.rank(8)
    for path in usual:
        draft.take([named(root + path, f"docs/{java}/{release}/{path}", 12000)])
    package = f"org/{names.word()}/{names.word()}"
    for number in range(draft.want):
        if java:
            name = names.word().capitalize() + rng.choice(("Factory", "Impl", "", "Exception"))
            draft.add(f"{root}{package}/{name}{number % 3 or ''}.html", name)
            continue
        slug = f"{names.word()}/{names.slug(1, 2)}"
        draft.add(f"{root}{slug}.html", slug.replace("/", " "), late=True)
        if rng.chance(0.3):
            draft.add(f"{root}_sources/{slug}.rst.txt", mime=PLAIN, late=True)


def forum(draft: Draft) -> None:
    """Boards, threads and members, by numbers."""
    rng, names = draft.rng, draft.names
    new = rng.chance(0.6)
    thread = "/viewtopic.php?f={f}&t={t}" if new else "/showthread.php?t={t}"
    board = "/viewforum.php?f={f}" if new else "/forumdisplay.php?f={f}"
    boards = rng.randint(3, 20)
    draft.add("/", "Index page", own=True)
    draft.add("/index.php", "Index page", own=True)
    for place in range(1, boards):
        draft.add(board.format(f=place), names.word(), own=True)
    draft.take(draft.stock.theme("forum", "/styles"))
    for number in range(draft.want):
        path = draft.text(thread.format(f=rng.randint(1, boards), t=3 * number + rng.randint(1, 3)))
        if rng.chance(0.2):
            draft.add(f"{path}&start={10 * rng.randint(1, 9)}", "Thread", late=True)
        if rng.chance(0.2):
            draft.add(f"/member.php?u={number}", f"Profile of {names.word()}")
        if rng.chance(0.1):
            draft.picture(f"/download/file.php?id={number}")


def shop(draft: Draft) -> None:
    """Goods and lists of goods; at times most goods come from a feed that others take, too."""
    rng, names, stock = draft.rng, draft.names, draft.stock
    style = rng.choice(
        ("/product/{}", "/{}.html", "/p/{}", "/index.php?route=product&product_id={}")
    )
    feed = rng.favourite(stock.feeds) if rng.chance(0.35) else []
    draft.add("/", "Shop", own=True)
    for slug in ("cart", "login", "shipping", "terms"):
        draft.add(f"/{slug}", slug.capitalize())
    draft.take(draft.stock.theme("shop", "/skin/frontend"))
    draft.scripts("/js", 2, 6)
    for number in range(draft.want):
        if feed and rng.chance(0.7):
            slug, body = rng.choice(feed)
            draft.take([shared(f"/media/catalog/{slug}.jpg", body, JPEG, 55000)])
        else:
            slug = names.slug(2, 4)
            draft.add(f"/media/catalog/{slug}.jpg", mime=JPEG, late=True)
        place = number + 100 if "_id" in style else slug
        draft.add(style.format(place), slug.replace("-", " "), late=True)
        if rng.chance(0.15):
            draft.add(f"/category/{names.word()}?page={rng.randint(1, 9)}", "Category", own=True)


def news(draft: Draft) -> None:
    """Articles by day, its own and of agencies, with the agencies' pictures and papers."""
    rng, names, stock = draft.rng, draft.names, draft.stock
    share = rng.uniform(0, 0.5)
    draft.pace = rng.spread(0.03, 1)
    draft.add("/", "News", own=True)
    for _ in range(rng.randint(3, 9)):
        draft.add(f"/{names.word()}/", names.word(), own=True)
    draft.scripts("/assets")
    draft.add("/assets/site.css", mime=CSS)
    for number in range(draft.want):
        if rng.chance(share):
            slug, title, place = rng.favourite(stock.articles)
            draft.add(f"/{names.word()}/{slug}-{number}.html", title, late=True)
            kind, end = (PDF, "pdf") if rng.chance(0.2) else (JPEG, "jpg")
            draft.take([shared(f"/media/{slug}.{end}", f"article/{place}/{end}", kind, 81000)])
            if rng.chance(0.15):
                text = f"article/{place}/text"
                draft.take([shared(f"/print/{slug}.html", text, HTML, 7000, title)])
        else:
            year, month, day = 2025 - rng.rank(6), rng.randint(1, 12), rng.randint(1, 28)
            draft.text(f"/{year}/{month:02}/{day:02}/{names.slug(4, 8)}")
            if rng.chance(0.4):
                draft.picture(f"/img/{year}/{names.code(10)}.jpg")


def depot(draft: Draft) -> None:
    """A file archive: lists of folders, packages, their notes and licences."""
    rng, names = draft.rng, draft.names
    top = rng.choice(("/pub", "/debian/pool", "/dist", "/software", ""))
    draft.add("/", "Index of /", own=True)
    order = rng.choice(("?C=N;O=D", "?C=M;O=A", ""))
    for _ in range(draft.want // 3 + 1):
        word = names.word()
        folder = f"{top}/{word[0]}/{word}/"
        draft.add(folder, f"Index of {folder}", own=True)
        if order:
            draft.add(folder + order, f"Index of {folder}", own=True)
        version = f"{rng.randint(0, 9)}.{rng.randint(0, 20)}"
        draft.add(f"{folder}{word}-{version}.tar.gz", mime=GZIP, late=True)
        if rng.chance(0.6):
            draft.add(f"{folder}{word}-{version}.zip", mime=ZIP, late=True)
        draft.add(f"{folder}README.txt", mime=PLAIN, late=True)
        if rng.chance(0.3):
            licence = rng.rank(6)
            draft.take([shared(f"{folder}LICENSE", f"licence/{licence}", PLAIN, 18000)])


def homes(draft: Draft) -> None:
    """Pages of people at a university, below ~name."""
    rng, names = draft.rng, draft.names
    draft.pace = max(draft.pace, 10)
    draft.add("/", "Department", own=True)
    while len(draft.pages) < draft.want:
        home = f"/~{names.word()}"
        draft.add(f"{home}/", f"Home page of {home[2:]}")
        for _ in range(rng.tail(4, 40)):
            draft.text(f"{home}/{names.slug(1, 2)}.html")
            if rng.chance(0.5):
                draft.add(f"{home}/papers/{names.slug(1, 3)}.pdf", mime=PDF, late=True)
        if rng.chance(0.12):
            draft.mount(f"{home}/doc")


def journal(draft: Draft) -> None:
    """Papers by number."""
    rng, name = draft.rng, draft.names.word()
    draft.add("/", "Journal", own=True)
    for path in ("about", "issue/archive", "login"):
        draft.add(f"/index.php/{name}/{path}", path)
    draft.take([named("/lib/pkp/js/lib.js", f"ojs/{rng.rank(5)}", 90000)])
    for number in range(1, draft.want):
        path = draft.text(f"/index.php/{name}/article/view/{number}")
        if rng.chance(0.5):
            draft.add(f"{path}/{number + 7}", mime=PDF, late=True)


def market(draft: Draft) -> None:
    """A market of a hidden network: offers, sellers, a login before all."""
    rng, names = draft.rng, draft.names
    draft.add("/", "Login", own=True)
    draft.add("/captcha", mime="image/png", own=True)
    draft.add("/static/main.css", mime=CSS)
    draft.add("/static/app.js", mime=JS)
    for number in range(draft.want):
        if rng.chance(0.25):
            draft.add(f"/vendor/{names.word()}", names.word())
        draft.text(f"/listing/{names.code(6)}{number}")
        if rng.chance(0.3):
            draft.picture(f"/img/{names.code(12)}.jpg")


LARGE = {
    "wiki": wiki,
    "manual": manual,
    "forum": forum,
    "shop": shop,
    "news": news,
    "depot": depot,
    "homes": homes,
    "journal": journal,
    "market": market,
}
