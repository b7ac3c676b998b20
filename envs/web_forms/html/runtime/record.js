// What a person does, as calls of an environment's tools, each with the state of the page before it; it is sent with the form.
const record = { actions: [], values: {}, typed: "", pressed: null };

// What has changed of the values; what has the focus, by its number in captures; the anchor and the caret in characters.
function pageState() {
  const values = formgym.draft(), active = document.activeElement, text = isTextField(active) && active.selectionStart !== null;
  const ends = text ? [active.selectionStart, active.selectionEnd].map(end => [...active.value.slice(0, end)].length) : null;
  return {
    values: Object.fromEntries(Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(record.values[name]))),
    focus: all("input:not(.fg-native, [type=hidden]), textarea, button, .fg-box").indexOf(active),
    selection: text && active.selectionDirection === "backward" ? ends.reverse() : ends,
    scroll: px(scrollY), list: popup && [popup.active, popup.top], open: !!(popup || calendar),
  };
}

function note(tool, argument) {
  const state = pageState();
  Object.assign(record.values, state.values);
  record.actions.push({ tool, ...argument, ...state });
}

// Text goes on where nothing but typing has changed the page.
function noteText(text) {
  const last = record.actions.at(-1);
  if (record.typed && record.typed === JSON.stringify(pageState())) last.text += text;
  else note("type_text", { text });
}

// A press that no click follows only moves the focus; what had changed before it is said again.
function dropPress() {
  if (record.pressed && !isTextField(record.pressed)) Object.keys(record.actions.pop().values).forEach(name => { delete record.values[name]; });
  record.pressed = null;
}

function notePress({ button, detail, clientX, clientY, target }) {
  if (button !== 0) return;
  dropPress();
  const inside = !!target.closest(".fg-popup, .fg-calendar"), at = { x: Math.floor(clientX), y: Math.floor(clientY), inside };
  const last = record.actions.at(-1);
  if (detail % 2 === 0 && last?.tool === "click" && last.x === at.x && last.y === at.y) last.tool = "double_click";
  else { note("click", at); record.pressed = target; }
  record.typed = "";
}

function noteKey(event) {
  const { key, target } = event, held = ["Alt", "Control", "Meta", "Shift"].filter(name => event.getModifierState(name));
  if (event.isComposing || ["Shift", "Control", "Alt", "Meta", "AltGraph"].includes(key)) return;
  dropPress();
  const character = key.length === 1 && !held.some(name => name !== "Shift");
  if (character && isTextField(target)) return; // comes as input
  if (character && key !== " ") { if (boxes.has(target)) note("type_text", { text: key }); }
  else note("press_key", { key: [...held, key === " " ? "Space" : key].join("+") });
  record.typed = "";
}

addEventListener("mousedown", notePress, true);
addEventListener("click", event => { if (event.target === record.pressed) record.pressed = null; }, true);
addEventListener("keydown", noteKey, true);
addEventListener("beforeinput", event => { if (event.inputType === "insertText" && event.data) noteText(event.data); }, true);
addEventListener("input", event => { record.typed = event.inputType === "insertText" ? JSON.stringify(pageState()) : ""; }, true);
FORM.addEventListener("formdata", ({ formData }) => {
  dropPress();
  formData.append("_calls", JSON.stringify({ size: [innerWidth, innerHeight], seconds: performance.now() / 1000, actions: record.actions }));
});
