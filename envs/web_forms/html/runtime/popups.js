// Popups: a list of rows below a box, of which one or several are chosen.
const ROW = 32, MOST_ROWS = 8, LEAST_WIDTH = 320;
let popup = null; // { element, owner, rows: [{text, chosen}], several, choose(i), active, top (first pixel row shown) }

// Below its owner where there is room in the window, else above, else wherever it fits.
function placed(owner, width, height) {
  const box = owner.getBoundingClientRect();
  const below = px(box.bottom), above = px(box.top) - height;
  const top = below + height <= innerHeight ? below : above >= 0 ? above : Math.max(0, innerHeight - height);
  const left = Math.max(0, Math.min(px(box.left), innerWidth - width));
  return { left: `${left + px(scrollX)}px`, top: `${top + px(scrollY)}px`, width: `${width}px`, height: `${height}px` };
}

function openPopup(owner, rows, several, choose) {
  closePopup();
  const height = Math.min(Math.max(rows.length, 1), MOST_ROWS) * ROW + 2;
  const width = Math.max(px(owner.getBoundingClientRect().width), LEAST_WIDTH);
  const element = make(several ? "fg-popup fg-several" : "fg-popup", LAYER, placed(owner, width, height));
  Object.assign(element, { id: "fg-list", role: "listbox", ariaLabel: owner.ariaLabel, ariaMultiSelectable: several });
  owner.ariaExpanded = true;
  popup = { element, owner, rows, several, choose, active: rows.findIndex(row => row.chosen), top: 0, under: null };
  rows.forEach(row => { row.element = make("fg-row", element); row.element.role = "option"; if (several) make("fg-tick", row.element); row.element.append(row.text); });
  showActive();
}

function closePopup() {
  if (popup) Object.assign(popup.owner, { ariaExpanded: false, ariaActiveDescendantElement: null });
  popup?.element.remove();
  popup = null;
}

function drawPopup() {
  popup.rows.forEach((row, i) => {
    row.element.style.top = `${i * ROW - popup.top}px`;
    row.element.className = `fg-row${row.chosen ? " fg-chosen" : ""}${i === popup.active ? " fg-active" : ""}`;
    row.element.ariaSelected = row.chosen;
  });
  popup.owner.ariaActiveDescendantElement = popup.rows[popup.active]?.element ?? null;
}

const lastTop = () => Math.max(0, popup.rows.length - MOST_ROWS) * ROW;

function scrollPopup(by) {
  popup.top = Math.min(Math.max(popup.top + by, 0), lastTop());
  drawPopup();
}

function showActive() {
  const at = Math.max(popup.active, 0) * ROW;
  popup.top = Math.min(Math.max(popup.top, at + ROW - MOST_ROWS * ROW), at);
  scrollPopup(0);
}

function moveActive(by) {
  popup.active = Math.min(Math.max(popup.active + by, 0), popup.rows.length - 1);
  showActive();
}

function chooseRow(i) {
  if (!(i in popup.rows)) return;
  popup.choose(i);
  if (popup?.several) drawPopup(); else closePopup();
}

function pointAtPopup(target) {
  const row = target.closest?.(".fg-row") ?? null;
  if (row === popup.under) return;
  popup.under = row;
  if (row === null) return;
  popup.active = popup.rows.findIndex(one => one.element === row);
  drawPopup();
}
