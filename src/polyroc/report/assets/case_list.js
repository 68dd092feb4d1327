// The cases of the chosen cell, those farthest from their own class first.

import { classes, nClasses, codes, scores, ids, rowOf } from "./data.js";
import { sample } from "./sample.js";
import { cellOf, decisionOf, truthOf } from "./decide.js";
import { state, update, onChange } from "./state.js";
import { make, nameOf, byId, plural } from "./elements.js";

const MOST_CASES = 50;
const MOST_COLUMNS = 8;

export function casesOf(cell) {
  const found = [];
  const { decided } = state.results[state.model];
  for (const i of sample.rows) {
    if (cellOf(codes[i], decided[i]) === cell) found.push(i);
  }
  return found;
}

// What happens to a case, in words.
export const fate = (decision) =>
  decision < nClasses ? `classified as ${classes[decision]}` : "referred to a person";

// One case in a line: what it is, what is decided, and its probabilities.
export function describe(i) {
  const { decided } = state.results[state.model];
  const table = scores[state.model];
  const order = classes
    .map((_, k) => k)
    .sort((a, b) => table[i * nClasses + b] - table[i * nClasses + a]);
  const parts = order
    .slice(0, MOST_COLUMNS)
    .map((k) => `${classes[k]} ${table[i * nClasses + k].toFixed(3)}`);
  return `${ids ? "Case" : "Row"} ${rowOf(i)}: ${classes[codes[i]]}, ${fate(decided[i])}. ${parts.join(", ")}`;
}

function headings(columns) {
  const row = make("tr", {}, make("th", { scope: "col", textContent: ids ? "case" : "row" }));
  for (const k of columns) row.append(make("th", { scope: "col" }, "p(", nameOf(classes[k]), ")"));
  return make("thead", {}, row);
}

function caseRow(i, columns) {
  const row = make("tr", {}, make("th", { scope: "row", textContent: String(rowOf(i)) }));
  for (const k of columns) {
    row.append(
      make("td", {
        className: "number",
        textContent: scores[state.model][i * nClasses + k].toFixed(4),
      }),
    );
  }
  row.addEventListener("pointerenter", () => update({ focused: i }));
  return row;
}

// Cases of a cell; where all are counted, how many of them can be listed.
function countText(cell, listed) {
  const count = state.results[state.model].counts[cell];
  const part = listed ? `${listed.toLocaleString("en")} of them` : "none of them";
  return `${plural(count, "case")}${listed < count ? `, ${part} in this page` : ""}`;
}

function list(box) {
  const cell = state.selected;
  if (cell === null) {
    box.replaceChildren(
      make("p", {
        className: "muted hint",
        textContent:
          "Select a cell of the table of decisions to list its cases here and to mark them in the figure.",
      }),
    );
    return;
  }
  const [truth, decided] = [truthOf(cell), decisionOf(cell)];
  const found = casesOf(cell);
  const own = (i) => scores[state.model][i * nClasses + truth];
  found.sort((a, b) => own(a) - own(b) || a - b);
  const columns =
    nClasses <= MOST_COLUMNS
      ? classes.map((_, k) => k)
      : [...new Set([truth, decided])].filter((k) => k < nClasses);
  const shown = found.slice(0, MOST_CASES);
  const told = make(
    "p",
    { className: "muted" },
    nameOf(classes[truth]),
    decided < nClasses ? " classified as " : " referred to a person",
    decided < nClasses ? nameOf(classes[decided]) : null,
    `: ${countText(cell, found.length)}${found.length > shown.length ? `; shown are the ${shown.length} with the lowest probability of their class` : ""}.${ids ? "" : " Rows are counted from 0."}`,
  );
  const table = make(
    "table",
    { className: "cases" },
    headings(columns),
    make("tbody", {}, ...shown.map((i) => caseRow(i, columns))),
  );
  const scroll = make("div", { className: "scroll tall", tabIndex: 0, role: "region" }, table);
  scroll.setAttribute("aria-labelledby", "cases-heading");
  box.replaceChildren(told, shown.length ? scroll : "");
}

export function startCaseList() {
  const box = byId("cases");
  onChange((changes) => {
    if ("selected" in changes || "model" in changes || changes.decided) list(box);
  });
}
