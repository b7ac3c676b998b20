"use strict";
// The behaviour that every page shares, whatever made it: pickers for lists, dates and files, page turns, reveals,
// repeats, validation, keys. What is native is left native: editing text, ticking boxes, pressing buttons.
const formgym = (window.formgym = { submitted: false, values: null, clicks: [], choices: [] });
const BODY = document.body;
const LAYER = document.querySelector("main"); // what holds popups
const FORM = document.querySelector("form");
const IN_ENV = BODY.dataset.mode === "env";

const px = Math.round;
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const shown = element => element.getClientRects().length > 0;
const isTextField = element => element instanceof HTMLTextAreaElement
  || (element instanceof HTMLInputElement && !["checkbox", "radio", "file", "button", "submit", "reset", "hidden", "image", "range", "color"].includes(element.type));

function make(className, parent, styles = {}) {
  const element = document.createElement("div");
  element.className = className;
  Object.assign(element.style, styles);
  parent.append(element);
  return element;
}

function tell(element) {
  element.dispatchEvent(new Event("input", { bubbles: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
}

// Scrolls so that an element is in the middle of the window, if not all of it is to be seen.
function reveal(element) {
  const box = element.getBoundingClientRect();
  if (box.top >= 0 && box.bottom <= innerHeight) return;
  scrollTo(0, px(scrollY + box.top - (innerHeight - box.height) / 2));
}

function focusOn(element) {
  element.focus({ preventScroll: true, focusVisible: true });
  reveal(element);
}
