// Boxes: what is shown in place of a native list or file control, which stays in the page to be submitted.
const boxes = new Map(); // box -> native control
let typed = ""; // what was typed to find a row

const FILES = JSON.parse(document.getElementById("formgym-files")?.textContent ?? "[]");
const isFile = native => native.type === "file";
const isSeveral = native => native.multiple;
const acceptable = native => FILES.filter(name => !native.accept
  || native.accept.split(",").some(kind => kind.trim() === "*" || name.toLowerCase().endsWith(kind.trim().toLowerCase()) || kind.includes("/")));

function boxText(native) {
  if (isFile(native)) return [...native.files].map(file => file.name).join(", ") || (native.multiple ? "Choose files" : "Choose a file");
  if (isSeveral(native)) return [...native.selectedOptions].map(option => option.text).join(", ") || native.dataset.prompt || "None chosen";
  return native.selectedOptions[0]?.text ?? "";
}

function drawBox(box) {
  box.firstChild.textContent = boxText(boxes.get(box));
}

function rowsOf(native) {
  if (!isFile(native)) return [...native.options].map(option => ({ text: option.text, chosen: option.selected, value: option.value }));
  const taken = [...native.files].map(file => file.name);
  return acceptable(native).map(name => ({ text: name, chosen: taken.includes(name), value: name }));
}

function setFiles(native, names) {
  const transfer = new DataTransfer();
  names.forEach(name => transfer.items.add(new File([name], name)));
  native.files = transfer.files;
}

function choose(box, rows, i) {
  const native = boxes.get(box);
  if (isSeveral(native)) rows[i].chosen = !rows[i].chosen;
  else rows.forEach((row, k) => { row.chosen = k === i; });
  if (isFile(native)) setFiles(native, rows.filter(row => row.chosen).map(row => row.value));
  else [...native.options].forEach((option, k) => { option.selected = rows[k].chosen; });
  if (rows[i].chosen) formgym.choices.push([native.name, rows[i].value]);
  drawBox(box);
  tell(native);
}

function openBox(box) {
  const native = boxes.get(box), rows = rowsOf(native);
  openPopup(box, rows, isSeveral(native), i => choose(box, rows, i));
}

function toggleBox(box) {
  if (popup?.owner === box) closePopup(); else openBox(box);
}

// Typing on a closed list chooses the first row that begins so.
function findRow(box, character) {
  typed += character.toLowerCase();
  const native = boxes.get(box);
  if (isFile(native) || isSeveral(native)) return;
  const rows = popup?.rows ?? rowsOf(native);
  const found = rows.findIndex(row => row.text.toLowerCase().startsWith(typed));
  if (found < 0) return;
  choose(box, rows, found);
  if (popup) { popup.active = found; showActive(); }
}

function boxKey(box, key) {
  if (popup?.owner === box) {
    if (key === "ArrowDown") moveActive(1);
    else if (key === "ArrowUp") moveActive(-1);
    else if (key === "Home") moveActive(-popup.rows.length);
    else if (key === "End") moveActive(popup.rows.length);
    else if (key === "Enter" || (key === " " && !typed)) chooseRow(popup.active);
    else if (key.length === 1) return findRow(box, key);
    return void (typed = "");
  }
  if (key.length === 1 && !(key === " " && !typed)) return findRow(box, key);
  typed = "";
  if (["Enter", " ", "ArrowDown", "ArrowUp"].includes(key)) openBox(box);
}

function makeBox(native) {
  const box = document.createElement("div");
  box.className = isFile(native) ? "fg-box fg-file" : "fg-box";
  box.tabIndex = 0;
  const label = native.labels?.[0]?.textContent ?? native.name;
  Object.assign(box, { role: "combobox", ariaLabel: label, ariaExpanded: false, ariaHasPopup: "listbox", ariaRequired: native.required });
  box.setAttribute("aria-controls", "fg-list");
  make("fg-value", box);
  native.before(box);
  native.classList.add("fg-native");
  boxes.set(box, native);
  native.formgymBox = box;
  drawBox(box);
}

all("select, input[type=file]").forEach(makeBox);
