// What the reader has chosen, and what follows from it. Views subscribe; nothing else is shared.

import { page, nClasses, nCases, models, best, scores } from "./data.js";
import { view } from "./sample.js";
import { decide, decideFrom, ruleOf, tally } from "./decide.js";
import { outcome, promise } from "./outcome.js";
import { countAll } from "./whole.js";

// Of more than three classes the two that are confused most often, as in the other figure.
function firstAxes() {
  if (nClasses <= 3) return [0, 1, 2];
  const other = [0, 1, 2].find((k) => !page.first.includes(k));
  return [...page.first, other];
}

export const state = {
  model: best,
  costs: equalCosts(),
  slice: null, // [attribute, slice], or all cases
  shares: null, // of the classes in practice, or those of the cases
  refer: null, // what it costs to refer a case to a person, or nobody is there
  cut: null, // { k, t }: class k is decided wherever its probability is at least t
  byLimits: false, // costs follow from limits on rates: their scale has no meaning
  limits: new Map(), // from position among the errors to the highest rate allowed
  axes: page.first, // of the cases of more than three classes
  rateAxes: firstAxes(), // of the space of error rates
  turned: [0.4, 0.2], // the angles from which it is seen
  sorted: false, // confused classes side by side
  search: "", // part of the name of a class
  selected: null, // a cell of the table of truth and decision
  focused: -1, // a case under the pointer or reached by keys
  results: [], // of each model: decided, promised, table, counts, what they cost and promise
};

const DECIDING = ["costs", "slice", "shares", "refer", "byLimits", "cut"];
const views = [];

export function equalCosts() {
  const costs = new Float64Array(nClasses * nClasses).fill(1);
  for (let k = 0; k < nClasses; k += 1) costs[k * nClasses + k] = 0;
  return costs;
}

export function onChange(view) {
  views.push(view);
}

// What decides. Limits on rates and points of ROC curves ask for operating points as they are:
// neither other shares nor referrals belong to them.
export function setting() {
  const { costs, shares, refer, byLimits, cut } = state;
  return byLimits || cut ? { costs, shares: null, refer: null, cut } : { costs, shares, refer, cut };
}

// What was touched last decides: a point of a ROC curve, or costs with what belongs to them.
function resolved(changes) {
  if (changes.cut) return { byLimits: false, ...changes };
  const other = ["costs", "shares", "refer"].some((each) => each in changes) || changes.byLimits;
  return other && state.cut ? { cut: null, ...changes } : changes;
}

// Every view draws itself after every change, in the same task: nothing lags behind a slider.
export function update(given) {
  const changes = resolved(given);
  Object.assign(state, changes);
  if ("slice" in changes) view(state.slice);
  const decided = DECIDING.some((each) => each in changes);
  if (decided) recompute();
  for (const each of views) each({ ...changes, decided });
}

function recompute() {
  const chosen = setting();
  const rule = ruleOf(chosen);
  const all = countAll(chosen, state.slice);
  state.results = models.map((_, m) => {
    const decided = state.results[m]?.decided ?? new Uint16Array(nCases);
    const promised = state.results[m]?.promised ?? new Float64Array(nCases);
    (rule.cut ? decideFrom : decide)(scores[m], rule, decided, promised);
    const { table, counts } = all?.[m] ?? tally(decided);
    const told = all?.[m].promise ?? promise({ decided, promised, scores: scores[m] }, chosen);
    return { decided, promised, table, counts, ...outcome(table, chosen), promise: told };
  });
}

export function withCost(cell, cost) {
  const costs = state.costs.slice();
  costs[cell] = cost;
  return costs;
}
