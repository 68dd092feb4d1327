// What decisions cost, what the probabilities predict that they cost, and how models differ. Means
// are over the cases in view; where shares are chosen, each class counts by its share.

import { nClasses, codes, weights } from "./data.js";
import { sample } from "./sample.js";
import { decisionOf, ratiosOf, truthOf } from "./decide.js";
import { twoSided } from "./chance.js";

const SAME = 1e-12; // of the largest cost, from which on costs differ

// By what the weight of a case of each class is multiplied; NaN where a class with a share has none.
export function factorsOf(shares) {
  const { classWeight, totalWeight } = sample;
  return Float64Array.from(classWeight, (weight, k) =>
    shares ? (weight ? (shares[k] * totalWeight) / weight : NaN) : 1,
  );
}

const costOf = ({ costs, refer }, truth, decision) =>
  decision < nClasses ? costs[truth * nClasses + decision] : refer;

// Sum over cells of weight times what `value` gives for truth and decision.
function summed(table, factors, value) {
  let sum = 0;
  for (let cell = 0; cell < table.length; cell += 1) {
    const [truth, decision] = [truthOf(cell), decisionOf(cell)];
    const each = value(truth, decision);
    if (each && (table[cell] || Number.isNaN(factors[truth])))
      sum += table[cell] * factors[truth] * each;
  }
  return sum;
}

// Cost of a case, share of the cases decided, their mean cost, and the share of them classified
// correctly.
export function outcome(table, setting) {
  const factors = factorsOf(setting.shares);
  const price = (truth, decision) => costOf(setting, truth, decision);
  const kept = summed(table, factors, (_, decision) => Number(decision < nClasses));
  const paid = summed(table, factors, (truth, decision) =>
    decision < nClasses ? price(truth, decision) : 0,
  );
  const referred = summed(table, factors, (truth, decision) =>
    decision === nClasses ? price(truth, decision) : 0,
  );
  const right = summed(table, factors, (truth, decision) => Number(truth === decision));
  return {
    cost: (paid + referred) / sample.totalWeight,
    coverage: kept / sample.totalWeight,
    risk: paid / kept,
    correct: right / kept,
  };
}

// The least cost of deciding all cases alike, referring among the decisions.
export function constantCost(setting) {
  const factors = factorsOf(setting.shares);
  const costs = [];
  for (let j = 0; j < (setting.refer === null ? nClasses : nClasses + 1); j += 1) {
    let sum = 0;
    sample.classWeight.forEach((weight, k) => {
      if (weight || setting.shares) sum += weight * factors[k] * costOf(setting, k, j);
    });
    costs.push(sum / sample.totalWeight);
  }
  return costs.some(Number.isNaN) ? NaN : Math.min(...costs);
}

// What truth and decision cost, K × (K + 1) in one row.
function pricesOf(setting) {
  const prices = new Float64Array(nClasses * (nClasses + 1));
  for (let k = 0; k < nClasses; k += 1)
    for (let j = 0; j <= nClasses; j += 1)
      prices[k * (nClasses + 1) + j] = costOf(setting, k, j) ?? 0;
  return prices;
}

// Σ (u − v · difference)² over units, and their number.
function centred(first, second, difference) {
  let sum = 0;
  for (let at = 0; at < first.length; at += 1)
    sum += (first[at] - second[at] * difference) ** 2;
  return { n: first.length, sum };
}

// Sums over the groups of the cases in view.
function byGroup(first, second) {
  const { rows, groupOf, groupLimit } = sample;
  const place = new Int32Array(groupLimit).fill(-1);
  const sums = [[], []];
  rows.forEach((i, at) => {
    const group = groupOf[i];
    if (place[group] < 0) {
      place[group] = sums[0].length;
      sums.forEach((each) => each.push(0));
    }
    sums[0][place[group]] += first[at];
    sums[1][place[group]] += second[at];
  });
  return sums;
}

// Variance of what a case costs if its probabilities are right, of given decisions: probabilities
// of classes with other shares are multiplied by the ratios.
function variancesOf({ decided, promised, scores }, prices, ratios) {
  const least = SAME * Math.max(...prices) ** 2;
  return (i) => {
    let [moment, sum] = [0, 0];
    for (let k = 0, at = i * nClasses; k < nClasses; k += 1, at += 1) {
      const price = prices[k * (nClasses + 1) + decided[i]];
      const q = scores[at] * ratios[k];
      moment += q * price * price;
      sum += q;
    }
    const variance = moment / sum - promised[i] ** 2;
    return variance > least ? variance : 0;
  };
}

