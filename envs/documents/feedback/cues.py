"""Cues: words by which people say what kind of edit they want."""

from __future__ import annotations

import re

CUES: dict[str, str] = {
    "move": r"mov\w*|shift\w*|nudg\w*|slid\w*|slide|push\w*|drag\w*|bump\w*|pull\w*|shov\w*|scoot\w*|relocat\w*|reposition\w*|displac\w*|offset|translat\w*|transfer\w*|bring|take|raise|lower|lift\w*",
    "put": r"put\w*|plac(?:e|ed|ing)|set\w*|position\w*|stick\w*|pop\w*|drop|park\w*|sits?|sitting|lands?|lies?|belongs?|goes|live",
    "up": r"up|upwards?|higher|raise\w*|lift\w*",
    "down": r"down|downwards?|lower\w*",
    "left": r"left|leftwards?",
    "right": r"right|rightwards?|rightmost",
    "toward": r"towards?|in the direction|direction|closer to",
    "px": r"\d+ ?(?:px|pixels?)",
    "by number": r"by (?:a |an |about )?(?:distance of )?\d+|distance",
    "coordinates": r"spot|point|position|x ?=?:? ?\d+|y ?=?:? ?\d+|\(?\d+ ?, ?\d+\)?|coordinates?|from the (?:left|top) edge|across",
    "top left corner": r"(?:top|upper)[ -]left",
    "edge": r"edges?|sides?|flush|border",
    "align": r"align\w*|lines? up|lined up|in line|level|flush|ranged?|ragged|justif\w*|even with|share|same",
    "centre": r"cent(?:re|er|red|ered|ring|ering|ral|rally)|middle|midway|halfway|equal distance|distances",
    "left-aligned": r"(?:left|right|cent(?:re|er))[ -]?(?:align\w*|justif\w*)|text align\w*|alignment",
    "axis": r"horizontal\w*|vertical\w*|axis|sideways|top to bottom|left to right|up and down",
    "page": r"page|document|sheet|canvas",
    "swap": r"swap\w*|exchang\w*|switch\w*|trad\w*|interchang\w*|transpos\w*|change places|vice versa|each other'?s?|flip\w*|other way (?:a)?round|former|latter",
    "delete": r"delet\w*|remov\w*|eras\w*|eliminat\w*|discard\w*|ditch\w*|scrap\w*|kill\w*|get rid|rid of|take (?:out|away|off|down)|taken (?:out|away|off)|bin|trash\w*|nuk\w*|chop\w*|omit\w*|dispos\w*|banish\w*|get out|pull out|cut out|wip\w*|strip\w*|dump\w*|toss\w*|throw\w*",
    "gone": r"gone|go away|no longer|any ?more|must not|not be in|disappear\w*|vanish\w*|cut|drop|lose|leave out|do without|clear|has to go|needs to go|should go|can go|axe|out",
    "without": r"without|no longer|no|not|un\w+|isn'?t|n't|off|undo|cancel|instead of|rather than",
    "add": r"add\w*|insert\w*|creat\w*|draw\w*|includ\w*|introduc\w*|new|another|one more|there should|there to be|need|throw in|stick|pop|write|type",
    "copy": r"cop(?:y|ies|ied|ying)|duplicat\w*|clon\w*|replicat\w*|repeat\w*|second one|twin|doubl\w*|again",
    "original": r"original|it|itself|first one",
    "replace": r"replac\w*|substitut\w*|instead|in place of|in the place|place of|in its place|same place|same spot|exchang\w*|swap\w*|trade|convert\w*|becomes?|turn\w* .* into|into|there|for",
    "change": r"chang\w*|alter\w*|modif\w*|edit\w*|correct\w*|updat\w*|amend\w*|revis\w*|make|turn",
    "show": r"shows?|showing|depict\w*|featur\w*|display\w*",
    "picture word": r"pictures?|images?|icons?|photos?|illustrations?|graphics?|drawings?|symbols?",
    "shape word": r"shapes?|shaped|form|outline",
    "say": r"say\w*|reads?|reading|word(?:s|ed|ing)|content|text|caption|phrase|wording|rephras\w*|reword\w*|rewrit\w*|retitl\w*|line",
    "cell": r"cells?|table|entry|entries|row|column",
    "part": r"part|word|within|inside|inside of|every occurrence|occurs|where it says|in",
    "colour word": r"colou?r\w*|recolou?r\w*|paint\w*|tint\w*|fill\w*|shade\w*|hue|dye\w*",
    "letters": r"letter\w*|text colou?r|font colou?r|type colou?r|(?:text|words|writing|lettering|type|label|wording|characters) (?:in|inside|on|within)|colou?red type|writing|ink",
    "size word": r"(?:font|text|type|letter|point|lettering)[ -]?siz\w*|size of|sized?",
    "larger": r"larg\w*|bigg\w*|increas\w*|enlarg\w*|grow\w*|boost\w*|bump .* up|up|more|rais\w*|expand\w*|step up|add",
    "smaller": r"small\w*|decreas\w*|reduc\w*|shrink\w*|shrunk|less|down|lower\w*|cut|diminish\w*|take .* off|drop|trim\w*",
    "by amount": r"(?:by|another) \d+|\d+ (?:px|pixels?|points?) (?:larger|bigger|smaller|more|less|up|down|off|from|to)",
    "to number": r"(?:to|at|of|=|:|be|size) \d+",
    "font": r"fonts?|typefaces?|face|lettering|family|typeset",
    "bold": r"bold\w*|heav\w+|weights?|thick\w*|strong\w*|embold\w*",
    "regular": r"regular|normal|plain|lighter|light|standard|upright|roman|straight|usual",
    "italic": r"italic\w*|unitalic\w*|slant\w*|obliqu\w*|cursive|sloping|lean\w*",
    "underline": r"underlin\w*|line (?:under|below|beneath)|underscor\w*",
    "upper": r"upper[ -]?cas\w*|capitals?|caps|capitali[sz]\w*|all-caps|block letters|majuscul\w*",
    "opacity": r"opacity|opaque\w*|transparen\w*|see-through|fad\w*|translucen\w*|alpha|solid\w*",
    "rotate": r"rotat\w*|spin\w*|tilt\w*|swivel\w*|pivot\w*|turn\w*|angle|twist\w*|lean",
    "degrees": r"degrees?|°|deg",
    "clockwise": r"clockwise|right-hand turn",
    "anticlockwise": r"(?:counter|anti)-?clockwise|against the clock",
    "percent": r"percent|per cent|%",
    "scale": r"scal\w*|resiz\w*|present size|current size|size|original size|dimensions",
    "width": r"width|wide\w*|narrow\w*|across|broad\w*",
    "height": r"heights?|high|tall\w*|short\w*|in height|vertical size",
    "front": r"front\w*|forward|topmost|foremost|on top|above (?:everything|all|every)|over (?:everything|all|every)|cover\w*|in front|top layer|overlap\w*|top of the (?:stack|pile|layers)|uppermost",
    "back": r"back\w*|behind|rearmost|beneath (?:everything|all|every)|below (?:everything|all|every)|under (?:everything|all|every)|underneath (?:everything|all|every)|bottom layer|bottom of the (?:stack|pile|layers)|lowest layer",
    "everything": r"everything|all (?:the )?(?:else|other\w*)|anything else|rest|every other|layers?|stack\w*|order",
    "split": r"split\w*|divid\w*|break\w*|broken|separat\w*|apart|individual\w*|each (?:line|item|row)|every (?:line|item|row)|own|one (?:per|for each) line|line by line|pieces",
    "merge": r"merg\w*|join\w*|combin\w*|unit\w*|one (?:single )?(?:text|block|piece|element|box)|single (?:text|block|piece|element|box)|together|append\w*|fus\w*|concatenat\w*|glu\w*|consolidat\w*",
    "lines": r"lines?|items?|paragraphs?|rows?",
    "beside": r"below|under|underneath|beneath|above|over|next to|beside|to the (?:left|right) of",
    "corner": r"corner|(?:top|upper|bottom|lower)[ -](?:left|right)|(?:left|right)[ -](?:top|bottom)",
    "two edits": r"then|and also|also|after (?:that|which)|afterwards|next|and|;|once|finally|plus|as well|second",
    "should be": r"should|want|must|needs?|ought|like",
}  # fmt: skip
"""Words of everyday English for what edits are about, as regular expressions over whole words in lower case."""
PATTERNS = {name: re.compile(rf"(?<![\w-])(?:{words})(?!\w)") for name, words in CUES.items()}


def cues_in(words: str) -> dict[str, int]:
    """How often each cue is found in words in lower case, up to twice."""
    return {name: min(len(pattern.findall(words)), 2) for name, pattern in PATTERNS.items()}
