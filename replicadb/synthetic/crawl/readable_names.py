"""Names that a person can tell apart, for the profile of ``replicadb demo``: two common words each.

Invariant: names are drawn apart from all else, so a crawl with them has the pages, replicas and
addresses that it has without them. No word says what was planted.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from replicadb.synthetic.crawl.pseudo_names import distinct

FIRST = """
    amber ancient autumn azure bitter blank bold brave brief bright broad bronze calm candid cedar
    civic clear clever cloudy coastal cobalt cold copper coral cosmic cotton crimson crisp curious
    dapper daring deep distant double dusty early eager east elder ember equal fabled fair fancy
    fern fierce first flat floral fond forest free fresh frosty gentle giant gilded glad golden
    grand granite great green hasty hazel hidden hollow honest humble icy idle inner iron ivory
    jade jolly keen kind large late leafy level light lilac lively local lone loud loyal lucky
    lunar magic maple marble mellow merry mild misty modern modest mossy narrow navy neat noble
    north nimble oaken olive open orange outer pale paper patient pearl plain polar prime proud
    quick quiet rapid rare ready red rising rocky rosy round royal ruby rural rustic sandy scarlet
    second secret serene sharp shiny silent silver simple sincere slate sleepy slim smooth snowy
    soft solar solid south spare spiral spring stable steady steel still stony strong sunny swift
    tall teal tender tidal timber tiny topaz true twin upper urban vast velvet violet vivid warm
    west white wide wild willow windy winter wise witty wooden woolen yellow young zesty
""".split()
SECOND = """
    acorn almanac anchor anvil apple arbor arcade archer atlas badger bakery balloon barley barn
    basin basket bazaar beacon beaver bell bench berry bicycle bistro boat bonfire book boot
    bottle boulder bridge brook broom bucket button cabin camel camera canal candle canoe canvas
    carpet castle cellar chalk cherry chimney cider circus clinic clock clover college comet
    compass cookie cottage cradle crane cricket crown cuckoo cup dairy desk dolphin donkey dragon
    drum eagle easel echo elbow engine falcon farm feather ferry fiddle field finch flag flute
    forge fossil fountain fox furnace galaxy gallery garage garden gazette glacier glove goose
    grove guitar hammer harbor harp hat hedge helmet heron hill hive horizon hotel island jacket
    jar jigsaw journal juniper kayak kettle kiosk kitchen kite ladder lagoon lamp lantern lark
    laundry leaf ledger lemon library lighthouse lion lobby lodge lynx magnet mailbox mango market
    meadow melon mill mirror mitten moon mosaic museum mustard needle nest notebook nursery oasis
    ocean office onion orchard otter oven owl oyster paddle palace parade parrot pasture pebble
    pencil pepper piano pillow pilot pine planet plaza pocket poem pond pottery prairie printer
    pumpkin puzzle quarry quilt rabbit radio raft railway raven recipe ribbon river robin rocket
    saddle sailor salad school scooter shelter shepherd shore signal sketch spoon sparrow stadium
    station stove studio summit tailor tavern teapot temple tent thimble thistle ticket tiger tower
    trail trumpet tulip tunnel turnip turtle umbrella valley village vineyard violin wagon walnut
    walrus whale wharf whistle window workshop yard zebra
""".split()


def brands(seed: int, n: int) -> pl.Series:
    """n distinct names without suffix, String (n,)."""
    rng = np.random.default_rng([seed, 41])
    pairs = len(FIRST) * len(SECOND)
    drawn = np.concatenate([rng.permutation(pairs) for _ in range(-(-n // pairs))])[:n]
    first, second = pl.Series(FIRST).gather(drawn // len(SECOND)), pl.Series(SECOND)
    frame = pl.DataFrame({"first": first, "second": second.gather(drawn % len(SECOND))})
    return distinct(frame.select(pl.concat_str("first", "second")).to_series())


def words(drawn: np.ndarray) -> pl.Series:
    """A word for each number drawn, String (n,)."""
    return pl.Series(SECOND).gather(drawn % len(SECOND))