// The larger of two variances: that of the cases, and that of calibrated probabilities. In groups
// the second is multiplied by the design effect; where nothing varies a group counts as one case.
function largerVariance(all, alone, { noise, noises }, least) {
  const { n, sum } = all;
  const varies = alone.sum > least ** 2;
  const calibrated = !noises
    ? noise
    : varies
      ? noise * Math.max(1, sum / alone.sum)
      : noises.reduce((total, each) => total + each * each, 0);
  return n > 1 ? Math.max((sum * n) / (n - 1), calibrated) : NaN;
}

// Promised and paid cost, their difference, its standard error and test, as
// polyroc.calibration.cost_calibration has them. Each unit, a case or a group, has the sum u of its
// shares times (paid − promised) and the sum v of its shares: it contributes u − v · difference.
export function promise(result, setting) {
  const { decided, promised } = result;
  const [factors, prices] = [factorsOf(setting.shares), pricesOf(setting)];
  const varianceOf = variancesOf(result, prices, ratiosOf(setting.shares));
  const { rows, totalWeight, groupOf } = sample;
  const length = rows.length;
  const [first, second] = [new Float64Array(length), new Float64Array(length)];
  const noises = groupOf ? new Float64Array(sample.groupLimit) : null;
  let [expected, observed, noise] = [0, 0, 0];
  for (let at = 0; at < length; at += 1) {
    const i = rows[at];
    const paid = prices[codes[i] * (nClasses + 1) + decided[i]];
    const share = ((weights ? weights[i] : 1) * factors[codes[i]]) / totalWeight;
    const own = share * Math.sqrt(varianceOf(i));
    first[at] = share * (paid - promised[i]);
    second[at] = share;
    noise += own * own;
    if (noises) noises[groupOf[i]] += own;
    expected += share * promised[i];
    observed += share * paid;
  }
  if (setting.shares && factors.some(Number.isNaN)) [expected, observed] = [NaN, NaN];
  const difference = observed - expected;
  const alone = centred(first, second, difference);
  const all = groupOf ? centred(...byGroup(first, second), difference) : alone;
  const least = SAME * Math.max(...prices);
  const variance = largerVariance(all, alone, { noise, noises }, least);
  const error = variance > least ** 2 ? Math.sqrt(variance) : NaN;
  const p = error > 0 ? twoSided(difference / error, all.n - 1) : NaN;
  return { expected, observed, difference, error, freedom: all.n - 1, p };
}

// Variance within classes, Σ m/(m − 1) Σ u², and Satterthwaite's degrees of freedom.
function withinClasses(parts) {
  const squared = new Float64Array(nClasses);
  const { rows, members } = sample;
  for (let at = 0; at < rows.length; at += 1) squared[codes[rows[at]]] += parts[at] * parts[at];
  let [variance, spread] = [0, 0];
  members.forEach(({ length }, k) => {
    if (!length) return;
    const part = (squared[k] * length) / (length - 1);
    variance += part;
    spread += (part * part) / (length - 1);
  });
  return { variance, freedom: variance ** 2 / spread };
}

// The same over groups, which are what varies where there are any.
function withinGroups(parts) {
  const sums = new Map();
  sample.rows.forEach((i, at) => {
    const group = sample.groupOf[i];
    sums.set(group, (sums.get(group) ?? 0) + parts[at]);
  });
  let sum = 0;
  for (const part of sums.values()) sum += part * part;
  return { variance: (sum * sums.size) / (sums.size - 1), freedom: sums.size - 1 };
}

// Cost of one model less that of another, on the same cases: polyroc.utility.compare_costs.
export function difference(one, other, setting) {
  const [factors, prices] = [factorsOf(setting.shares), pricesOf(setting)];
  const { rows, classWeight, totalWeight } = sample;
  const parts = new Float64Array(rows.length);
  const sums = new Float64Array(nClasses);
  for (let at = 0; at < rows.length; at += 1) {
    const i = rows[at];
    const row = codes[i] * (nClasses + 1);
    parts[at] = prices[row + one[i]] - prices[row + other[i]];
    sums[codes[i]] += (weights ? weights[i] : 1) * parts[at];
  }
  const value =
    sums.reduce((sum, each, k) => sum + (each ? each * factors[k] : 0), 0) / totalWeight;
  for (let at = 0; at < rows.length; at += 1) {
    const [i, k] = [rows[at], codes[rows[at]]];
    const weight = ((weights ? weights[i] : 1) * factors[k]) / totalWeight;
    parts[at] = weight * (parts[at] - sums[k] / classWeight[k]);
  }
  const { variance, freedom } = sample.groupOf ? withinGroups(parts) : withinClasses(parts);
  return { value, error: Math.sqrt(variance), freedom };
}
