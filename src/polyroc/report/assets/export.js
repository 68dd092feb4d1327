// The chosen costs as code. Classes are written as Python writes them, which only Python knows.

import { page, nClasses, errorCells } from "./data.js";
import { ratiosOf } from "./decide.js";
import { setting, state, onChange } from "./state.js";
import { make, byId } from "./elements.js";

const FEW_CLASSES = 4;
const MOST_PRINTED = 20;

const pairOf = (cell) =>
  `(${page.literals[Math.floor(cell / nClasses)]}, ${page.literals[cell % nClasses]})`;

const mapping = (values) =>
  `{${page.literals.map((label, k) => `${label}: ${Number(values[k].toPrecision(12))}`).join(", ")}}`;

// RejectingClassifierCV takes no shares of classes, but costs times their ratios decide the same.
function codeSetting() {
  const { costs, shares, refer } = setting();
  if (!shares || refer === null) return { costs, refer, shares, note: [] };
  const ratios = ratiosOf(shares);
  const scaled = costs.map(
    (cost, cell) => Number((cost * ratios[Math.floor(cell / nClasses)]).toPrecision(12)),
  );
  const note = ["# times the ratio of the shares in practice to those of the cases"];
  return { costs: scaled, refer: mapping(ratios.map((ratio) => ratio * refer)), shares, note };
}

function closing({ shares, refer }) {
  const extra = refer !== null ? `, refer_cost=${refer}` : shares ? `, priors=${mapping(shares)}` : "";
  const kind = refer !== null ? "surface.RejectingClassifierCV" : "CostSensitiveClassifier";
  return [`classifier = polyroc.${kind}(`, `    estimator, costs=costs${extra}`, ")"];
}

// Scores of the page are rounded to single precision: the threshold is as much lower.
function thresholdCode({ k, t }) {
  const least = Number.isFinite(t) ? Number((t * (1 - 2 ** -23)).toPrecision(9)) : "np.inf";
  const others = errorCells.filter((cell) => state.costs[cell] !== 1);
  const place = (cell) => `${Math.floor(cell / nClasses)}, ${cell % nClasses}`;
  return [
    "import numpy as np",
    "",
    `classes = np.array([${page.literals.join(", ")}])`,
    "costs = 1 - np.eye(len(classes))  # rows are true classes, columns decisions",
    ...others.map((cell) => `costs[${place(cell)}] = ${state.costs[cell]}`),
    "probabilities = estimator.predict_proba(X)",
    "expected = probabilities @ costs",
    `expected[:, ${k}] = np.where(probabilities[:, ${k}] >= ${least}, -1, np.inf)`,
    "decisions = classes[expected.argmin(axis=1)]",
  ].join("\n");
}

export function asPython() {
  if (state.cut) return thresholdCode(state.cut);
  const chosen = codeSetting();
  const { costs, note } = chosen;
  const opening = [chosen.refer === null ? "import polyroc" : "import polyroc.surface", ""];
  if (nClasses <= FEW_CLASSES) {
    const lines = errorCells.map((cell) => `    ${pairOf(cell)}: ${costs[cell]},`);
    const table = ["costs = {  # (truth, decision): cost", ...lines, "}"];
    return [...opening, ...note, ...table, ...closing(chosen)].join("\n");
  }
  const others = errorCells.filter((cell) => costs[cell] !== 1);
  return [
    ...opening,
    ...note,
    `classes = [${page.literals.join(", ")}]`,
    "costs = {",
    "    (truth, decision): 1",
    "    for truth in classes",
    "    for decision in classes",
    "    if truth != decision",
    "}",
    ...others.map((cell) => `costs[${pairOf(cell).slice(1, -1)}] = ${costs[cell]}`),
    ...closing(chosen),
  ].join("\n");
}

export function asJson() {
  const { shares, refer } = setting();
  const table = page.classes.map((_, k) =>
    Array.from(state.costs.slice(k * nClasses, (k + 1) * nClasses)),
  );
  const extra = {
    ...(shares ? { priors: Array.from(shares) } : {}),
    ...(refer === null ? {} : { refer_cost: refer }),
    ...(state.cut ? { threshold: { class: page.classes[state.cut.k], at_least: state.cut.t } } : {}),
  };
  return JSON.stringify({ classes: page.classes, costs: table, ...extra });
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
    told.textContent = "Press Ctrl+C to copy the selected text.";
  }
}

// Paper, where a list of hundreds of classes would fill pages, has the first and the last of them.
function show(code) {
  const list = page.literals.join(", ");
  const at = code.indexOf(`[${list}]`) + 1;
  if (nClasses <= MOST_PRINTED || !at) {
    byId("python").textContent = code;
    return;
  }
  const some = `${page.literals.slice(0, 2).join(", ")}, …, ${page.literals.at(-1)}]`;
  byId("python").replaceChildren(
    code.slice(0, at),
    make("span", { className: "long", textContent: `${list}]` }),
    make("span", { className: "printed", "data-text": `${some}  # ${nClasses} classes` }),
    code.slice(at + list.length + 1),
  );
}

export function startExport() {
  byId("copy-python").addEventListener("click", () => copy(asPython(), "Python"));
  byId("copy-json").addEventListener("click", () => copy(asJson(), "JSON"));
  onChange((changes) => {
    if (!changes.decided) return;
    show(asPython());
    byId("copied").textContent = "";
  });
}
