// What a capture needs to know of a page, and how it sets the page up for its pictures. It runs in the runtime's scope.
const elements = []; // every control, button and label; their index is their id

const KINDS = [["textarea", "area"], ["input[type=checkbox], input[type=radio]", "tick"], [".fg-box", "box"],
  ["button, input[type=submit], input[type=button], input[type=reset]", "button"], ["input:not(.fg-native):not([type=hidden])", "text"]];
const kindOf = element => KINDS.find(([selector]) => element.matches(selector))[1];
const rounded = box => [box.left + scrollX, box.top + scrollY, box.right + scrollX, box.bottom + scrollY];

all("input, textarea, button, .fg-box").filter(one => !one.classList.contains("fg-native") && one.type !== "hidden").forEach(element => elements.push(element));

const conditions = []; // {page, field, values}, each once
function conditionOf(field) {
  if (!field || !("when" in field.dataset)) return null;
  const page = pages().indexOf(field.closest(".page")), key = `${page}|${field.dataset.when}|${field.dataset.is}`;
  const at = conditions.findIndex(one => one.key === key);
  return at >= 0 ? at : conditions.push({ key, page, field: field.dataset.when, values: JSON.parse(field.dataset.is) }) - 1;
}
const blocks = all(".repeat", FORM).map(block => ({ element: block, page: pages().indexOf(block.closest(".page")), most: all("[data-row]", block).length }));
all(".field[data-when]", FORM).forEach(conditionOf);

function actionOf(button) {
  if (button.dataset.turn) return button.dataset.turn;
  if ("add" in button.dataset) return "add";
  if ("remove" in button.dataset) return "remove";
  return "submit";
}

function facts(element, id) {
  const kind = kindOf(element), native = boxes.get(element) ?? element, field = element.closest(".field"), row = element.closest("[data-row]");
  const group = element.closest("[data-required]");
  const common = { id, kind, name: native.name || native.id || "", page: Math.max(0, pages().indexOf(element.closest(".page"))),
    condition: conditionOf(field), row: row ? [blocks.findIndex(block => block.element.contains(row)), Number(row.dataset.row)] : null };
  if (kind === "button") return { ...common, action: actionOf(element), block: blocks.findIndex(block => block.element.contains(element)) };
  common.required = native.required;
  if (kind === "tick") return { ...common, radio: native.type === "radio", value: native.value, listed: !!native.closest(".options"), group_required: !!group };
  if (kind === "box") return { ...common, file: isFile(native), several: isSeveral(native), accept: native.accept ?? "", empty_text: isFile(native) ? (native.multiple ? "Choose files" : "Choose a file") : native.dataset.prompt || "None chosen",
    options: isFile(native) ? [] : [...native.options].map(({ text, value, selected }) => ({ text, value, selected })),
    depends: native.dataset.depends ?? null, options_by: native.dataset.options ? JSON.parse(native.dataset.options) : null };
  return { ...common, type: "date" in native.dataset ? "date" : kind === "area" ? "textarea" : native.type, value: native.value, placeholder: !!native.placeholder,
    max_length: native.maxLength, min_length: native.minLength, pattern: native.pattern || null, title: native.title, least: native.dataset.least ?? native.min ?? "", most: native.dataset.most ?? native.max ?? "", step: native.step ?? "" };
}

const number = text => parseFloat(text) || 0;
const rgb = text => text.match(/[\d.]+/g).slice(0, 3).map(Number);

function textStyle(element) {
  const style = getComputedStyle(element);
  return { family: style.fontFamily, weight: style.fontWeight, slant: style.fontStyle, size: number(style.fontSize), ink: rgb(style.color) };
}

const context = document.createElement("canvas").getContext("2d");
function makeContext(style) {
  context.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  return context.measureText("x");
}

