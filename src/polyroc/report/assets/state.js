// What the reader has chosen, and what follows from it. Views subscribe; nothing else is shared.

import { nClasses, nCases, models, scores } from "./data.js";
import { decide, tally, meanCost } from "./decide.js";

export const state = {
  model: 0,
  costs: equalCosts(),
  byLimits: false, // costs follow from limits on rates: their scale has no meaning
  selected: null, // a cell of the table of truth and decision
  focused: -1, // a case under the pointer or reached by keys
  results: [], // of each model: decided, table, counts, cost
};

const views = [];

export function equalCosts() {
  const costs = new Float64Array(nClasses * nClasses).fill(1);
  for (let k = 0; k < nClasses; k += 1) costs[k * nClasses + k] = 0;
  return costs;
}

export function onChange(view) {
  views.push(view);
}

// Every view draws itself after every change, in the same task: nothing lags behind a slider.
export function update(changes) {
  Object.assign(state, changes);
  if (changes.costs) recompute();
  for (const view of views) view(changes);
}

export function recompute() {
  state.results = models.map((_, m) => {
    const decided = state.results[m]?.decided ?? new Uint16Array(nCases);
    decide(scores[m], state.costs, decided);
    const { table, counts } = tally(decided);
    return { decided, table, counts, cost: meanCost(table, state.costs) };
  });
}

export function withCost(cell, cost) {
  const costs = state.costs.slice();
  costs[cell] = cost;
  return costs;
}
