// All cases, where the page holds only some of many classes: how they are classified if every error
// costs the same. At other costs the cases in the page are counted.

import { page, unpack, nClasses, held } from "./data.js";
import { sample } from "./sample.js";
import { twoSided } from "./chance.js";

const given = page.cases.all;

function totals() {
  const classWeight = unpack(given.weights);
  const totalWeight = classWeight.reduce((sum, weight) => sum + weight, 0);
  return { classWeight, classCount: unpack(given.counts), totalWeight };
}

function resultOf({ steps, counts, sums, expected, observed, error, freedom }) {
  const found = { table: new Float64Array(nClasses * (nClasses + 1)) };
  found.counts = new Uint32Array(found.table.length);
  const numbers = unpack(counts);
  const weights = sums ? unpack(sums) : numbers;
  let cell = 0;
  unpack(steps).forEach((step, at) => {
    cell += step;
    found.table[cell] = weights[at];
    found.counts[cell] = numbers[at];
  });
  const difference = observed - expected;
  const p = error ? twoSided(difference / error, freedom) : NaN;
  found.promise = { expected, observed, difference, error: error ?? NaN, freedom, p };
  return found;
}

const everyone = given && { totals: totals(), results: given.models.map(resultOf) };

const plain = ({ costs, shares, refer, cut }) =>
  !shares &&
  refer === null &&
  !cut &&
  costs.every((cost, cell) => cost === Number(Math.floor(cell / nClasses) !== cell % nClasses));

// What is counted: of each model its table and promise over all cases, or null for those in view.
export function countAll(setting, slice) {
  sample.all = Boolean(everyone) && !slice && plain(setting);
  Object.assign(sample, sample.all ? everyone.totals : sample.own);
  return sample.all ? everyone.results : null;
}

export function differenceOfAll(one, other) {
  const { value, error, freedom } = given.differences[one][other];
  return { value, error: error ?? NaN, freedom: freedom ?? NaN };
}

// Which cases are counted, where they are not all.
export const countedCases = () => (sample.all ? "" : held);
