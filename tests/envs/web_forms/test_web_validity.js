// Questions of the tests to a page of Chromium.
const form = document.getElementById("f");
function put(kind, attributes) {
  const element = document.createElement(kind === "textarea" ? "textarea" : "input");
  if (kind !== "textarea") element.type = kind;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  form.replaceChildren(element);
  element.focus();
  element.select();
  return window.put_last = element;
}
const hint = element => element.validity.patternMismatch && element.title ? `\n${element.title}` : "";
const state = element => [element.value, element.validationMessage + hint(element)];
window.put = put;
window.typed = () => state(put_last);
window.pasted = ([kind, attributes, text]) => {
  const element = put(kind, attributes);
  document.execCommand("insertText", false, text);
  return state(element);
};
window.steps = ([attributes, value]) => [true, false].map(up => {
  const element = put("number", attributes);
  element.value = value;
  try { if (up) element.stepUp(); else element.stepDown(); } catch { }
  return element.value;
});
window.fits = ([pattern, value]) => {
  const element = put("text", { pattern });
  element.value = value;
  return !element.validity.patternMismatch;
};
