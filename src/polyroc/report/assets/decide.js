// Decisions and what follows from them. Python counts the same errors to the last case: expected
// costs that differ by no more than 2⁻²² of the larger are equal, and the first of equals wins.
// Probabilities come in single precision, so that equal decimals are equal no closer than that.

import { nClasses, codes, weights, classWeight, totalWeight } from "./data.js";
import { sample } from "./sample.js";

const TIED = 2 ** -22;

// Cells: truth and decision, row by row, then the cases of each class that are referred.
export const cellOf = (truth, decision) =>
  decision < nClasses ? truth * nClasses + decision : nClasses * nClasses + truth;
export const truthOf = (cell) =>
  cell < nClasses * nClasses ? Math.floor(cell / nClasses) : cell - nClasses * nClasses;
export const decisionOf = (cell) => (cell < nClasses * nClasses ? cell % nClasses : nClasses);

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

// By what Bayes' rule multiplies the probability of each class where the classes have other shares.
export function ratiosOf(shares) {
  return Float64Array.from(classWeight, (weight, k) =>
    shares ? shares[k] / (weight / totalWeight) : 1,
  );
}

// What is compared: K × K costs, or K × (K + 1) with those of referring last, times the ratios; and
// the class k that is decided wherever its probability is at least t, if there is one.
export function ruleOf({ costs, shares, refer, cut }) {
  const ratios = ratiosOf(shares);
  const n = refer === null ? nClasses : nClasses + 1;
  const table = new Float64Array(nClasses * n);
  for (let k = 0; k < nClasses; k += 1) {
    for (let j = 0; j < n; j += 1)
      table[k * n + j] = (j < nClasses ? costs[k * nClasses + j] : refer) * ratios[k];
  }
  return { table, n, ratios: shares ? ratios : null, cut };
}

// What re-weighted probabilities are divided by, so that they sum to 1.
function scaleAt(scores, at, ratios) {
  let sum = 0;
  for (let k = 0; k < nClasses; k += 1) sum += scores[at + k] * ratios[k];
  return sum;
}

// Fills `decided` with the cheapest decision of each case in view, the number of classes for a
// referral, and `promised` with what the probabilities say that it costs.
export function decide(scores, { table, n, ratios }, decided, promised) {
  const K = nClasses;
  const expected = new Float64Array(n);
  const { rows } = sample;
  for (let place = 0; place < rows.length; place += 1) {
    const i = rows[place];
    const at = i * K;
    let [least, rival, best] = [Infinity, Infinity, 0];
    for (let j = 0; j < n; j += 1) {
      let value = scores[at] * table[j];
      for (let k = 1, c = n + j; k < K; k += 1, c += n) value += scores[at + k] * table[c];
      expected[j] = value;
      if (value < least) {
        rival = least;
        least = value;
        best = j;
      } else if (value < rival) rival = value;
    }
    decided[i] = rival * (1 - TIED) <= least ? firstOfEquals(expected, least) : best;
    promised[i] = expected[decided[i]] / (ratios ? scaleAt(scores, at, ratios) : 1);
  }
}

// The same costs without the decision for class k.
function without({ table, n }, k) {
  return { table: table.filter((_, cell) => cell % n !== k), n: n - 1, ratios: null };
}

// Class k where its probability is at least t, and the cheapest of the other decisions elsewhere.
export function decideFrom(scores, rule, decided, promised) {
  const { table, n, cut } = rule;
  decide(scores, without(rule, cut.k), decided, promised);
  for (const i of sample.rows) {
    const at = i * nClasses;
    if (scores[at + cut.k] >= cut.t) {
      decided[i] = cut.k;
      promised[i] = 0;
      for (let k = 0; k < nClasses; k += 1) promised[i] += scores[at + k] * table[k * n + cut.k];
    } else if (decided[i] >= cut.k) decided[i] += 1;
  }
}

// Weight of the cases in view in each cell, and their number.
export function tally(decided) {
  const table = new Float64Array(nClasses * (nClasses + 1));
  const counts = new Uint32Array(nClasses * (nClasses + 1));
  const { rows } = sample;
  for (let place = 0; place < rows.length; place += 1) {
    const i = rows[place];
    const cell = cellOf(codes[i], decided[i]);
    table[cell] += weights ? weights[i] : 1;
    counts[cell] += 1;
  }
  return { table, counts };
}
