// Decisions and what follows from them. Python counts the same errors to the last case: expected
// costs that differ by no more than 2⁻²² of the larger are equal, and the first of equals wins.
// Probabilities come in single precision, so that equal decimals are equal no closer than that.

import { nClasses, nCases, codes, weights, classWeight, totalWeight } from "./data.js";

const TIED = 2 ** -22;

// The first of the costs that a chain of ties joins to the least.
function firstOfEquals(expected, least) {
  let reached = least;
  for (let joined = true; joined; ) {
    joined = false;
    for (const value of expected) {
      if (value > reached && value * (1 - TIED) <= reached) {
        reached = value;
        joined = true;
      }
    }
  }
  return expected.findIndex((value) => value <= reached);
}

// Costs are K × K in one row, truth first. Fills `decided` with the cheapest decision of each case.
export function decide(scores, costs, decided) {
  const K = nClasses;
  const expected = new Float64Array(K);
  for (let i = 0, at = 0; i < nCases; i += 1, at += K) {
    let [least, rival, best] = [Infinity, Infinity, 0];
    for (let j = 0; j < K; j += 1) {
      let value = scores[at] * costs[j];
      for (let k = 1, c = K + j; k < K; k += 1, c += K) value += scores[at + k] * costs[c];
      expected[j] = value;
      if (value < least) {
        rival = least;
        least = value;
        best = j;
      } else if (value < rival) rival = value;
    }
    decided[i] = rival * (1 - TIED) <= least ? firstOfEquals(expected, least) : best;
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

// The least cost of always choosing the same class.
export function constantCost(costs) {
  let least = Infinity;
  for (let j = 0; j < nClasses; j += 1) {
    let sum = 0;
    for (let k = 0; k < nClasses; k += 1) sum += classWeight[k] * costs[k * nClasses + j];
    least = Math.min(least, sum / totalWeight);
  }
  return least;
}
