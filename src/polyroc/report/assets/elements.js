// Elements of the page. Text goes in as text: names of classes and models are never markup.

import { alpha } from "./data.js";

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const LONG_NAME = 24; // characters beyond which a name does not set the width of its column

// A name given by the user: it may run from right to left without turning what stands around it.
export function nameOf(text) {
  return make("bdi", { textContent: text, className: text.length > LONG_NAME ? "long-name" : "" });
}

// A class in a sentence: a bare number would read as a count.
export function spoken(name) {
  return /\p{L}|[()]/u.test(name) ? name : `class ${name}`;
}

// What only a screen can do, which paper does not ask for.
export function hint(text) {
  return make("span", { className: "hint", textContent: text });
}

export function byId(id) {
  return document.getElementById(id);
}

export function percent(share, digits = 1) {
  const size = (100 * Math.abs(share)).toFixed(digits);
  return `${share < 0 && Number(size) ? "−" : ""}${size}\u00a0%`; // the space does not break
}

// Numbers with few digits: 3 significant ones, no exponent unless it is needed.
export function short(value) {
  return String(Number(value.toPrecision(3)));
}

// A threshold on a probability: one below 1 does not read as 1.
export function thresholdText(t) {
  let digits = 3;
  while (digits < 9 && t < 1 && Number(t.toPrecision(digits)) >= 1) digits += 1;
  return String(Number(t.toPrecision(digits)));
}

const COUNTS = new Intl.NumberFormat("en");
const AMOUNTS = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

// A number of cases, or a sum of weights.
export function amount(weight) {
  return (Number.isInteger(weight) ? COUNTS : AMOUNTS).format(weight);
}

// A count with its word.
export function plural(count, word) {
  return `${COUNTS.format(count)} ${word}${count === 1 ? "" : "s"}`;
}

// A share in a sentence: one that is not 0 or 1 does not read as if it were.
export function shareText(share) {
  let digits = 1;
  while (digits < 4 && share > 0 && share < 1 && /^(0|100)\.0+$/.test((100 * share).toFixed(digits)))
    digits += 1;
  return percent(share, digits);
}

// A p-value in a sentence, as on the rest of the page: three decimals, or as many as say on which
// side of the level of tests it lies.
export function pText(p) {
  if (Number.isNaN(p)) return "no test";
  if (p < 0.001) return "p < 0.001";
  const texts = [3, 4, 5, 6].map((digits) => p.toFixed(digits));
  return `p = ${texts.find((text) => Math.sign(Number(text) - alpha) === Math.sign(p - alpha)) ?? texts[3]}`;
}

export function selectOf(id, label, options, chosen, onPick) {
  const select = make("select", { id });
  options.forEach((text, k) => {
    select.append(make("option", { value: String(k), textContent: text, selected: k === chosen }));
  });
  select.addEventListener("change", () => onPick(Number(select.value)));
  return make(
    "span",
    { className: "picker" },
    make("label", { htmlFor: id, textContent: label }),
    select,
  );
}
