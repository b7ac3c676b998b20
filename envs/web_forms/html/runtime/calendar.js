// Dates: a text field for YYYY-MM-DD with a calendar to pick from. No clock: it opens at the form's own day.
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const ISO = /^(\d{4})-(\d{2})-(\d{2})$/;
const TODAY = FORM.dataset.today ?? "2025-01-15";
let calendar = null; // { element, input, year, month, under }

const daysIn = (year, month) => [31, year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
const iso = (year, month, day) => [String(year).padStart(4, "0"), String(month).padStart(2, "0"), String(day).padStart(2, "0")].join("-");

// Year, month and day of a real date; null for anything else.
function parsed(text) {
  const [, year, month, day] = (ISO.exec(text) ?? []).map(Number);
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) ? { year, month, day } : null;
}

function dateProblem(input) {
  if (!input.value) return "";
  if (!parsed(input.value)) return "Please enter a valid date as YYYY-MM-DD.";
  if (input.dataset.least && input.value < input.dataset.least) return `Date must be ${input.dataset.least} or later.`;
  if (input.dataset.most && input.value > input.dataset.most) return `Date must be ${input.dataset.most} or earlier.`;
  return "";
}

function openCalendar(input) {
  closeCalendar();
  const { year, month } = parsed(input.value) ?? parsed(TODAY);
  const element = make("fg-calendar", LAYER, placed(input, 270, 258));
  element.ariaHidden = true; // the date can be typed
  calendar = { element, input, year, month, under: null };
  drawCalendar();
}

function closeCalendar() {
  calendar?.element.remove();
  calendar = null;
}

function drawCalendar() {
  const { element, year, month, input } = calendar;
  element.replaceChildren();
  [["«", 8, -12], ["‹", 40, -1], ["›", 196, 1], ["»", 228, 12]].forEach(([text, left, by]) => {
    const turn = make("fg-turn", element, { left: `${left}px` });
    turn.textContent = text;
    turn.dataset.by = by;
  });
  make("fg-month", element).textContent = `${MONTHS[month - 1]} ${year}`;
  ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].forEach((name, i) => { make("fg-weekday", element, { left: `${8 + 36 * i}px` }).textContent = name; });
  const first = new Date(Date.UTC(2000, month - 1, 1));
  first.setUTCFullYear(year);
  const before = (first.getUTCDay() + 6) % 7;
  for (let day = 1; day <= daysIn(year, month); day++) {
    const at = before + day - 1;
    const cell = make("fg-day", element, { left: `${8 + 36 * (at % 7)}px`, top: `${68 + 30 * Math.floor(at / 7)}px` });
    cell.textContent = day;
    cell.dataset.day = day;
    if (iso(year, month, day) === input.value) cell.classList.add("fg-chosen");
  }
}

function turnCalendar(by) {
  const months = Math.min(Math.max(calendar.year * 12 + calendar.month - 1 + by, 1900 * 12), 2100 * 12 - 1);
  calendar.year = Math.floor(months / 12);
  calendar.month = (months % 12) + 1;
  calendar.under = null;
  drawCalendar();
}

function clickCalendar(target) {
  const part = target.closest(".fg-turn, .fg-day");
  if (part?.dataset.by) return turnCalendar(Number(part.dataset.by));
  if (!part) return;
  const { input, year, month } = calendar;
  closeCalendar();
  input.value = iso(year, month, Number(part.dataset.day));
  formgym.choices.push([input.name, input.value]);
  tell(input);
}

function pointAtCalendar(target) {
  const part = target.closest?.(".fg-turn, .fg-day") ?? null;
  if (part === calendar.under) return;
  calendar.under?.classList.remove("fg-active");
  part?.classList.add("fg-active");
  calendar.under = part;
}

function makeDate(input) {
  const wrap = document.createElement("div");
  wrap.className = "fg-date";
  Object.assign(input.dataset, { date: "", least: input.min, most: input.max });
  input.type = "text";
  input.maxLength = 10;
  input.placeholder ||= "YYYY-MM-DD";
  input.before(wrap);
  wrap.append(input);
  make("fg-calendar-button", wrap);
}

all("input[type=date]").forEach(makeDate);
