// The table of truth and decision: cases, share of the class, Wilson's limits. Each cell is a
// button that lists its cases.

import { page, classes, nClasses, nCases, errorCells, held, weights } from "./data.js";
import { sample } from "./sample.js";
import { countedCases } from "./whole.js";
import { cellOf, decisionOf, truthOf } from "./decide.js";
import { state, setting, update, onChange } from "./state.js";
import { limitsOf } from "./certainty.js";
import { arrange, chained } from "./order.js";
import { make, nameOf, byId, percent, amount, plural, hint } from "./elements.js";
import { confusedMatrix, corner } from "./matrix.js";

const MOST_CLASSES = 12;
const MOST_LISTED = 15;
const LEAST_SORTED = 4; // classes whose order can be chosen

function toggle(cell) {
  update({ selected: state.selected === cell ? null : cell, focused: -1 });
}

function fill(button, cell, result) {
  const truth = truthOf(cell);
  const [low, high] = limitsOf(truth, decisionOf(cell), result);
  const share = result.table[cell] / sample.classWeight[truth];
  const [count, rate, limits] = button.children;
  count.textContent = amount(result.table[cell]);
  const known = sample.classWeight[truth] > 0; // a slice may lack a class
  rate.textContent = known ? percent(share) : "–";
  limits.textContent = known ? `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}` : "no cases";
  button.setAttribute("aria-pressed", String(state.selected === cell));
  button.dataset.shade = String(known ? Math.min(10, Math.round(share * 10)) : 0);
}

function cellButton(cell) {
  const [truth, decided] = [truthOf(cell), decisionOf(cell)];
  const kind = decided === nClasses ? "cell referred" : "cell";
  const button = make(
    "button",
    { type: "button", className: truth === decided ? "cell right" : kind },
    make("b"),
    make("span"),
    make("small"),
  );
  button.dataset.cell = String(cell);
  button.title = `Cases of ${classes[truth]} ${decided < nClasses ? `classified as ${classes[decided]}` : "referred"}`;
  button.addEventListener("click", () => toggle(cell));
  return button;
}

function wholeTable(box) {
  const told = make("p", {
    id: "confusion-told",
    className: "muted",
    textContent: `Rows are true classes, columns decisions${weights ? "; sums of weights" : ""}.${held ? ` Counted among ${held}.` : ""}`,
  });
  told.append(hint(" Select a cell to see its cases."));
  const table = make("table", {
    className: nClasses > 4 ? "confusion dense" : "confusion",
    "aria-describedby": "confusion-told",
  });
  const head = make("tr", {}, corner());
  for (const name of classes) head.append(make("th", { scope: "col" }, nameOf(name)));
  table.append(make("thead", {}, head));
  const body = make("tbody");
  const buttons = [];
  classes.forEach((name, truth) => {
    const row = make("tr", {}, make("th", { scope: "row" }, nameOf(name)));
    classes.forEach((_, decided) => {
      const button = cellButton(truth * nClasses + decided);
      buttons.push(button);
      row.append(make("td", {}, button));
    });
    body.append(row);
  });
  table.append(body);
  const scroll = { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Decisions" };
  box.append(told, make("div", scroll, table));
  const showReferrals = referralColumn(head, body);
  const sort = nClasses >= LEAST_SORTED ? sorting(box, table) : () => {};
  return (result) => {
    buttons.forEach((button, cell) => fill(button, cell, result));
    showReferrals(result);
    sort(result);
  };
}

// Confused classes side by side, or all as they were given.
function sorting(box, table) {
  const input = make("input", { type: "checkbox", id: "sorted" });
  const label = make("label", {}, input, " Confused classes side by side");
  box.prepend(make("p", { className: "picker" }, label));
  input.addEventListener("change", () => update({ sorted: input.checked }));
  const share = ({ table: cells }, a, b) => cells[a * nClasses + b] / (sample.classWeight[a] || 1);
  let last = "";
  return (result) => {
    input.checked = state.sorted;
    const given = classes.map((_, k) => k);
    const near = (a, b) => share(result, a, b) + share(result, b, a);
    const order = state.sorted ? chained(given, near) : given;
    if (`${order}` !== last) arrange(table, order, nClasses);
    last = `${order}`;
  };
}

// A last column, there only while cases may be referred.
function referralColumn(head, body) {
  const title = make("th", { scope: "col", className: "refers", textContent: "referred" });
  const buttons = classes.map((_, truth) => cellButton(cellOf(truth, nClasses)));
  const cells = buttons.map((button) => make("td", { className: "refers" }, button));
  const rows = [...body.rows]; // those of the classes, in whatever order they stand
  return (result) => {
    const there = setting().refer !== null;
    if (there && !title.isConnected) {
      head.append(title);
      cells.forEach((cell, truth) => rows[truth].append(cell));
    } else if (!there) [title, ...cells].forEach((each) => each.remove());
    if (there) buttons.forEach((button, truth) => fill(button, cellOf(truth, nClasses), result));
  };
}

function among() {
  if (sample.all) return ` among all ${plural(page.cases.drawn_from, "case")}`;
  return countedCases() ? ` among ${countedCases()}` : "";
}

function nothing(named) {
  if (!classes.some((_, k) => named(k))) return "There is no such class.";
  return `No errors${state.search.trim() ? " with such a class" : ""}.`;
}

// Many classes: the confusions with the most cases, in order.
function largestErrors(box) {
  const list = make("ol", { className: "errors" });
  const told = make("p", { className: "muted" });
  const search = make("input", { type: "search", id: "class-search" });
  const label = make("label", { htmlFor: "class-search", textContent: "Search for a class" });
  box.append(make("p", { className: "picker" }, label, search), told, list);
  search.addEventListener("input", () => update({ search: search.value }));
  const showMatrix = confusedMatrix(box);
  const named = (k) => classes[k].toLowerCase().includes(state.search.trim().toLowerCase());
  const wanted = (cell) => named(truthOf(cell)) || named(decisionOf(cell));
  const show = (result) => {
    if (document.activeElement !== search) search.value = state.search;
    showMatrix(result, named);
    const found = errorCells
      .filter((cell) => result.counts[cell] && wanted(cell))
      .sort((a, b) => result.table[b] - result.table[a]);
    const order = found.slice(0, MOST_LISTED);
    told.textContent = found.length
      ? `The ${plural(order.length, "largest confusion")} of ${found.length.toLocaleString("en")} that occur${among()}${state.search.trim() ? " with such a class" : ""}: truth → decision, ${weights ? "sum of weights" : "cases"}, share of the class.${sample.all ? ` Other costs are tried on ${plural(nCases, "case")}, which this page contains.` : ""}`
      : nothing(named);
    list.replaceChildren(
      ...order.map((cell) => {
        const button = cellButton(cell);
        fill(button, cell, result);
        return make(
          "li",
          {},
          nameOf(classes[Math.floor(cell / nClasses)]),
          " → ",
          nameOf(classes[cell % nClasses]),
          " ",
          button,
        );
      }),
    );
  };
  return show;
}

export function startConfusion() {
  const box = byId("confusion");
  const show = nClasses <= MOST_CLASSES ? wholeTable(box) : largestErrors(box);
  onChange((changes) => {
    const shown = ["model", "selected", "search", "sorted"].some((each) => each in changes);
    if (changes.decided || shown) show(state.results[state.model]);
  });
}
