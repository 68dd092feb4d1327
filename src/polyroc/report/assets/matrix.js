// Many classes: a table of truth and decision for those with the most errors, in which confused
// classes stand side by side. Its headings stay in view while it scrolls.

import { classes, nClasses, errorCells } from "./data.js";
import { cellOf, decisionOf, truthOf } from "./decide.js";
import { sample } from "./sample.js";
import { state, update } from "./state.js";
import { make, nameOf, amount, percent } from "./elements.js";
import { chained } from "./order.js";

const MOST_SHOWN = 30;

// Errors of each class as truth or decision, and of each two, where one of them is wanted.
function confusions(result, wanted) {
  const errors = new Float64Array(nClasses);
  const together = new Map();
  for (const cell of errorCells) {
    const [truth, decided] = [truthOf(cell), decisionOf(cell)];
    if (!result.counts[cell] || !(wanted(truth) || wanted(decided))) continue;
    errors[truth] += result.table[cell];
    errors[decided] += result.table[cell];
    const key = Math.min(truth, decided) * nClasses + Math.max(truth, decided);
    together.set(key, (together.get(key) ?? 0) + result.table[cell]);
  }
  return { errors, together };
}

// The classes with the most errors, those that are confused side by side.
function orderOf({ errors, together }) {
  const most = [...errors.keys()]
    .filter((k) => errors[k] > 0)
    .sort((a, b) => errors[b] - errors[a] || a - b)
    .slice(0, MOST_SHOWN);
  const shared = (a, b) => together.get(Math.min(a, b) * nClasses + Math.max(a, b)) ?? 0;
  return chained(most, shared);
}

function content(truth, decided, result) {
  const cell = cellOf(truth, decided);
  if (!result.counts[cell]) return "";
  const share = result.table[cell] / sample.classWeight[truth];
  const button = make("button", {
    type: "button",
    className: truth === decided ? "mini right" : "mini",
    textContent: amount(result.table[cell]),
    title: `${classes[truth]} classified as ${classes[decided]}: ${percent(share)}`,
  });
  button.dataset.shade = String(Math.min(10, Math.round(share * 10)));
  button.dataset.cell = String(cell);
  button.setAttribute("aria-pressed", String(state.selected === cell));
  button.addEventListener("click", () =>
    update({ selected: state.selected === cell ? null : cell, focused: -1 }),
  );
  return button;
}

// What rows and columns are; no arrow begins a line.
export function corner() {
  const parts = ["truth ↓", "decision →"].map((textContent) =>
    make("span", { className: "whole", textContent }),
  );
  return make("th", { scope: "col" }, parts[0], " ", parts[1]);
}

export function confusedMatrix(box) {
  const head = make("thead");
  const body = make("tbody");
  const table = make("table", { className: "confusion many" }, head, body);
  const told = make("p", { className: "muted" });
  const place = make("div", { className: "scroll tall", tabIndex: 0, role: "region" }, table);
  place.setAttribute("aria-label", "Classes that are confused most");
  box.append(told, place);
  return (result, wanted) => {
    const order = orderOf(confusions(result, wanted));
    const chosen = place.contains(document.activeElement) && document.activeElement.dataset.cell;
    const which = state.search.trim()
      ? `The ${order.length} classes with the most errors that involve the class searched for`
      : `The ${order.length} classes with the most errors`;
    told.textContent = `${which}, confused ones side by side: rows are true classes, columns decisions.`;
    told.hidden = place.hidden = order.length < 2;
    const titles = order.map((k) => make("th", { scope: "col" }, nameOf(classes[k])));
    head.replaceChildren(
      make("tr", {}, corner(), ...titles),
    );
    body.replaceChildren(
      ...order.map((truth) => {
        const cells = order.map((decided) => make("td", {}, content(truth, decided, result)));
        return make("tr", {}, make("th", { scope: "row" }, nameOf(classes[truth])), ...cells);
      }),
    );
    if (chosen) table.querySelector(`[data-cell="${chosen}"]`)?.focus();
  };
}
