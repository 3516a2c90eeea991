"""The schemes of paths and titles of the engines that sites run on.

Each line has a weight (or * for a page that every site of it has), how often the page is edited in
the time of the crawl (900: other content at every capture), the path, and the title. The lines
before the first -- are of every dialect of the engine; a site takes one of the dialects.
"""

SCHEMES = {
    "blog": """
* 30 / | {name}
* 0.3 /{about}/ | {about}
* 0 /{contact}/ | {contact}
7 6 /category/{sec}/ | {sec}
12 3 /tag/{word}/ | {word}
6 30 /page/{n}/ | {name}
4 2 /{y}/{m}/ | {y} {m}
2 9 /author/{user}/ | {user}
1 60 /feed/ | {name}
--
60 0.3 /{y}/{m}/{slug}/ | {title}
--
60 0.3 /{slug}/ | {title}
--
60 0.3 /?p={id} | {title}
--
60 0.3 /{y}/{m}/{d}/{slug}.html | {title}
--
50 0.3 /archives/{id} | {title}
10 0 /wp-content/uploads/{y}/{m}/{word}-{n}.jpg |""",
    "static": """
* 2 / | {name}
--
* 0 /{about}.html | {about}
* 0 /{contact}.html | {contact}
60 0.2 /{word}.html | {title}
30 0.2 /{sec}/{word}{n}.html | {title}
6 0 /images/{word}{n}.jpg |
--
* 0 /{contact}.htm | {contact}
60 0.2 /{sec}/{word}.htm | {title}
20 0 /{sec}/{word}_{n}.htm | {title}
8 0 /pdf/{word}{n}.pdf |
--
* 0 /{contact}.php | {contact}
50 0.3 /{word}.php | {title}
40 1 /{sec}.php?id={n} | {title}
--
30 0.5 /?page={word} | {title}
30 0.5 /index.php?s={sec}&t={n} | {title}""",
    "cms": """
* 2 / | {name}
--
60 0.5 /index.php?option=com_content&view=article&id={id}:{slug}&catid={n} | {title}
20 4 /index.php?option=com_content&view=category&id={n} | {sec}
--
60 0.5 /node/{id} | {title}
9 9 /taxonomy/term/{n} | {sec}
9 1 /{sec}/{slug} | {title}
--
70 0.5 /index.php?id={id} | {title}
20 0.5 /index.php?id={id}&L={k} | {title}
--
70 0.5 /{sec}/{slug}.html | {title}
15 3 /{news}/{slug}.html | {title}
6 0 /fileadmin/{sec}/{word}_{y}.pdf |
--
60 0.5 /{sec}/{sub}/{slug}/ | {title}
9 2 /{sec}/ | {sec}
9 0 /media/{hex}/{word}.pdf |""",
    "wiki": """
* 40 / | {name}
* 300 /index.php?title=Special:RecentChanges | Recent changes
--
70 2 /wiki/{wiki} | {title}
9 4 /index.php?title={wiki}&action=history | {title} history
6 0 /index.php?title={wiki}&oldid={id} | {title}
--
70 2 /index.php/{wiki} | {title}
15 1 /index.php/Talk:{wiki} | Talk:{title}
--
70 2 /doku.php?id={sec}:{word}_{n} | {sec}:{word}_{n}""",
    "forum": """
* 900 / | {name}
9 40 /viewforum.php?f={n} | {sec}
9 4 /memberlist.php?mode=viewprofile&u={id} | {user}
1 0 /faq.php | {name}
1 900 /ucp.php?mode=login | Login
3 900 /posting.php?mode=reply&f={n}&t={id} | Login
--
70 3 /viewtopic.php?f={k}&t={id} | {title}
20 3 /viewtopic.php?f={k}&t={id}&start=15 | {title}
--
70 3 /showthread.php?t={id} | {title}
20 3 /showthread.php?t={id}&page=2 | {title}
--
70 3 /threads/{slug}.{id}/ | {title}
15 3 /members/{user}.{id}/ | {user}
--
70 3 /index.php?topic={id}.0 | {title}
20 40 /index.php?board={n}.0 | {sec}""",
    "shop": """
* 20 / | {name}
* 0 /{contact} | {contact}
* 0.2 /{privacy} | {privacy}
* 0.2 /terms | Terms
--
70 2 /products/{slug} | {title}
15 8 /collections/{word} | {word}
--
70 2 /product.php?id_product={id} | {title}
15 8 /category.php?id_category={n} | {sec}
--
70 2 /{slug}-{id}.html | {title}
15 8 /{sec}.html | {sec}
9 8 /{sec}.html?p={k} | {sec}
--
70 2 /product/{slug}/ | {title}
15 8 /product-category/{sec}/{word}/ | {word}
--
60 2 /{sec}/{slug}/p-{id} | {title}
20 8 /{sec}/{word}/c-{n} | {word}
9 4 /b/{user} | {user}
--
70 2 /detail/index/sArticle/{id}/sCategory/{n} | {title}
15 8 /{sec}/?p={k} | {sec}""",
    "news": """
* 900 / | {name}
* 0.2 /{contact} | {contact}
* 0.5 /{about} | {about}
2 300 /{sec}/ | {sec}
1 90 /rss/{sec}.xml | {sec}
--
80 0.4 /{sec}/{slug}-{id}.html | {title}
9 5 /tema/{word} | {word}
--
80 0.4 /{y}/{m}/{d}/{sec}/{slug}.html | {title}
4 1 /archive/{y}/{m}/{d} | {y}-{m}-{d}
--
80 0.4 /article.asp?id={id} | {title}
9 9 /section.asp?s={n} | {sec}
--
80 0.4 /news/{sec}-{id} | {title}
12 900 /comments/{id} | Comments
--
80 0.4 /{sec}/article{id}.ece | {title}
4 9 /incoming/article{id}.ece/print | {title}""",
    "manual": """
* 2 / | {name}
--
70 0 /api/org/{sec}/{word}/{cls}.html | {cls}
9 0 /api/org/{sec}/{word}/package-tree.html | {word}
--
70 0 /man{k}/{word}{n}.{k}.html | {word}{n}({k})
9 0 /man{k}/ | man{k}
--
70 0.2 /docs/{k}.{j}/{sec}/{slug}.html | {title}
9 1 /docs/{k}.{j}/{sec}/ | {sec}
--
70 0.2 /en/latest/{sec}/{word}.html | {title}
20 0.1 /en/v{k}.{j}/{sec}/{word}.html | {title}""",
    "files": """
* 20 / | Index of /
--
60 0.5 /pub/{sec}/{word}/ | Index of /pub/{sec}/{word}
30 0 /pub/{sec}/{word}/README |
30 0 /pub/{sec}/{word}/{word}-{k}.{j}.tar.gz |
9 0 /pub/{sec}/{word}/ChangeLog.txt |
--
60 2 /{sec}/dists/{word}/ | Index of /{sec}/dists/{word}
50 1 /{sec}/pool/{word}/ | Index of
20 0 /{sec}/doc/{word}{n}.txt |""",
    "campus": """
* 2 / | {name}
--
40 0.3 /~{user}/{word}.html | {title}
40 0.3 /courses/{sec}{n}/{word}.html | {title}
20 0 /papers/{user}{y}.pdf |
15 1 /people/{user}.html | {user}
--
40 1 /people/{user}/ | {user}
40 0.3 /research/{sec}/{slug} | {title}
30 0.3 /teaching/{y}/{word} | {title}
20 0 /publications/{hex}.pdf |""",
    "office": """
* 2 / | {name}
--
60 0.4 /{sec}/Pages/{word}{n}.aspx | {title}
20 0 /{sec}/Documents/{word}-{y}.pdf |
--
60 0.4 /en/{sec}/{slug} | {title}
30 0.4 /publications/{slug} | {title}
20 0 /files/{hex}/{word}.pdf |
--
60 0.4 /SharedDocs/{sec}/{y}/{word}{n}.html | {title}
9 2 /Themen/{sec}/{word}_node.html | {word}
--
60 0.4 /showdoc.cfm?doc={id} | {title}
20 2 /list.cfm?cat={n} | {sec}""",
    "listing": """
* 900 / | {name}
--
70 4 /{sec}/{word}/{id} | {title}
20 90 /search?q={word}&page={k} | {word}
--
70 4 /listing.php?lid={id} | {title}
20 9 /city/{word} | {word}
9 900 /out.php?id={id} |
--
40 0.5 /calendar.php?month={y}-{m} | Calendar {y}-{m}
60 1 /event/{slug}-{id} | {title}""",
    "gallery": """
* 2 / | {name}
--
60 0.2 /displayimage.php?album={k}&pos={n} | {word}
20 1 /thumbnails.php?album={n} | {sec}
--
60 0 /gallery/{sec}/img_{n}.html | img_{n}
30 0 /gallery/{sec}/img_{n}.jpg |""",
    "kit": """
* 0 / | {name}
* 0 /login.php | {name}
20 0 /{word}/step{k}.php | {name}
20 0 /assets/{word}.js |""",
    "card": """
* 2 / | {name}
--
9 0.2 /{about} | {about}
9 0.2 /{contact} | {contact}
9 0.2 /{word} | {word}
--
9 0.2 /{about}.html | {about}
9 0.2 /{contact}.html | {contact}
9 0.2 /{word}.html | {word}
--
9 0.2 /{word}-{sec} | {title}
5 0.2 /{privacy} | {privacy}
5 0.2 /{contact} | {contact}""",
}
