// The table of truth and decision: cases, share of the class, Wilson's limits. Each cell is a
// button that lists its cases.

import { classes, nClasses, classWeight, errorCells, weights } from "./data.js";
import { state, update, onChange } from "./state.js";
import { limitsOf } from "./certainty.js";
import { make, nameOf, byId, percent, amount, plural } from "./elements.js";

const MOST_CLASSES = 12;
const MOST_LISTED = 15;

function toggle(cell) {
  update({ selected: state.selected === cell ? null : cell, focused: -1 });
}

function fill(button, cell, result) {
  const truth = Math.floor(cell / nClasses);
  const [low, high] = limitsOf(truth, cell % nClasses, result);
  const share = result.table[cell] / classWeight[truth];
  const [count, rate, limits] = button.children;
  count.textContent = amount(result.table[cell]);
  rate.textContent = percent(share);
  limits.textContent = `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}`;
  button.setAttribute("aria-pressed", String(state.selected === cell));
  button.dataset.shade = String(Math.min(10, Math.round(share * 10)));
}

function cellButton(cell) {
  const [truth, decided] = [Math.floor(cell / nClasses), cell % nClasses];
  const button = make(
    "button",
    { type: "button", className: truth === decided ? "cell right" : "cell" },
    make("b"),
    make("span"),
    make("small"),
  );
  button.dataset.cell = String(cell);
  button.title = `Cases of ${classes[truth]} classified as ${classes[decided]}`;
  button.addEventListener("click", () => toggle(cell));
  return button;
}

function wholeTable(box) {
  const table = make("table", { className: nClasses > 4 ? "confusion dense" : "confusion" });
  table.append(
    make("caption", {
      textContent: `Rows are true classes, columns decisions${weights ? "; sums of weights" : ""}. Select a cell to see its cases.`,
    }),
  );
  const head = make("tr", {}, make("th", { scope: "col", textContent: "truth ↓ decision →" }));
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
  box.append(make("div", { className: "scroll" }, table));
  return (result) => buttons.forEach((button, cell) => fill(button, cell, result));
}

// Many classes: the confusions with the most cases, in order.
function largestErrors(box) {
  const list = make("ol", { className: "errors" });
  const told = make("p", { className: "muted" });
  box.append(told, list);
  return (result) => {
    const found = errorCells
      .filter((cell) => result.counts[cell])
      .sort((a, b) => result.table[b] - result.table[a]);
    const order = found.slice(0, MOST_LISTED);
    told.textContent = found.length
      ? `The ${plural(order.length, "largest confusion")} of ${found.length.toLocaleString("en")} that occur: truth → decision, ${weights ? "sum of weights" : "cases"}, share of the class.`
      : "No errors.";
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
}

export function startConfusion() {
  const box = byId("confusion");
  const show = nClasses <= MOST_CLASSES ? wholeTable(box) : largestErrors(box);
  onChange((changes) => {
    if (changes.costs || "model" in changes || "selected" in changes)
      show(state.results[state.model]);
  });
}
