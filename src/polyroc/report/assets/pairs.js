// Pairs of many classes: those of a class that is searched for, the hardest first.

import { page, unpack, classes } from "./data.js";
import { state, update, onChange } from "./state.js";
import { make, nameOf } from "./elements.js";
import { arrange, chained } from "./order.js";

const STEPS = 65_534;
const MOST_LISTED = 20;

function unpacked({ classes: ends, numbers }) {
  const shares = numbers.map(unpack);
  return {
    ends: ends.map(unpack),
    share: (column, at) => (shares[column][at] > STEPS ? NaN : shares[column][at] / STEPS),
  };
}

// What is below 1 does not read as 1, nor what is above 0 as 0.
function valueText(value, least) {
  let digits = least;
  while (digits < 5 && value > 0 && value < 1 && /^(0\.0+|1\.0+)$/.test(value.toFixed(digits)))
    digits += 1;
  return value.toFixed(digits);
}

function limitText(value, digits) {
  const text = valueText(value, digits);
  return /^[01]\.0+$/.test(text) ? value.toFixed(digits) : text;
}

// An AUC with its limits, coloured as on the whole page: the stronger, the nearer to guessing.
function cellOf(model, column, at) {
  const [value, low, high] = [0, 1, 2].map((place) => model.share(column + place, at));
  const step = Math.round(Math.min(1, Math.max(0, 2 * (1 - value))) * 10);
  const shown = new Set([low, (low + high) / 2, high].map((each) => each.toFixed(3)));
  const digits = low < high && shown.size < 3 ? 4 : 3;
  const limits = Number.isNaN(low)
    ? "no interval"
    : `${limitText(low, digits)} to ${limitText(high, digits)}`;
  return make(
    "td",
    { className: `heat-${step}`, "data-label": column ? "scores of B" : "scores of A" },
    make("span", { textContent: valueText(value, digits) }),
    make("small", { textContent: limits }),
  );
}

function rowOf(model, at) {
  const names = model.ends.map((end) => make("td", { className: "name" }, nameOf(classes[end[at]])));
  return make("tr", {}, ...names, cellOf(model, 0, at), cellOf(model, 3, at));
}

function found(model, wanted) {
  const rows = [];
  for (let at = 0; at < model.ends[0].length && rows.length < MOST_LISTED; at += 1)
    if (model.ends.some((end) => classes[end[at]].toLowerCase().includes(wanted)))
      rows.push(rowOf(model, at));
  return rows;
}

// Tables of few classes: those hard to tell apart side by side, as in the table of decisions.
function startSorting() {
  const tables = [...document.querySelectorAll("#pairs table.matrix")];
  const auc = (row, k) => Number(row.cells[k + 1].firstChild?.textContent.replace(">", ""));
  const known = tables.map((table) => {
    const rows = [...table.tBodies[0].rows];
    return classes.map((_, a) => classes.map((_, b) => (a === b ? 1 : auc(rows[a], b))));
  });
  onChange((changes) => {
    if (!("sorted" in changes)) return;
    const given = classes.map((_, k) => k);
    tables.forEach((table, m) => {
      const near = (a, b) => 2 - known[m][a][b] - known[m][b][a];
      arrange(table, state.sorted ? chained(given, near) : given, given.length);
    });
  });
}

// Only what is shown: where nothing is searched for, the rows that were written with the page.
export function startPairs() {
  const box = document.querySelector("#pairs .figures");
  if (!page.pairs) startSorting();
  if (!page.pairs || !box) return;
  const models = page.pairs.models.map(unpacked);
  const bodies = [...box.querySelectorAll("tbody")];
  const first = bodies.map((body) => [...body.rows]);
  const search = make("input", { type: "search", id: "pair-search" });
  const label = make("label", { htmlFor: "pair-search", textContent: "Search for a class" });
  const told = make("span", { role: "status" });
  box.before(make("p", { className: "picker" }, label, search, " ", told));
  search.addEventListener("input", () => update({ search: search.value }));
  onChange((changes) => {
    if (!("search" in changes)) return;
    if (document.activeElement !== search) search.value = state.search;
    const wanted = state.search.trim().toLowerCase();
    const rows = models.map((model, m) => (wanted ? found(model, wanted) : first[m]));
    bodies.forEach((body, m) => body.replaceChildren(...rows[m]));
    told.textContent = rows.every(({ length }) => length) ? "" : "There is no such class.";
  });
}
