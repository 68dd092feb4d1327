// The chosen costs as code. Classes are written as Python writes them, which only Python knows.

import { page, nClasses, errorCells } from "./data.js";
import { state, onChange } from "./state.js";
import { byId } from "./elements.js";

const FEW_CLASSES = 4;

const pairOf = (cell) =>
  `(${page.literals[Math.floor(cell / nClasses)]}, ${page.literals[cell % nClasses]})`;

export function asPython() {
  const opening = ["import polyroc", ""];
  const closing = [
    "classifier = polyroc.CostSensitiveClassifier(",
    "    estimator, costs=costs",
    ")",
  ];
  if (nClasses <= FEW_CLASSES) {
    const lines = errorCells.map((cell) => `    ${pairOf(cell)}: ${state.costs[cell]},`);
    return [...opening, "costs = {  # (truth, decision): cost", ...lines, "}", ...closing].join(
      "\n",
    );
  }
  const others = errorCells.filter((cell) => state.costs[cell] !== 1);
  return [
    ...opening,
    `classes = [${page.literals.join(", ")}]`,
    "costs = {(truth, decision): 1 for truth in classes for decision in classes if truth != decision}",
    ...others.map((cell) => `costs[${pairOf(cell).slice(1, -1)}] = ${state.costs[cell]}`),
    ...closing,
  ].join("\n");
}

export function asJson() {
  const table = page.classes.map((_, k) =>
    Array.from(state.costs.slice(k * nClasses, (k + 1) * nClasses)),
  );
  return JSON.stringify({ classes: page.classes, costs: table });
}

async function copy(text, what) {
  const told = byId("copied");
  try {
    await navigator.clipboard.writeText(text);
    told.textContent = `${what} copied.`;
  } catch {
    // No permission: show the text and select it, so that the usual keys copy it.
    const shown = byId("python");
    shown.textContent = text;
    getSelection().selectAllChildren(shown);
    told.textContent = "Press Ctrl+C to copy the marked text.";
  }
}

export function startExport() {
  byId("copy-python").addEventListener("click", () => copy(asPython(), "Python"));
  byId("copy-json").addEventListener("click", () => copy(asJson(), "JSON"));
  onChange((changes) => {
    if (!changes.costs) return;
    byId("python").textContent = asPython();
    byId("copied").textContent = "";
  });
}
