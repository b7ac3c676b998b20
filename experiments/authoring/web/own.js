// What a capture of a page of the web needs besides: it runs after capture.js, in the same scope.
KINDS.unshift(["input[type=image]", "button"]);
const usual = { ...window.fgCapture };

// Sizes are told with four decimals: thirds of a pixel, as of the usual 13⅓, are meant so.
const exact = size => Math.abs(size * 3 - Math.round(size * 3)) < 0.001 ? Math.round(size * 3) / 3 : size;

function ownFacts(control) {
  const element = elements[control.id], native = boxes.get(element) ?? element;
  if (native.type === "image") control.action = "submit";
  if (native.type === "reset") control.action = "reset";
  if (["submit", "image"].includes(native.type) && !native.form) control.action = "none";
  if (["text", "area"].includes(control.kind) && native.readOnly) Object.assign(control, { read_only: true, required: false, pattern: null, min_length: -1, least: "", most: "", step: "any" });
  const { textAlign, direction } = getComputedStyle(element);
  const align = { right: "right", end: direction === "rtl" ? "" : "right", center: "center", start: direction === "rtl" ? "right" : "" }[textAlign.replace("-webkit-", "")] ?? "";
  if (align && ["text", "area", "box"].includes(control.kind)) control.align = align;
  return control;
}

// The distance of two lines of text where the style leaves it open.
function measuredLine(element) {
  const style = getComputedStyle(element), probe = make("", BODY, { position: "absolute", whiteSpace: "pre", padding: "0", border: "0", font: style.font, fontVariantLigatures: "none", lineHeight: "normal" });
  const height = text => { probe.textContent = text; return probe.getBoundingClientRect().height; };
  const line = height("1\n1") - height("1");
  probe.remove();
  return line;
}

const LINES = new Map();
function ownPlace(place) {
  const element = elements[place.id];
  if (kindOf(element) === "box") place.content[0] = place.padding[0] + number(getComputedStyle(element).paddingLeft);
  if (place.line_height || kindOf(element) !== "area") return place;
  if (!LINES.has(element)) LINES.set(element, measuredLine(element));
  place.line_height = LINES.get(element);
  place.caret = [Math.max(0, Math.floor((place.line_height - place.caret[1]) / 2)), place.caret[1]];
  return place;
}

// Words that tell what a control is for: its label, or what stands before it.
const words = node => (node?.textContent ?? "").replace(/\s+/g, " ").trim().replace(/\s*[:*]+$/, "").slice(0, 120);
function labelWords(label, native) {
  const copy = label.cloneNode(true);
  all("select, textarea, .fg-box, option, script, style", copy).forEach(one => one.remove());
  return words(copy);
}
function wordsBefore(element) {
  for (let one = element; one && one !== FORM && one !== BODY; one = one.parentElement) {
    for (let before = one.previousSibling; before; before = before.previousSibling) {
      if (before.matches?.("input, select, textarea, .fg-box") || before.querySelector?.("input, select, textarea")) return "";
      if (words(before)) return words(before);
    }
  }
  return "";
}
const named = native => words({ textContent: native.getAttribute("aria-label") || (native.getAttribute("aria-labelledby") ?? "").split(/\s+/).map(id => document.getElementById(id)?.textContent ?? "").join(" ") });
function labelOf(group) {
  const [native] = group, around = native.closest("[role=group], [role=radiogroup]"), legend = native.closest("fieldset")?.querySelector("legend");
  const face = native.formgymBox ?? native;
  if (group.length > 1 || native.type === "radio") return (around && named(around)) || words(legend) || wordsBefore(native.closest("label") ?? face) || native.name;
  const own = [...(native.labels ?? [])].map(label => labelWords(label, native)).find(Boolean);
  const after = native.type === "checkbox" ? words(native.nextSibling) : "";
  return own || named(native) || after || wordsBefore(face) || native.title || native.placeholder || native.name;
}
function controlOf(group) {
  const [native] = group;
  if (native.type === "checkbox") return group.length > 1 || native.closest(".options") ? "checkbox_group" : "checkbox";
  if (native.tagName === "SELECT") return native.multiple ? "multi_select" : "select";
  if ("date" in native.dataset) return "date";
  return native.tagName === "TEXTAREA" ? "textarea" : ["radio", "file", "email", "tel", "url", "password", "number"].includes(native.type) ? native.type : "text";
}
function fields() {
  const groups = new Map();
  controls().forEach(control => groups.set(control.name, [...(groups.get(control.name) ?? []), control]));
  return Object.fromEntries([...groups].map(([name, group]) => [name, { label: labelOf(group), control: controlOf(group) }]));
}

Object.assign(window.fgCapture, {
  about() { const told = usual.about(); told.controls = told.controls.map(ownFacts); told.styles.forEach(style => { if (style) style.size = exact(style.size); }); return told; },
  standing: () => usual.standing().map(ownPlace),
  arrange(...given) {
    elements.forEach(element => { if (kindOf(element) === "tick") Object.assign(element, { checked: false, indeterminate: false }); });
    return usual.arrange(...given);
  },
  fields,
  numbers: () => elements.map(element => Number((boxes.get(element) ?? element).dataset.n)),
  covered: () => elements.flatMap((element, id) => {
    if (!shown(element) || kindOf(element) === "tick") return [];
    const { left, top, right, bottom } = element.getBoundingClientRect(), at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return at && (element.contains(at) || at.contains(element) || at.closest("label")?.control === element || at.closest(".fg-calendar-button")) ? [] : [id];
  }),
});
