"""The domain of a name is that by which ``load --site domain`` groups."""

from __future__ import annotations

import replicadb
from replicadb.load.host_splitting import split_names, stage_rules
from replicadb.web.domains import registrable_domain, sites_meant

NAMES = (
    "www2.x.org x.org org a.b.x.org co.uk a.co.uk b.a.co.uk blogspot.com me.blogspot.com"
    " s3.amazonaws.com amazonaws.com mine.s3.amazonaws.com a.b.ck b.ck www.ck x.www.ck"
    " xn--bcher-kva.de www.xn--bcher-kva.de a.xn--55qx5d.cn b.a.xn--55qx5d.cn localhost"
    " a.unheard-of c.a.unheard-of 192.0.2.1 [2001:db8::1] a_b.c.de nodebalancer.linode.com"
    " www.nodebalancer.linode.com a.b.nodebalancer.linode.com www.aivencloud.com aivencloud.com"
).split()


def test_a_domain_is_that_which_a_load_groups_by():
    with replicadb.open(":memory:") as web:
        stage_rules(web.database)
        split_names(web.database, f"SELECT unnest({NAMES}) AS host_name")
        grouped = dict(web.database.rows("SELECT host_name, domain FROM names"))
    assert sum(domain is not None for domain in grouped.values()) > 15
    assert {name: registrable_domain(name) for name in NAMES} == {
        name: grouped.get(name) for name in NAMES
    }


def test_a_text_means_a_domain_where_sites_are_domains_alone():
    text = "https://WWW2.Bücher.de:443/a"
    forms = (text, "www2.xn--bcher-kva.de/a", "www2.xn--bcher-kva.de")
    assert sites_meant(text, "host") == sites_meant(text, None) == forms
    assert sites_meant(text, "domain") == (*forms, "xn--bcher-kva.de")
    assert sites_meant("192.0.2.1", "domain") == ("192.0.2.1",)


def test_what_names_a_folder_never_means_the_host_without_it_where_folders_are_sites():
    for text in ("a.net/img", "http://A.net/img/1.png", "a.net/img/x/y?z"):
        assert sites_meant(text, "host+1")[-1] == "a.net/img"
        assert sites_meant(text, "host")[-1] == "a.net"
    for text in ("a.net", "a.net/", "a.net/?x", "https://A.net/", "https://a.net/page.html?q=a/b"):
        assert sites_meant(text, "host+1")[-1] == "a.net"
