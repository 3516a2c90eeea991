"""Words of several languages, and the name endings that go with them."""

from __future__ import annotations

ENGLISH = """garden house travel music hotel school bank forum market kitchen camera office river
mountain coffee yoga dental legal energy studio print motor golf wedding family health farm horse
bike sport club photo design travelers guide review price city museum library history science
report annual event summer winter project member board contact team service support product review
cheap best local modern classic green blue silver golden north south east west open free new old
quick simple repair insurance credit loan estate garage bakery pizza wine beer flower fashion
shoe watch jewel toy baby dog cat fish bird lake forest valley bridge street tower""".split()

GERMAN = """garten haus reise musik hotel schule bank markt kamera buero fluss berg kaffee energie
verein sport jugend feuerwehr gemeinde rathaus stadt museum bibliothek geschichte wissenschaft
bericht veranstaltung sommer winter projekt mitglied vorstand kontakt leistung produkt angebot
neu alt gross klein gruen blau nord sued ost west werkstatt versicherung kredit immobilien
baeckerei wein bier blume mode schuh uhr schmuck spielzeug hund katze fisch vogel see wald tal
bruecke strasse turm burg kirche praxis zahnarzt anwalt steuer umzug reinigung""".split()

CZECH = """zahrada dum cesta hudba hotel skola banka trh kuchyne kancelar reka hora kava energie
spolek sport mladez hasici obec radnice mesto muzeum knihovna historie veda zprava akce leto zima
projekt clen vybor kontakt sluzby vyrobek nabidka novy stary velky maly zeleny modry sever jih
vychod zapad dilna pojisteni uver reality pekarna vino pivo kvetiny moda boty hodinky sperky
hracky pes kocka ryba ptak jezero les udoli most ulice vez hrad kostel ordinace zubar advokat
dane stehovani uklid topeni strecha kola okna dvere podlahy stavby autoservis ubytovani""".split()

FRENCH = """jardin maison voyage musique hotel ecole banque marche cuisine bureau riviere montagne
cafe energie association sport jeunesse commune mairie ville musee bibliotheque histoire science
rapport evenement ete hiver projet membre conseil contact service produit offre nouveau ancien
grand petit vert bleu nord sud est ouest atelier assurance credit immobilier boulangerie vin biere
fleur mode chaussure montre bijou jouet chien chat poisson oiseau lac foret vallee pont rue tour
chateau eglise cabinet dentiste avocat impot nettoyage chauffage toit fenetre porte""".split()

SPANISH = """jardin casa viaje musica hotel escuela banco mercado cocina oficina rio montana cafe
energia asociacion deporte juventud ayuntamiento ciudad museo biblioteca historia ciencia informe
evento verano invierno proyecto socio junta contacto servicio producto oferta nuevo viejo grande
verde azul norte sur este oeste taller seguro credito inmobiliaria panaderia vino cerveza flor
moda zapato reloj joya juguete perro gato pez pajaro lago bosque valle puente calle torre castillo
iglesia clinica dentista abogado impuesto limpieza calefaccion tejado ventana puerta""".split()

TONGUES: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "en": (ENGLISH, ("com", "co.uk", "org", "net", "info", "com.au", "ca", "ie")),
    "de": (GERMAN, ("de", "at", "ch", "com", "net", "info")),
    "cs": (CZECH, ("cz", "sk", "eu", "com", "net")),
    "fr": (FRENCH, ("fr", "be", "ch", "com", "org")),
    "es": (SPANISH, ("es", "com.mx", "com.ar", "cl", "com", "org")),
}
"""Of each language, words and the name endings of its hosts, the usual ones first."""

SYLLABLES = """ba be bo ca co da de do ex fa fi fo ga go ha he in ka ko la le li lo lu ma me mi mo
na ne ni no nu pa pe po pro ra re ri ro sa se si so ta te ti to tra tri va ve vi vo xa xi ya zo
zen dor lex mar nor pol san tel ver win""".split()

TAILS = """tech plus media group online shop net web service trade invest consult system lab soft
expert centrum point direct world star""".split()
