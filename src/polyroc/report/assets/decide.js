// Decisions and what follows from them. Python counts the same errors to the last case: products
// are added from the first class to the last in double precision, and the first of equals wins.

import { nClasses, nCases, codes, weights, classWeight, totalWeight } from "./data.js";

// Costs are K × K in one row, truth first. Fills `decided` with the cheapest decision of each case.
export function decide(scores, costs, decided) {
  const K = nClasses;
  for (let i = 0, at = 0; i < nCases; i += 1, at += K) {
    let least = Infinity;
    let best = 0;
    for (let j = 0; j < K; j += 1) {
      let expected = scores[at] * costs[j];
      for (let k = 1, c = K + j; k < K; k += 1, c += K) expected += scores[at + k] * costs[c];
      if (expected < least) {
        least = expected;
        best = j;
      }
    }
    decided[i] = best;
  }
}

// Weight of the cases in each cell of the table of truth and decision, and their number.
export function tally(decided) {
  const table = new Float64Array(nClasses * nClasses);
  const counts = new Uint32Array(nClasses * nClasses);
  for (let i = 0; i < nCases; i += 1) {
    const cell = codes[i] * nClasses + decided[i];
    table[cell] += weights ? weights[i] : 1;
    counts[cell] += 1;
  }
  return { table, counts };
}

export function meanCost(table, costs) {
  let sum = 0;
  for (let cell = 0; cell < table.length; cell += 1) sum += table[cell] * costs[cell];
  return sum / totalWeight;
}

// The cost of the best decision that does not look at the case.
export function blindCost(costs) {
  let least = Infinity;
  for (let j = 0; j < nClasses; j += 1) {
    let sum = 0;
    for (let k = 0; k < nClasses; k += 1) sum += classWeight[k] * costs[k * nClasses + j];
    least = Math.min(least, sum / totalWeight);
  }
  return least;
}

// Wilson's limits of a share of so many cases.
export function wilson(share, count, quantile) {
  const extra = (quantile * quantile) / count;
  const centre = (share + extra / 2) / (1 + extra);
  const reach = Math.sqrt(extra * (share * (1 - share) + extra / 4)) / (1 + extra);
  return [
    Math.max(0, Math.min(centre - reach, share)),
    Math.min(1, Math.max(centre + reach, share)),
  ];
}