// Where a label can be clicked: Chromium snaps the boxes of inline elements to whole pixels.
function hitBoxes(label) {
  const boxes = [...label.getClientRects()].map(rounded);
  return getComputedStyle(label).display === "inline" ? boxes.map(([left, top, right, bottom]) => [Math.round(left), Math.floor(top), Math.round(right), Math.ceil(bottom)]) : boxes;
}

// Where an element is, where its text goes, and what of it can be seen.
function geometry(element) {
  const style = getComputedStyle(element), box = element.getBoundingClientRect(), kind = kindOf(element);
  const edge = side => number(style[`border${side}Width`]), pad = side => number(style[`padding${side}`]);
  const at = rounded(box), inner = kind === "box" ? element.firstChild.getBoundingClientRect() : null;
  const padding = [at[0] + edge("Left"), at[1] + edge("Top"), at[2] - edge("Right"), at[3] - edge("Bottom")];
  const content = [padding[0] + pad("Left"), padding[1] + pad("Top"), padding[2] - pad("Right"), padding[3] - pad("Bottom")];
  if (inner) content[0] = inner.left + scrollX;
  const labels = [...((boxes.get(element) ?? element).labels ?? [])].flatMap(hitBoxes);
  const metrics = makeContext(style), height = Math.round(metrics.fontBoundingBoxAscent) + Math.round(metrics.fontBoundingBoxDescent);
  const button = element.closest(".fg-date")?.querySelector(".fg-calendar-button");
  return { box: at, padding, content, labels, line_height: number(style.lineHeight), radius: number(style.borderTopLeftRadius),
    caret: [Math.floor((number(style.lineHeight) - height) / 2), height],
    calendar_button: button && kind === "text" ? rounded(button.getBoundingClientRect()) : null };
}

const standing = () => elements.flatMap((element, id) => shown(element) ? [{ id, ...geometry(element) }] : []);

// Shows a page with some conditions met and so many rows of each block.
function arrange(page, met, rows) {
  const section = pages()[page];
  if (section) showPage(section);
  all(".field[data-when]", FORM).forEach(field => { field.hidden = !met.includes(conditionOf(field)); });
  blocks.forEach((block, i) => {
    all("[data-row]", block.element).forEach((row, k) => { row.hidden = k >= rows[i]; });
    drawRepeat(block.element);
  });
  controls().forEach(control => { control.disabled = false; });
  return document.documentElement.scrollHeight;
}

// Sets the text that can be seen in every control that has one; placeholders only where asked for.
const placeholders = new Map(elements.map(element => [element, element.placeholder]));
function setTexts(text, placeholder) {
  elements.forEach(element => {
    const kind = kindOf(element);
    if (kind === "box") element.firstChild.textContent = text;
    if (kind !== "text" && kind !== "area") return;
    element.value = text;
    element.placeholder = placeholder ? placeholders.get(element) : "";
    element.scrollLeft = element.scrollTop = 0;
  });
}

function setTick(id, checked) {
  elements[id].checked = checked;
}

function setFocus(id, visible) {
  document.activeElement?.blur();
  if (id !== null) elements[id].focus({ preventScroll: true, focusVisible: visible });
}

const whole = (text, style) => { const span = document.createElement("span"); span.textContent = text; Object.assign(span.style, style); return span; };

function cover() {
  const sheet = make("", BODY, { position: "absolute", left: "0", top: "0", width: "1024px", zIndex: "9999", background: "#fff" });
  sheet.className = "fg-sheet";
  return sheet;
}

const uncover = () => all(".fg-sheet").forEach(sheet => sheet.remove());
const faceStyle = (font, size, colour) => ({ position: "absolute", whiteSpace: "pre", font: `${font.slant} ${font.weight} ${size}px/1 ${font.family}`, lineHeight: `${font.size * 2}px`, fontVariantLigatures: "none", letterSpacing: "0", textTransform: "none", color: colour, margin: "0", padding: "0" });

