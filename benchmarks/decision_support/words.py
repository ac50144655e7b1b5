"""The words that TPC-H's data are made of, and texts from its little grammar.

Source: TPC Benchmark H, revision 3.0.1, clauses 4.2.2.10 to 4.2.2.14 and 4.2.3 (lists, distributions and lengths).
"""

from __future__ import annotations

from random import Random


def listed(text: str) -> list[str]:
    """The words of a text; an underscore is a blank within one."""
    return [word.replace("_", " ") for word in text.split()]


COLOURS = listed(
    "almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood burnished chartreuse chiffon "
    "chocolate coral cornflower cornsilk cream cyan dark deep dim dodger drab firebrick floral forest frosted gainsboro ghost "
    "goldenrod green grey honeydew hot indian ivory khaki lace lavender lawn lemon light lime linen magenta maroon medium "
    "metallic midnight mint misty moccasin navajo navy olive orange orchid pale papaya peach peru pink plum powder puff purple "
    "red rose rosy royal saddle salmon sandy seashell sienna sky slate smoke snow spring steel tan thistle tomato turquoise "
    "violet wheat white yellow"
)
TYPES = (
    listed("STANDARD SMALL MEDIUM LARGE ECONOMY PROMO"),
    listed("ANODIZED BURNISHED PLATED POLISHED BRUSHED"),
    listed("TIN NICKEL BRASS STEEL COPPER"),
)
CONTAINERS = (listed("SM LG MED JUMBO WRAP"), listed("CASE BOX BAG JAR PKG PACK CAN DRUM"))
SEGMENTS = listed("AUTOMOBILE BUILDING FURNITURE MACHINERY HOUSEHOLD")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
INSTRUCTIONS = ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")
MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = (
    *(("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3)),
    *(("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0)),
    *(("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1), ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2)),
    *(("RUSSIA", 3), ("UNITED KINGDOM", 3), ("UNITED STATES", 1)),
)
NOUNS = (
    "foxes ideas theodolites pinto_beans instructions dependencies excuses platelets asymptotes courts dolphins multipliers "
    "sauternes warthogs frets dinos attainments somas Tiresias' patterns forges braids hockey_players frays warhorses dugouts "
    "notornis epitaphs pearls tithes waters orbits gifts sheaves depths sentiments decoys realms pains grouches escapades "
    "packages requests accounts deposits"
)
VERBS = (
    "sleep wake are cajole haggle nag use boost affix detect integrate maintain nod was lose sublate solve thrash promise "
    "engage hinder print x-ray breach eat grow impress mold poach serve run dazzle snooze doze unwind kindle play "
    "hang believe doubt"
)
ADJECTIVES = (
    "furious sly careful blithe quick fluffy slow quiet ruthless thin close dogged daring brave stealthy permanent enticing "
    "idle busy regular final ironic even bold silent special pending unusual express"
)
ADVERBS = (
    "sometimes always never furiously slyly carefully blithely quickly fluffily slowly quietly ruthlessly thinly closely "
    "doggedly daringly bravely stealthily permanently enticingly idly busily regularly finally ironically evenly boldly "
    "silently"
)
PREPOSITIONS = (
    "about above according_to across after against along alongside_of among around at atop before behind beneath beside "
    "besides between beyond by despite during except for from in_place_of inside instead_of into near of on outside over past "
    "since through throughout to toward under until up upon without with within"
)
AUXILIARIES = "do may might shall will would can could should ought_to must will_have_to shall_have_to could_have_to"
ENDS = ".;:?!-"


PARTS = {
    name: listed(text)
    for name, text in (("N", NOUNS), ("V", VERBS), ("J", ADJECTIVES), ("D", ADVERBS), ("P", PREPOSITIONS), ("X", AUXILIARIES))
}
NOUN_PHRASES = ("N", "JN", "JJN", "DJN")
VERB_PHRASES = ("V", "XV", "VD", "XVD")
SENTENCES = ("nv", "nvp", "nvn", "npvn", "npvp")


def prose(random: Random, length: int) -> str:
    """A long text of sentences to cut comments from."""
    parts: list[str] = []
    size = 0
    while size < length:
        words: list[str] = []
        for kind in random.choice(SENTENCES):
            if kind == "p":
                words += [random.choice(PARTS["P"]), "the"]
            shape = random.choice(VERB_PHRASES if kind == "v" else NOUN_PHRASES)
            words += [random.choice(PARTS[letter]) for letter in shape]
        sentence = " ".join(words) + random.choice(ENDS) + " "
        parts.append(sentence)
        size += len(sentence)
    return "".join(parts)


def cut(random: Random, text: str, shortest: int, longest: int) -> str:
    """A comment: a piece of the text of a length in between."""
    start = random.randrange(len(text) - longest)
    return text[start : start + random.randint(shortest, longest)]


def code(random: Random, shortest: int, longest: int) -> str:
    """A string of letters, digits and a few signs, as addresses are."""
    letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ, "
    return "".join(random.choices(letters, k=random.randint(shortest, longest)))


def phone(random: Random, nation: int) -> str:
    """A telephone number whose first two digits tell the nation."""
    return f"{nation + 10}-{random.randint(100, 999)}-{random.randint(100, 999)}-{random.randint(1000, 9999)}"
