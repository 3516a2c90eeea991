"""Scenarios of hosts that answer for many: wildcard names and servers of mirrors."""

from __future__ import annotations

from training.generators.author_b.backgrounds import replicas, strangers
from training.generators.author_b.copies import Edits, copy
from training.generators.author_b.sites import make
from training.generators.author_b.world import Page, Site, World
from training.generators.common import stripped


def wildcard(world: World) -> None:
    """Domains that answer to any subdomain with one site, and domains whose subdomains only share
    legal pages.
    """
    strangers(world, 700)
    r = world.random
    for _ in range(world.count("wildcards", 10)):
        site, group, dynamic_share = (
            make(world, pages=world.size(3.3, 1, 5)),
            world.number(),
            world.power("wildcard dynamic", r.choice([0, 0.1, 0.5, 0.9])),
        )
        domain = stripped(world.put(site, group).host)
        for _ in range(r.randrange(5, 40)):
            host = f"{world.word()}{r.randrange(99) if r.random() < 0.3 else ''}.{domain}"
            copy(
                world,
                site,
                host,
                Edits(
                    changed=r.random() * 0.2,
                    dynamic=dynamic_share,
                    cover=r.choice([0.05, 0.1, 0.3, 0.6, 1]),
                ),
                group,
            )
    for _ in range(world.count("shared domains", 10)):
        domain, ip, number = stripped(world.host()), world.any_ip(), world.number()
        for _ in range(r.randrange(5, 40)):
            host = f"{world.word()}.{domain}"
            if host in world.sites:
                continue
            site = make(world, host, world.size(2, 1), ip=ip, noise=False)
            for k in range(r.randrange(1, 7)):
                site.add(f"/legal/{k}", Page(f"wc{number}{k}", "legal", 4000))
            world.put(site)


def mirror_hosts(world: World) -> None:
    """Projects and servers that carry many of them below a prefix: whether those two are replicas
    is unclear.
    """
    strangers(world, 500)
    r = world.random
    projects = [
        world.put(make(world, pages=world.size(3.5, 1, 10, 400), cms="static", noise=False))
        for _ in range(world.count("projects", 40))
    ]
    hosts = world.unclear["mirrors and projects"]
    hosts += [project.host for project in projects]
    for k in range(world.count("mirrors", 12)):
        server, group = (
            Site(
                world.host(f"mirror{k}.{stripped(world.host()).split('.')[0]}"),
                world.any_ip(),
                "mirror",
            ),
            world.number(),
        )
        server.add("/", Page(f"idx{k}", "Index of /", 3000))
        for project in r.sample(projects, k=min(len(projects), r.randrange(5, 25))):
            for path, page in project.pages.items():
                if not world.happens("not mirrored", 0.2):
                    content = (
                        f"{page.content}m{k}"
                        if world.happens("mirrored late", 0.05)
                        else page.content
                    )
                    server.add(
                        f"/pub/{stripped(project.host).split('.')[0]}{path}",
                        Page(content, page.title, page.length, page.mime, page.links),
                    )
        hosts.append(world.put(server, group).host)
        twin = (
            copy(world, server, f"ftp.{server.host.split('.', 1)[1]}", Edits(changed=0.05), group)
            if k % 3 == 0
            else None
        )
        hosts += [twin.host] if twin else []
    replicas(world, 30)