// Every character at the four quarter pixels, in a grid of cells.
function drawGlyphs(font, characters, colour, paper, cell, columns) {
  uncover();
  const sheet = cover(), rows = Math.ceil(characters.length * 4 / columns);
  Object.assign(sheet.style, { height: `${rows * cell}px`, background: paper });
  characters.forEach((character, i) => [0, 1, 2, 3].forEach(phase => {
    const at = i * 4 + phase;
    sheet.append(whole(character, { ...faceStyle(font, font.size, colour), left: `${(at % columns) * cell + cell / 4 + phase / 4}px`, top: `${Math.floor(at / columns) * cell}px`, height: `${font.size * 2}px` }));
  }));
  return rows * cell;
}

// The advance of every character, and what kerning adds between two, in 65536ths of a pixel: a canvas tells them unrounded.
function measureGlyphs(font, characters) {
  // Spacing keeps letters from being joined into one.
  Object.assign(context, { font: `${font.slant} ${font.weight} ${font.size}px ${font.family}`, letterSpacing: "1px", fontKerning: "normal" });
  const width = text => Math.round((context.measureText(text).width - [...text].length) * 65536);
  const advances = Object.fromEntries(characters.map(character => [character, width(character)]));
  const kerns = {};
  characters.forEach(first => characters.forEach(second => {
    const kern = width(first + second) - advances[first] - advances[second];
    if (kern) kerns[first + second] = kern;
  }));
  Object.assign(context, { letterSpacing: "0px", fontKerning: "auto" });
  return { advances, kerns };
}

// A calendar, a popup and a bubble of our own to be photographed.
const PARTS = {
  calendar(year, month) { const input = document.createElement("input"); input.value = ""; BODY.append(input); openCalendar(input); input.remove(); Object.assign(calendar, { year, month }); drawCalendar(); Object.assign(calendar.element.style, { left: "0px", top: "0px" }); return calendar.element; },
  popup(several) { openPopup(BODY, [{ text: "", chosen: false }, { text: "", chosen: true }, { text: "1", chosen: false }], several, () => 0); Object.assign(popup.element.style, { left: "0px", top: "0px", width: "320px" }); popup.active = -1; drawPopup(); return popup.element; },
  bubble(text) { hideBubble(); bubble = make("fg-bubble", BODY, { left: "0px", top: "0px" }); bubble.textContent = text; return bubble; },
};

window.fgCapture = {
  about: () => ({ today: TODAY, conditions: conditions.map(({ page, field, values }) => ({ page, field, values })), blocks: blocks.map(({ page, most }) => ({ page, most })), pages: Math.max(1, pages().length),
    controls: elements.map(facts), styles: elements.map(element => kindOf(element) === "tick" || kindOf(element) === "button" ? null : textStyle(kindOf(element) === "box" ? element.firstChild : element)) }),
  arrange, standing, setTexts, setTick, setFocus, drawGlyphs, measureGlyphs, uncover,
  part(name, ...given) { const element = PARTS[name](...given); return { box: rounded(element.getBoundingClientRect()), style: textStyle(element) }; },
  turnActive(selector, i, on) { all(selector)[i].classList.toggle("fg-active", on); },
  dayChosen(i, on) { all(".fg-day")[i].classList.toggle("fg-chosen", on); },
  blankParts() { all(".fg-month").forEach(one => { one.textContent = ""; }); },
  clearParts() { closePopup(); closeCalendar(); hideBubble(); },
  setMonth(text) { all(".fg-month")[0].textContent = text; },
  dayBoxes: () => all(".fg-day").map(day => rounded(day.getBoundingClientRect())),
  turnBoxes: () => all(".fg-turn").map(turn => rounded(turn.getBoundingClientRect())),
  removeDays() { all(".fg-day").forEach(day => day.remove()); },
};
window.fgCapture.select = (id, text) => { const element = elements[id]; element.value = text; setFocus(id, true); if (text) element.select(); else element.blur(); };
window.fgCapture.setPlaceholder = (id, on) => { elements[id].placeholder = on ? placeholders.get(elements[id]) : ""; };
