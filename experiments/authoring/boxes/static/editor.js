"use strict";
const $ = id => document.getElementById(id);
const MIN = 4, SHORTEST_DRAG = 6;
let fields = JSON.parse($("fields").textContent), chosen = null, past = [], changed = false;
const pages = [...document.querySelectorAll(".page")];
const sizeOf = page => ({width: +pages[page - 1].dataset.width, height: +pages[page - 1].dataset.height});
const round = n => Math.round(n * 100) / 100;
const clamp = (n, low, high) => Math.min(Math.max(n, low), high);

function remember() {
  past.push(JSON.stringify(fields));
  if (past.length > 200) past.shift();
  changed = true;
}

function say(text, isProblem = false) {
  $("status").textContent = text;
  $("status").classList.toggle("problem", isProblem);
}

function place(element, field) {
  const {width, height} = sizeOf(field.page), [left, top, right, bottom] = field.box;
  element.style.left = `${100 * left / width}%`;
  element.style.top = `${100 * top / height}%`;
  element.style.width = `${100 * (right - left) / width}%`;
  element.style.height = `${100 * (bottom - top) / height}%`;
}

function boxOf(field) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = `box ${field.kind}`;
  element.textContent = field.label || field.name;
  element.setAttribute("aria-label", `${field.label || field.name}, ${field.kind === "checkbox" ? "tick box" : field.kind}`);
  element.append(document.createElement("i"));
  element.field = field;
  place(element, field);
  return element;
}

function draw() {
  const hadFocus = document.activeElement?.classList.contains("box");
  document.querySelectorAll(".box").forEach(element => element.remove());
  $("list").replaceChildren();
  for (const field of fields) {
    const element = boxOf(field), item = document.createElement("li"), button = document.createElement("button");
    element.classList.toggle("chosen", field === chosen);
    pages[field.page - 1].append(element);
    button.type = "button";
    button.textContent = field.label || field.name || "without a label";
    if (pages.length > 1) button.append(Object.assign(document.createElement("small"), {textContent: ` page ${field.page}`}));
    button.setAttribute("aria-current", field === chosen);
    button.onclick = () => choose(field, true);
    item.append(button);
    $("list").append(item);
    if (field === chosen && hadFocus) element.focus({preventScroll: true});
  }
  $("count").textContent = `${fields.length} field${fields.length === 1 ? "" : "s"}`;
  $("undo").disabled = !past.length;
  $("field").hidden = !chosen;
}

function fillIn() {
  if (chosen) for (const key of ["label", "name", "kind", "comb"]) $(key).value = chosen[key];
}

function choose(field, isFromList = false) {
  chosen = field;
  fillIn();
  draw();
  const element = [...document.querySelectorAll(".box")].find(one => one.field === field);
  if (!element) return;
  if (isFromList) element.scrollIntoView({block: "center"});
  element.focus({preventScroll: true});
}

function remove() {
  if (!chosen) return;
  remember();
  const at = fields.indexOf(chosen);
  fields.splice(at, 1);
  choose(fields[Math.min(at, fields.length - 1)] ?? null);
}

function undo() {
  if (!past.length) return;
  const at = fields.indexOf(chosen);
  fields = JSON.parse(past.pop());
  changed = true;
  choose(fields[at] ?? null);
}

function freeName(label) {
  const plain = label.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 80);
  const base = /^[a-z]/.test(slug) ? slug : `field_${slug}`.replace(/_$/, "");
  const taken = new Set(fields.filter(field => field !== chosen).map(field => field.name));
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  return name;
}

// -- The pointer: draw, move, resize --------------------------------------------------------------------------------

function pointIn(page, event) {
  const rect = page.getBoundingClientRect(), {width, height} = sizeOf(+page.dataset.page);
  return [clamp((event.clientX - rect.left) / rect.width, 0, 1) * width, clamp((event.clientY - rect.top) / rect.height, 0, 1) * height];
}

function dragged(page, event, move, end) {
  const stop = () => { page.onpointermove = page.onpointerup = page.onpointercancel = null; end(); };
  page.setPointerCapture(event.pointerId);
  page.onpointermove = moved => move(pointIn(page, moved));
  page.onpointerup = page.onpointercancel = stop;
}

