"""Words of a few languages, and the titles, slugs and invented names made of them."""

from __future__ import annotations

from typing import NamedTuple

from training.generators.author_j.draw import Draw


class Tongue(NamedTuple):
    """A language as the pages of a site show it."""

    code: str
    words: tuple[str, ...]
    about: str
    contact: str
    privacy: str
    news: str
    suffixes: tuple[str, ...]
    """Endings of host names, the most usual first."""


_ENGLISH = """garden water house light river stone music report market history school energy family
health travel summer winter village kitchen science training season future design quality system
service council review meeting project guide plan story image letter library theatre football
bridge forest island coffee bread horse engine battery camera printer network server security
software update release manual support weather election budget hospital railway airport harbour
church castle museum festival concert exhibition workshop member volunteer annual spring autumn
local national public private digital modern classic little great green golden silver northern
southern eastern western early final open fast simple secret best cheap luxury wooden electric
insurance mortgage credit loan bonus casino poker slots pharmacy diet fitness yoga wedding puppy
bicycle tractor boiler window curtain carpet mattress sofa lamp watch jacket boots handbag ring"""
_GERMAN = """garten wasser haus licht fluss stein musik bericht markt geschichte schule energie
familie gesundheit reise sommer winter dorf kueche wissenschaft ausbildung saison zukunft qualitaet
verein feuerwehr gemeinde rathaus sitzung projekt plan bild brief bibliothek theater fussball
bruecke wald insel kaffee brot pferd motor batterie kamera drucker netzwerk sicherheit wetter wahl
haushalt krankenhaus bahnhof flughafen hafen kirche burg museum fest konzert ausstellung mitglied
jahr neu alt gross klein gruen golden nord sued ost west frueh offen schnell einfach holz elektro
versicherung kredit handwerk dachdecker fliesen heizung fenster teppich matratze lampe jacke
stiefel hotel pension ferienwohnung zimmer urlaub berge kanzlei steuer arzt praxis zahn"""
_FRENCH = """jardin eau maison lumiere riviere pierre musique rapport marche histoire ecole energie
famille sante voyage ete hiver village cuisine science formation saison avenir qualite service
mairie conseil reunion projet guide image lettre bibliotheque theatre football pont foret ile cafe
pain cheval moteur batterie camera reseau securite logiciel meteo election budget hopital gare port
eglise chateau musee fete concert exposition atelier membre annuel printemps local national public
vert dore nord sud ouest simple rapide bois electrique assurance credit mariage velo fenetre tapis
lampe montre veste bottes hotel chambre vacances montagne avocat medecin dentiste boulangerie"""
_SPANISH = """jardin agua casa luz rio piedra musica informe mercado historia escuela energia
familia salud viaje verano invierno pueblo cocina ciencia curso temporada futuro calidad servicio
ayuntamiento consejo reunion proyecto guia imagen carta biblioteca teatro futbol puente bosque isla
cafe pan caballo motor bateria camara red seguridad programa tiempo eleccion presupuesto hospital
estacion puerto iglesia castillo museo fiesta concierto taller socio anual primavera local nacional
publico verde dorado norte sur este oeste simple rapido madera electrico seguro credito boda
bicicleta ventana alfombra lampara reloj chaqueta botas hotel habitacion vacaciones abogado"""
_CZECH = """zahrada voda dum svetlo reka kamen hudba zprava trh historie skola energie rodina zdravi
cesta leto zima vesnice kuchyne veda kurz sezona budoucnost kvalita sluzba obec rada schuze projekt
plan obraz dopis knihovna divadlo fotbal most les ostrov kava chleba kun motor baterie kamera sit
bezpecnost pocasi volby rozpocet nemocnice nadrazi letiste kostel hrad muzeum slavnost koncert
vystava dilna clen rocni jaro podzim mistni narodni verejny zeleny zlaty severni jizni rychly
jednoduchy drevo pojisteni uver svatba kolo okno koberec lampa hodinky bunda boty hotel pokoj"""

TONGUES = {
    "en": Tongue(
        *("en", tuple(_ENGLISH.split()), "about", "contact", "privacy-policy", "news"),
        ("com", "co.uk", "org", "net", "org.uk", "info", "com.au", "ie", "us", "ca", "io"),
    ),
    "de": Tongue(
        *("de", tuple(_GERMAN.split()), "ueber-uns", "kontakt", "datenschutz", "aktuelles"),
        ("de", "at", "com", "ch", "eu", "net", "org", "info"),
    ),
    "fr": Tongue(
        *("fr", tuple(_FRENCH.split()), "a-propos", "contact", "mentions-legales", "actualites"),
        ("fr", "com", "be", "ch", "org", "net", "eu", "asso.fr"),
    ),
    "es": Tongue(
        *("es", tuple(_SPANISH.split()), "quienes-somos", "contacto", "aviso-legal", "noticias"),
        ("es", "com", "com.mx", "com.ar", "org", "net", "cl", "cat"),
    ),
    "cs": Tongue(
        *("cs", tuple(_CZECH.split()), "o-nas", "kontakty", "ochrana-udaju", "aktuality"),
        ("cz", "eu", "com", "sk", "net", "info"),
    ),
}
_STARTS = "ba be bo bra ca co da del do fa fi gra ha hel in ka kor la le lu ma mer mi na no o pa"
_STARTS += " pra qui ra ri sa se sta ta te tri u va ve vi wa xi za zo"
_ENDS = "dex ra na lux tec ta mo nia lis ron ster ko vo ria mex to sys net la max ville berg ner"
STARTS, ENDS = tuple(_STARTS.split()), tuple(_ENDS.split())
_PEOPLE = (
    "smith jones mueller schmidt novak garcia martin dubois rossi jansen kowalski brown taylor "
    "weber fischer lopez perez moreau leroy svoboda dvorak wilson clark lewis walker hall young "
    "becker hoffmann koch richter wolf sanchez romero bernard petit durand horak kral"
)
PEOPLE = tuple(_PEOPLE.split())


def title(draw: Draw, tongue: Tongue) -> str:
    """A title of two to six words."""
    count = 2 + draw.below(4) + draw.below(2)
    text = " ".join(draw.pick(tongue.words) for _ in range(count))
    if draw.chance(0.2):
        text = f"{text} {draw.between(1998, 2023) if draw.chance(0.5) else draw.between(2, 400)}"
    return text.capitalize()


def slug(text: str, joint: str = "-") -> str:
    """The text as it stands in a path."""
    return text.lower().replace(" ", joint)


def invented(draw: Draw) -> str:
    """A name that is no word."""
    middle = draw.pick(STARTS) if draw.chance(0.6) else ""
    return draw.pick(STARTS) + middle + draw.pick(ENDS)


def site_name(draw: Draw, tongue: Tongue) -> str:
    """What a site calls itself."""
    style = draw.below(5)
    if style == 0:
        return invented(draw).capitalize()
    if style == 1:
        return f"{draw.pick(PEOPLE)} {draw.pick(tongue.words)}".title()
    if style == 2:
        return f"{draw.pick(tongue.words)} {invented(draw)}".title()
    if style == 3:
        return draw.letters(3).upper()
    return f"{draw.pick(tongue.words)} {draw.pick(tongue.words)}".title()
