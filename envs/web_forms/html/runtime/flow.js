// The flow of a form: what is shown when, pages, rows, what is wrong, and what is submitted.
let bubble = null;

const controls = () => all("input, select, textarea", FORM).filter(control => control.name && !["hidden", "submit", "button", "image", "reset"].includes(control.type));
const faceOf = control => control.formgymBox ?? control; // what of a control is to be seen

function valueOf(name) {
  const group = controls().filter(control => control.name === name);
  const [first] = group;
  if (!first || group.every(control => control.disabled)) return null;
  if (first.type === "radio") return group.find(control => control.checked)?.value ?? "";
  if (first.type === "checkbox" && group.length === 1 && !first.closest(".options")) return first.checked;
  if (first.type === "checkbox") return group.filter(control => control.checked).map(control => control.value);
  if (first.type === "file") { const names = [...first.files].map(file => file.name); return first.multiple ? names : names[0] ?? ""; }
  return first.multiple ? [...first.selectedOptions].map(option => option.value) : first.value;
}

formgym.draft = () => Object.fromEntries(controls().map(control => [control.name, valueOf(control.name)]));

function conditionHolds(field) {
  const value = valueOf(field.dataset.when);
  return JSON.parse(field.dataset.is).includes(value === true ? "yes" : value);
}

function drawReveals() {
  all(".field", FORM).forEach(field => {
    const row = field.closest("[data-row]");
    if ("when" in field.dataset) field.hidden = !conditionHolds(field);
    all("input, select, textarea", field).forEach(control => { control.disabled = field.hidden || !!row?.hidden; });
  });
}

function drawDependent(name) {
  all("select[data-depends]", FORM).filter(select => select.dataset.depends === name).forEach(select => {
    const options = JSON.parse(select.dataset.options)[valueOf(name)] ?? [];
    select.replaceChildren(select.options[0], ...options.map(text => new Option(text, text)));
    select.value = "";
    if (select.formgymBox) drawBox(select.formgymBox);
    drawDependent(select.name);
  });
}

function drawRepeat(block) {
  const rows = all("[data-row]", block), count = rows.filter(row => !row.hidden).length;
  all("[data-add]", block).forEach(button => { button.hidden = count === rows.length; });
  all("[data-remove]", block).forEach(button => { button.hidden = count === 1; });
}

function changeRows(block, by) {
  const rows = all("[data-row]", block), count = rows.filter(row => !row.hidden).length;
  const row = rows[by > 0 ? count : count - 1];
  row.hidden = by < 0;
  if (by < 0) clear(row);
  drawReveals();
  drawRepeat(block);
}

function clear(row) {
  all("input, select, textarea", row).filter(control => !["hidden", "submit", "button", "image", "reset"].includes(control.type)).forEach(control => {
    if (control.type === "checkbox" || control.type === "radio") control.checked = control.defaultChecked;
    else if (control.tagName === "SELECT") [...control.options].forEach((option, i) => { option.selected = option.defaultSelected || (i === 0 && !control.multiple); });
    else control.value = control.type === "file" ? "" : control.defaultValue;
    if (control.formgymBox) drawBox(control.formgymBox);
  });
}

function problemOf(control) {
  if (control.disabled) return "";
  if ("date" in control.dataset) control.setCustomValidity(dateProblem(control));
  const group = control.closest("[data-required]");
  if (group && control === group.querySelector("input")) {
    control.setCustomValidity(valueOf(control.name).length ? "" : "Please select at least one option.");
  }
  return control.validationMessage;
}

// The bubble stands below the control that it is about, or above where there is no room.
function showBubble(element, message) {
  bubble = make("fg-bubble", LAYER);
  bubble.role = "alert";
  bubble.textContent = message;
  const box = element.getBoundingClientRect(), height = bubble.offsetHeight;
  const top = px(box.bottom) + 6 + height <= innerHeight ? px(box.bottom) + 6 : px(box.top) - 6 - height;
  const left = Math.max(0, Math.min(px(box.left), innerWidth - 300));
  Object.assign(bubble.style, { left: `${left + px(scrollX)}px`, top: `${top + px(scrollY)}px` });
}

function hideBubble() {
  bubble?.remove();
  bubble = null;
}

// Whether all that is asked for in a part of the form is in order; else the first fault is shown.
function inOrder(part) {
  const wrong = controls().find(control => part.contains(control) && shown(faceOf(control)) && problemOf(control));
  if (!wrong) return true;
  focusOn(faceOf(wrong));
  showBubble(faceOf(wrong), wrong.validationMessage + (wrong.validity.patternMismatch && wrong.title ? `\n${wrong.title}` : ""));
  return false;
}

const pages = () => all("section.page", FORM);
const page = () => pages().find(section => !section.hidden) ?? FORM;

function showPage(section) {
  document.activeElement?.blur();
  pages().forEach(one => { one.hidden = one !== section; });
  scrollTo(0, 0);
}

function turnPage(by) {
  if (by > 0 && !inOrder(page())) return;
  showPage(pages()[pages().indexOf(page()) + by]);
}

function submitForm() {
  if (!inOrder(page())) return;
  formgym.values = formgym.draft();
  formgym.submitted = true;
  const done = FORM.querySelector("[data-page=done]");
  if (!IN_ENV && FORM.method === "post") return HTMLFormElement.prototype.submit.call(FORM);
  if (done) showPage(done); else document.activeElement?.blur();
}

// What Enter in a field does: what the page's main button does.
function goOn() {
  const next = page().querySelector("[data-turn=next]");
  if (next) turnPage(1);
  else if (all("button:not([type=button]):not([type=reset]), input[type=submit], input[type=image]", page()).some(one => one.form)) submitForm();
}

function press(button) {
  const block = button.closest(".repeat");
  if (button.dataset.turn) turnPage(button.dataset.turn === "next" ? 1 : -1);
  else if ("add" in button.dataset) changeRows(block, 1);
  else if ("remove" in button.dataset) changeRows(block, -1);
}

FORM.addEventListener("submit", event => { event.preventDefault(); submitForm(); });
FORM.addEventListener("reset", event => { event.preventDefault(); clear(FORM); drawReveals(); });
FORM.addEventListener("change", event => { drawDependent(event.target.name); drawReveals(); });
all(".repeat", FORM).forEach(drawRepeat);
drawReveals();