function onDown(page, event) {
  if (event.button) return;
  event.preventDefault();
  const [x, y] = pointIn(page, event), element = event.target.closest(".box"), number = +page.dataset.page;
  if (element) {
    const field = element.field, before = [...field.box], isCorner = event.target.tagName === "I";
    let isMoved = false;
    choose(field);
    dragged(page, event, ([nowX, nowY]) => {
      if (!isMoved) remember();
      isMoved = true;
      field.box = before;
      shift(field, nowX - x, nowY - y, isCorner);
      place([...page.querySelectorAll(".box")].find(one => one.field === field), field);
    }, draw);
    return;
  }
  const field = {name: "", label: "", kind: "text", page: number, box: [x, y, x, y], comb: 0, original: null};
  let preview = null;
  dragged(page, event, ([nowX, nowY]) => {
    field.box = [Math.min(x, nowX), Math.min(y, nowY), Math.max(x, nowX), Math.max(y, nowY)].map(round);
    if (!preview) page.append(preview = boxOf(field));
    place(preview, field);
  }, () => {
    preview?.remove();
    if (field.box[2] - field.box[0] < SHORTEST_DRAG || field.box[3] - field.box[1] < SHORTEST_DRAG) return choose(null);
    remember();
    chosen = field;
    field.label = `Field ${fields.length + 1}`;
    field.name = freeName(field.label);
    fields.push(field);
    choose(field);
    $("label").focus();
    $("label").select();
  });
}

function shift(field, across, down, isCorner = false) {
  const {width, height} = sizeOf(field.page), [left, top, right, bottom] = field.box;
  if (isCorner) {
    field.box = [left, top, clamp(right + across, left + MIN, width), clamp(bottom + down, top + MIN, height)].map(round);
    return;
  }
  const x = clamp(across, -left, width - right), y = clamp(down, -top, height - bottom);
  field.box = [left + x, top + y, right + x, bottom + y].map(round);
}

// -- Saving ---------------------------------------------------------------------------------------------------------

async function post(path, data) {
  const answer = await fetch(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(data)});
  const found = await answer.json().catch(() => ({problem: `the server answered ${answer.status}`}));
  if (!answer.ok) throw new Error(found.problem);
  return found;
}

async function save() {
  try {
    const found = await post("save", {fields});
    changed = false;
    say(`Saved ${found.saved} fields in ${found.folder}.`);
    return true;
  } catch (error) {
    say(error.message, true);
    return false;
  }
}

async function done() {
  if (changed && !await save()) return;
  try {
    await post("done", {});
    document.querySelectorAll("button, input, select").forEach(element => { element.disabled = true; });
    say("All is saved; this page can be closed.");
  } catch (error) {
    say(error.message, true);
  }
}

// -- Events ---------------------------------------------------------------------------------------------------------

pages.forEach(page => page.addEventListener("pointerdown", event => onDown(page, event)));
document.addEventListener("focusin", event => {
  if (event.target.classList?.contains("box") && event.target.field !== chosen) choose(event.target.field);
});
for (const key of ["label", "name", "kind", "comb"]) {
  $(key).addEventListener("change", () => {
    if (!chosen) return;
    remember();
    const isOwnName = chosen.name === freeName(chosen.label);
    chosen[key] = key === "comb" ? clamp(Math.round(+$(key).value || 0), 0, 40) : $(key).value.trim();
    if (key === "label" && isOwnName) chosen.name = freeName(chosen.label);
    fillIn();
    draw();
  });
}
$("field").addEventListener("submit", event => event.preventDefault());
$("delete").onclick = remove;
$("undo").onclick = undo;
$("save").onclick = save;
$("done").onclick = done;
document.addEventListener("keydown", event => {
  const isTyping = event.target.matches("input, select"), key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && key === "s") { event.preventDefault(); document.activeElement.blur(); save(); return; }
  if (isTyping) return;
  const ways = {arrowleft: [-1, 0], arrowright: [1, 0], arrowup: [0, -1], arrowdown: [0, 1]};
  if ((event.ctrlKey || event.metaKey) && key === "z") { event.preventDefault(); undo(); }
  else if (!chosen) return;
  else if (key === "delete" || key === "backspace") { event.preventDefault(); remove(); }
  else if (key === "escape") choose(null);
  else if (ways[key]) {
    event.preventDefault();
    remember();
    const by = event.shiftKey ? 10 : 1;
    shift(chosen, ways[key][0] * by, ways[key][1] * by, event.altKey);
    draw();
  }
});
window.addEventListener("beforeunload", event => { if (changed) event.preventDefault(); });
draw();
