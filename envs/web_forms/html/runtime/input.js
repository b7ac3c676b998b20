// Mouse and keys: what is not native about them.
const EDITING = new Set(["a", "ArrowLeft", "ArrowRight", "Backspace", "Delete", "Home", "End"]);

function closeAll() {
  closePopup();
  closeCalendar();
}

// The ticks of which one is chosen, with one of them.
const groupOf = radio => all("input[type=radio]", FORM).filter(one => one.name === radio.name && shown(one));

// Where Tab stops: every control that can be seen; a radio group once.
function stops() {
  return all("input, textarea, button, .fg-box").filter(element => {
    if (!shown(element) || element.disabled) return false;
    if (element.type !== "radio") return true;
    const group = groupOf(element);
    return element === (group.find(radio => radio.checked) ?? group[0]);
  });
}

function moveFocus(by) {
  const list = stops();
  if (!list.length) return;
  const active = document.activeElement;
  const at = list.findIndex(element => element === active || (active.type === "radio" && element.type === "radio" && element.name === active.name));
  const to = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length];
  focusWhole(to);
}

function moveRadio(radio, by) {
  const group = groupOf(radio);
  const to = group[(group.indexOf(radio) + by + group.length) % group.length];
  focusOn(to);
  if (!to.checked) { to.checked = true; tell(to); }
}

function stepNumber(input, up) {
  const before = input.value;
  try { if (up) input.stepUp(); else input.stepDown(); } catch { return; }
  if (input.value !== before) tell(input);
}

// Whether the key has been dealt with; else it does what it does natively.
function onKey(event) {
  const { key, target } = event, text = isTextField(target), box = target.closest?.(".fg-box") ?? null;
  if (["Shift", "Control", "Alt", "Meta"].includes(key)) return false;
  hideBubble();
  if (event.altKey || event.metaKey || (event.ctrlKey && !(text && EDITING.has(key)))) return IN_ENV;
  if (key === "Tab") return closeAll(), (typed = ""), moveFocus(event.shiftKey ? -1 : 1), true;
  if (key === "Escape") return closeAll(), (typed = ""), true;
  if (box) return boxKey(box, key), true;
  if (key === "PageDown" || key === "PageUp") return scrollTo(0, scrollY + (key === "PageDown" ? 1 : -1) * px(innerHeight * 0.85)), true;
  if (key === "Enter" && target instanceof HTMLInputElement && target.type !== "submit") return closeAll(), goOn(), true;
  if (target.type === "radio" && key.startsWith("Arrow")) return moveRadio(target, key === "ArrowDown" || key === "ArrowRight" ? 1 : -1), true;
  if (key === "ArrowUp" || key === "ArrowDown") {
    if (target.type === "number") stepNumber(target, key === "ArrowUp");
    if (!(target instanceof HTMLTextAreaElement)) return true;
  }
  if (!text) return key !== "Enter" && key !== " " ? IN_ENV : target === BODY;
  reveal(target);
  return false;
}

// The control that a click is for, by its name.
function clicked(target) {
  if (popup?.element.contains(target)) return target.closest(".fg-row") ? boxes.get(popup.owner)?.name : null;
  const box = target.closest(".fg-box"), date = target.closest(".fg-calendar-button")?.closest(".fg-date");
  const control = box ? boxes.get(box) : date?.querySelector("input") ?? target.closest("input, textarea, button") ?? target.closest("label")?.control;
  return control ? control.name : null;
}

function onClick(event) {
  const { target } = event, box = target.closest(".fg-box"), label = target.closest("label");
  // What a label passes on to its control has been counted.
  if (event.detail > 0 && clicked(target) !== null) formgym.clicks.push(clicked(target));
  if (popup?.element.contains(target)) return chooseRow(popup.rows.findIndex(row => row.element === target.closest(".fg-row")));
  if (calendar?.element.contains(target)) return clickCalendar(target);
  if (box) return toggleBox(box);
  if (target.closest(".fg-calendar-button")) return clickCalendarButton(target.closest(".fg-date").querySelector("input"));
  if (target.closest("button")) return press(target.closest("button"));
  if (label?.control && target !== label.control && (isTextField(label.control) || label.control.formgymBox)) {
    event.preventDefault();
    focusWhole(faceOf(label.control));
  }
}

// Focus that comes from elsewhere than the text itself selects all of a line, and goes to the end of an area.
function focusWhole(element) {
  focusOn(element);
  if (element instanceof HTMLTextAreaElement) element.setSelectionRange(element.value.length, element.value.length);
  else if (isTextField(element)) element.select();
}

function clickCalendarButton(input) {
  const open = calendar?.input === input;
  closeAll();
  focusWhole(input);
  if (!open) openCalendar(input);
}

// Keeps the focus where it is while a popup is clicked, and closes what is clicked away from.
function onPress(event) {
  hideBubble();
  typed = "";
  const inside = popup?.element.contains(event.target) || calendar?.element.contains(event.target);
  if (event.button !== 0 || inside || event.target.closest(".fg-calendar-button")) event.preventDefault();
  if (event.button !== 0 || inside) return;
  if (popup && !popup.owner.contains(event.target)) closePopup();
  if (calendar && !event.target.closest(".fg-calendar-button")) closeCalendar();
}

function onWheel(event) {
  const { target, deltaY } = event;
  if (popup?.element.contains(target)) { event.preventDefault(); scrollPopup(px(deltaY)); return; }
  if (!IN_ENV) return;
  event.preventDefault();
  if (calendar?.element.contains(target)) return;
  const area = target instanceof HTMLTextAreaElement ? target : null, before = area?.scrollTop;
  if (area) area.scrollTop += px(deltaY);
  if (!area || area.scrollTop === before) scrollTo(0, scrollY + px(deltaY));
}

addEventListener("keydown", event => { if (onKey(event)) { event.preventDefault(); event.stopPropagation(); } }, true);
addEventListener("mousedown", onPress, true);
addEventListener("contextmenu", event => { if (IN_ENV) event.preventDefault(); }, true);
addEventListener("dragstart", event => event.preventDefault(), true);
addEventListener("click", onClick);
addEventListener("beforeinput", event => { hideBubble(); reveal(event.target); }, true);
addEventListener("change", event => { if (["checkbox", "radio"].includes(event.target.type) && event.target.checked) formgym.choices.push([event.target.name, event.target.value]); });
addEventListener("wheel", onWheel, { passive: false });
addEventListener("mousemove", event => { if (popup) pointAtPopup(event.target); if (calendar) pointAtCalendar(event.target); });
