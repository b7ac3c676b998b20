"""Lexicon: the words that the rules know, as patterns; all of them are looked for without regard to case."""

from __future__ import annotations

from ...envs.documents.operations.values import COLOURS, FACES

ORDINAL = r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d+(?:st|nd|rd|th)"
EDGE = r"left|right|top|bottom|upper|lower"
SHADE = r"dark|light|bright|pale|deep"
COLOUR = "|".join(
    [name.replace(" ", "[ -]").replace("grey", "gr[ea]y") for name in sorted(COLOURS, key=len, reverse=True)]
    + [r"#[0-9a-f]{6}", "navy", "turquoise", "violet", "maroon", "beige", "crimson", "magenta", "cyan", "silver"]
)
FACE = "|".join(face.replace(" ", "[ -]") for face in sorted(FACES, key=len, reverse=True))
SHAPES: dict[str, str] = {
    "rounded rectangle": "rectangle", "rectangle": "rectangle", "rectangular": "rectangle", "square": "rectangle",
    "ellipse": "oval", "elliptical": "oval", "oval": "oval", "circle": "circle", "circular": "circle",
    "triangle": "triangle", "triangular": "triangle", "diamond": "diamond", "rhombus": "diamond", "star": "star",
    "arrow": "arrow", "hexagon": "hexagon", "hexagonal": "hexagon", "chevron": "chevron",
}  # fmt: skip
"""Shapes by the words for them, as they are told in requests."""
SHAPE = "|".join(sorted(SHAPES, key=len, reverse=True))
PICTURE = r"pictures?|images?|icons?|photos?|photographs?|drawings?|illustrations?|symbols?|pictograms?|graphics?"
TEXT = (
    r"(?:text|line of text|line|text element|text box|textbox|piece of text|caption|label|note|"
    r"sentence|message|heading)"
)
SAYING = (
    r"(?:(?:that|which) (?:now |currently )?(?:says?|reads?|states?)|saying|reading|stating|with the "
    r"(?:words?|wording|text|"
    r"content|message)|containing(?: the words?)?|consisting of(?: the words?)?)"
)
DETERMINER = (
    r"(?:(?:each and every|any and all|every last|all|each|every|both|any)(?: single)?(?: one)?(?: "
    r"of)?(?: (?:the|those|these))?"
    r"(?! others?\b)|the (?:whole|entire|full) (?:set|lot|group) of(?: the)?|the|these|those|this|our|"
    r"my|your|that(?= «n))"
)
IS_PLURAL = r"(?:all|each|every|both|any and all|the (?:whole|entire|full) (?:set|lot|group) of)\b"
PLURAL_KIND = (
    r"(?:texts|lists|tables|lines|icons|pictures|images|photos|circles|ovals|rectangles|triangles|"
    r"diamonds|stars|arrows|"
    r"hexagons|chevrons|shapes|elements|headings|captions|labels|boxes|squares)"
)
KIND = (
    r"\b(?:texts?|headings?|headlines?|titles?|subtitles?|captions?|paragraphs?|labels?|sentences?|"
    r"images?|pictures?|photos?|"
    r"photographs?|icons?|illustrations?|drawings?|shapes?|circles?|ovals?|squares?|box(?:es)?|rectangles?|ellipses?|"
    r"triangles?|diamonds?|stars?|arrows?|hexagons?|chevrons?|lines?|rules?|dividers?|tables?|grids?|lists?|bullets?|"
    r"groups?|blocks?|elements?|components?|objects?|items?)\b"
)
"""Nouns for elements."""
STOP = (
    r"an?|the|of|to|in|on|at|by|with|from|into|onto|for|as|so|and|or|but|then|until|till|than|without|"
    r"instead|within|inside|"
    r"beside|near|next|below|under|beneath|underneath|above|over|behind|before|after|that|which|whose|where|who|it|its|"
    r"they|them|their|this|these|those|there|here|is|are|be|been|was|were|should|must|shall|can|could|will|would|may|"
    r"might|ought|needs?|has|have|had|having|do|does|not|says?|saying|reads?|reading|shows?|showing|look|looks|become|"
    r"becomes?|appears?|[\w]+-(?:aligned|justified)|contain|contains|containing|begins?|comes?|"
    r"beginning|starts?|starting|saying|sits?|stands?|lies|goes|"
    r"moves?|stays?|keeps?|keeping|change|share|stop|carry|take|takes|get|gets|go|grow|grows|rise|use|"
    r"belongs?|replaces?|occup(?:y|ies)|trade|swap|switch|match|align|half|twice|double|all|each|"
    r"every|both|one|two|please|also|afterwards|against|"
    r"along|around|about|through|across|per|via|apart|while|where|when|if|because|saying|i|you|we|wide|high|tall|"
    r"counted|counting|located|placed|positioned|found|known|called|named|directly|immediately|only(?= in)|now|"
    r"labelled|labeled|titled|marked|bearing|including|opening|just(?= )|right(?= (?:below|above|under|beneath))"
)
"""Words at which a noun phrase ends."""
PROPERTY = (
    r"colou?rs?|sizes?|widths?|heights?|fonts?|typefaces?|types?|faces?|opacity|transparency|rotation|angle|tilt|"
    r"position|place|location|spot|edges?|sides?|corners?|borders?|cent(?:er|re)|middle|midpoint|page|pages|document|"
    r"slide|sheet|file|front|foreground|background|back|top|bottom|alignment|wording|contents?|words?|"
    r"letters?|lettering|"
    r"characters?|capitals|caps|case|originals?|cop(?:y|ies)|duplicates?|clones?|twin|result|order|layers?|stack|way|"
    r"distances?|former|latter|others?|rest|everything|moment|value|cells?|entry|part|piece|phrase|amount|axis|"
    r"direction|degrees?|style|weight|bold|italics?|underline|underlining|formatting|coordinates?|points?|x|y|same|"
    r"scale|margins?|space|room|area|line-breaks?|breaks?|following|new|existing|current|present|pixels?|px|percent|"
    r"fill|outline|level|horizontal|vertical|paragraphs?|request|change|edit|task|more|longer|upper|"
    r"lower|very|things?|gap|hole|slot|void|vacancy|blank|double|replica|repro\w*|repetition|repeat|"
    r"version|instance|extra|\w+most|tops|bottoms|lefts|rights"
)
"""Nouns that are no elements: what elements have, and parts of pages."""
TRAILING = (
    rf"{COLOUR}|{SHADE}|left|right|leftwards?|rightwards?|up|down|upwards?|downwards?|higher|lower|"
    rf"horizontally|vertically|"
    r"bold|bolder|italic|italics|upright|underlined|opaque|transparent|larger|bigger|smaller|wider|taller|narrower|"
    r"clockwise|counter-?clockwise|anti-?clockwise|completely|entirely|altogether|please|again|twice|upper-?case|"
    r"centrally|cent(?:er|re)d|proportionally|further|slightly|somewhat|in|out|off|away|font|"
    r"(?!(?:\w*bed|shed|seed|feed|need)\b)\w+ed|made|put|set|taken|given|drawn|sent|split|cut|hidden|shown|gone|"
    r"circular|triangular|rectangular|hexagonal|elliptical|round|[\w-]+-aligned|[\w-]+-shaped|non-\w+|"
    r"visible|flush|regular|normal|plain|simple|first|last"
)
"""Words that follow a noun phrase rather than end it."""
RELATION = (
    r"below|under|beneath|underneath|above|over|on top of|(?:(?:to|on) the )?(?:left|right)(?:-hand)?(?: side)? of|"
    r"next to|beside|near|close(?:st)? to|nearest to|inside|within"
)
PLACE = rf"\b(?:{RELATION}) <target"
"""A place that is told beside something."""
NEARLY = r"(?:(?:directly|immediately|just|right|closest|nearest|somewhere|straight|exactly) )?"
COPY = (
    r"\b(?:cop(?:y|ies|ied|ying)|duplicat\w+|clon\w+|replica\w*|twin|repeat\w*|reproduc\w+|doubl\w+|"
    r"another|second|once more|identical|again)\b"
)
INSTEAD = (
    r"\b(?:replac\w+|substitut\w+|exchang\w+|swap\w*|trad\w+|convert\w*|turn\w*|chang\w+|transform\w*|"
    r"make|made|instead|"
    r"in (?:the|its) (?:same )?(?:place|position|spot)|in place|take\w* the place|there\b(?! should| "
    r"must| ought)|remov\w+|"
    r"delet\w+|put\w* .* where|become|set|use|show\w*|depict\w*|display\w*|be|have)\b"
)
MERGE = (
    r"\b(?:merg\w+|combin\w+|join\w*|append\w*|attach\w*|unit\w+|unif\w+|fus\w+|concatenat\w+|link\w*|to the end of|"
    r"(?:one|single|same) (?:text|element|block|box)|followed by|together)\b"
)
SWAP = (
    r"\b(?:swap\w*|exchang\w+|interchang\w+|trad\w+|switch\w*|transpos\w+|vice versa|(?:change|changing|switched) "
    r"(?:places|positions)|each other|former|revers\w+|where <target.* where <target|where the other|the other way)\b"
)
NOT = (
    r"\b(?:not|non|no|no longer|never|remov\w+|un\w*(?:bold|italic)\w*|off|away|out|without|instead "
    r"of (?:the )?(?:bold|italic)\w*|"
    r"from (?:bold|italic)\w*|regular|normal|upright|roman|plain|lighter|drop|strip\w*|cancel|undo|"
    r"disable|clear|rid|lose|"
    r"stop|cease|withdraw|lift|delet\w+|eliminat\w+|revers\w+|revert|un)\b"
)
LARGER = (
    r"\b(?:larger|bigger|greater|more|increas\w+|rais\w+|enlarg\w+|grow\w*|add\w*|up|bump|step up|"
    r"higher|magnif\w+|expand\w*|extra|above|over|lift\w*|boost\w*|gain\w*|plus|on top|hike\w*|beyond|"
    r"upsiz\w+|further|another|stretch\w*|heighten\w*|extend\w*|augment\w*|amplif\w*|upwards?|"
    r"swell\w*)\b"
)
SMALLER = (
    r"\b(?:smaller|less|fewer|decreas\w+|reduc\w+|lower\w*|subtract\w*|shrink\w*|cut|down|drop|tak\w+|"
    r"diminish\w*|trim|minus|below|off|knock\w*|downsiz\w+|slim\w*|los\w+|scale back|short\w*)\b"
)
LETTERS = (
    r"\b(?:text|font|fonts|letters?|lettering|type|typeface|words?|wording|writing|characters?|label|"
    r"caption|ink|print)\b"
)
DIRECTIONS: dict[str, str] = {
    "UP": r"\b(?:up|upwards?|higher|lift\w*|rais\w+|ris\w+|climb\w*|top)\b",
    "DOWN": r"\b(?:down|downwards?|lower\w*|drop\w*|sink\w*|descend\w*|fall\w*|bottom)\b",
    "LEFT": r"\b(?:left|leftwards?)\b",
    "RIGHT": r"\b(?:right|rightwards?)\b(?! (?:now|away))",
}
SIDES: dict[str, str] = {
    "below": r"\b(?:below|under|beneath|underneath)\b",
    "above": r"\b(?:above|over|on top of)\b",
    "left": r"\b(?:left|leftwards?)\b",
    "right": (
        r"\b(?:right|rightwards?)\b(?! (?:below|above|under|beneath|over|on|next|beside|at|there|after|"
        r"where|now|away))"
    ),
}
BESIDE = r"\b(?:beside|next to|alongside|at the side)\b"
AXES: dict[str, str] = {
    "horizontally": r"\bhorizontal|\bleft[- ](?:and|to|or)?[- ]?(?:the )?right|\bside[- ]to[- ]side|\bsideways|"
    r"\bcrosswise|\bacross|"
    r"\bwidth|\bbreadth",
    "vertically": r"\bvertical|\b(?:top|upper)[- ](?:edge |side )?(?:and|to|or)[- ](?:the )?(?:bottom|lower)|\bup[- "
    r"]and[- ]down|\bheight|"
    r"\bhalfway (?:up|down)|\blengthwise",
}
TURNS: dict[str, str] = {
    "counterclockwise": r"\b(?:counter|anti)[- ]?clockwise|\bto the left|\bleftwards?|\bagainst the clock",
    "clockwise": r"\bclockwise|\bto the right|\brightwards?|\bwith the clock",
}
ALIGNMENTS: dict[str, str] = {
    "left": r"\bleft|\bragged[- ]right",
    "right": r"\bright",
    "center": r"\bcent(?:er|re)|\bcentral|\bmiddle",
}
EDGES: dict[str, str] = {
    "left": r"\bleft",
    "right": r"\bright",
    "top": r"\b(?:tops?|upper)\b",
    "bottom": r"\b(?:bottoms?|lower)\b",
}
ROWS: dict[str, str] = {"top": r"\b(?:tops?|upper)\b", "bottom": r"\b(?:bottoms?|lower)\b"}
COLUMNS: dict[str, str] = {"left": r"\bleft\b", "right": r"\bright\b"}
MIDDLE = r"\b(?:middle|cent(?:er|re)|mid-page)\b"
NUMBERS: dict[str, str] = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
    "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
}  # fmt: skip
"""Numbers that are written out before a unit."""
