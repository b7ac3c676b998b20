// Questions of the tests to a page of Chromium.
window.field = tag => {
  document.body.innerHTML = tag === "number" ? "<input type=number>" : `<${tag} rows=20></${tag}>`;
  window.element = document.body.firstChild;
  const pixels = { position: "absolute", left: "0", top: "0", width: "1000px", padding: "0", border: "0" };
  Object.assign(element.style, pixels, { height: tag === "textarea" ? "500px" : "20px", font: "16px/20px monospace" });
  element.focus();
};
window.put = (text, at) => { element.value = text; element.setSelectionRange(at, at); };
const selection = getSelection();
const moved = (to, by) => { selection.modify("move", to, by); return element.selectionStart; };
window.width = () => {
  const line = document.createElement("span");
  line.style.font = "16px monospace";
  line.textContent = "x".repeat(100);
  document.body.append(line);
  const width = line.getBoundingClientRect().width / 100;
  line.remove();
  return width;
};
window.words = text => {
  const places = [];
  for (let at = 0; at <= text.length; at++) {
    if (/[\udc00-\udfff]/.test(text[at] ?? "")) continue;
    places.push([at, ...["right", "left"].map(to => { put(text, at); return moved(to, "word"); })]);
  }
  return places;
};
window.graphemes = text => {
  const places = [], left = [];
  put(text, 0);
  while ((places.at(-1) ?? 0) < text.length) places.push(moved("forward", "character"));
  put(text, text.length);
  while (element.value) { document.execCommand("delete"); left.push(element.value.length); }
  return [places, left];
};
const seen = () => { element.select(); return selection.toString(); };
window.number = () => [seen(), element.value];
const MOVES = { left: ["move", "backward"], right: ["move", "forward"], extend: ["extend", "backward"] };
window.numbers = actions => {
  element.value = "";
  element.select();
  document.execCommand("delete");
  for (const action of actions) {
    if (action in MOVES) selection.modify(...MOVES[action], "character");
    else if (action === "back") document.execCommand("delete");
    else document.execCommand("insertText", false, action);
  }
  return number();
};
