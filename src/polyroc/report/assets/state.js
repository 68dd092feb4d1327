// What the reader has chosen, and what follows from it. Views subscribe; nothing else is shared.

import { nClasses, nCases, models, best, scores } from "./data.js";
import { view } from "./sample.js";
import { decide, ruleOf, tally } from "./decide.js";
import { outcome, promise } from "./outcome.js";

export const state = {
  model: best,
  costs: equalCosts(),
  slice: null, // [attribute, slice], or all cases
  shares: null, // of the classes in practice, or those of the cases
  refer: null, // what it costs to refer a case to a person, or nobody is there
  byLimits: false, // costs follow from limits on rates: their scale has no meaning
  selected: null, // a cell of the table of truth and decision
  focused: -1, // a case under the pointer or reached by keys
  results: [], // of each model: decided, promised, table, counts, what they cost and promise
};

const DECIDING = ["costs", "slice", "shares", "refer", "byLimits"];
const views = [];

export function equalCosts() {
  const costs = new Float64Array(nClasses * nClasses).fill(1);
  for (let k = 0; k < nClasses; k += 1) costs[k * nClasses + k] = 0;
  return costs;
}

export function onChange(view) {
  views.push(view);
}

// What decides. Limits on rates ask for operating points as they are: neither other shares nor
// referrals belong to them.
export function setting() {
  const { costs, shares, refer, byLimits } = state;
  return byLimits ? { costs, shares: null, refer: null } : { costs, shares, refer };
}

// Every view draws itself after every change, in the same task: nothing lags behind a slider.
export function update(changes) {
  Object.assign(state, changes);
  if ("slice" in changes) view(state.slice);
  const decided = DECIDING.some((each) => each in changes);
  if (decided) recompute();
  for (const each of views) each({ ...changes, decided });
}

function recompute() {
  const chosen = setting();
  const rule = ruleOf(chosen);
  state.results = models.map((_, m) => {
    const decided = state.results[m]?.decided ?? new Uint16Array(nCases);
    const promised = state.results[m]?.promised ?? new Float64Array(nCases);
    decide(scores[m], rule, decided, promised);
    const { table, counts } = tally(decided);
    const costs = { ...outcome(table, chosen), promise: promise({ decided, promised }, chosen) };
    return { decided, promised, table, counts, ...costs };
  });
}

export function withCost(cell, cost) {
  const costs = state.costs.slice();
  costs[cell] = cost;
  return costs;
}
