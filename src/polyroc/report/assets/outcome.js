// What decisions cost, what the probabilities promise that they cost, and how models differ. Means
// are over the cases in view; where shares are chosen, each class counts by its share.

import { nClasses, codes, weights } from "./data.js";
import { sample } from "./sample.js";
import { decisionOf, truthOf } from "./decide.js";
import { twoSided } from "./chance.js";

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

// Sum of squares of what cases contribute, groups together, and their number.
function squared(parts) {
  let sum = 0;
  if (!sample.groupOf) {
    for (const part of parts) sum += part * part;
    return [sum, parts.length];
  }
  const sums = new Map();
  sample.rows.forEach((i, at) => {
    const group = sample.groupOf[i];
    sums.set(group, (sums.get(group) ?? 0) + parts[at]);
  });
  for (const part of sums.values()) sum += part * part;
  return [sum, sums.size];
}

// Promised and paid cost, their difference, its standard error and test, as
// polyroc.calibration.cost_calibration has them.
export function promise({ decided, promised }, setting) {
  const factors = factorsOf(setting.shares);
  const { rows, totalWeight } = sample;
  const share = new Float64Array(rows.length);
  const apart = new Float64Array(rows.length);
  let [expected, observed] = [0, 0];
  for (let at = 0; at < rows.length; at += 1) {
    const i = rows[at];
    const paid = costOf(setting, codes[i], decided[i]);
    share[at] = ((weights ? weights[i] : 1) * factors[codes[i]]) / totalWeight;
    apart[at] = paid - promised[i];
    expected += share[at] * promised[i];
    observed += share[at] * paid;
  }
  if (setting.shares && factors.some(Number.isNaN)) [expected, observed] = [NaN, NaN];
  const difference = observed - expected;
  const [sum, n] = squared(share.map((each, at) => each * (apart[at] - difference)));
  const error = n > 1 ? Math.sqrt((sum * n) / (n - 1)) : NaN;
  const p = error > 0 ? twoSided(difference / error, n - 1) : NaN;
  return { expected, observed, difference, error, freedom: n - 1, p };
}

// Variance within classes, Σ m/(m − 1) Σ u², and Satterthwaite's degrees of freedom.
function withinClasses(parts) {
  const squares = new Float64Array(nClasses);
  sample.rows.forEach((i, at) => {
    squares[codes[i]] += parts[at] * parts[at];
  });
  let [variance, spread] = [0, 0];
  sample.members.forEach(({ length }, k) => {
    if (!length) return;
    const part = (squares[k] * length) / (length - 1);
    variance += part;
    spread += (part * part) / (length - 1);
  });
  return { variance, freedom: variance ** 2 / spread };
}

// Cost of one model less that of another, on the same cases: polyroc.utility.compare_costs. Groups
// are summed up first, and are then what varies.
export function difference(one, other, setting) {
  const factors = factorsOf(setting.shares);
  const { rows, classWeight, totalWeight } = sample;
  const apart = new Float64Array(rows.length);
  const sums = new Float64Array(nClasses);
  const weightOf = (i) => (weights ? weights[i] : 1);
  for (let at = 0; at < rows.length; at += 1) {
    const i = rows[at];
    apart[at] = costOf(setting, codes[i], one[i]) - costOf(setting, codes[i], other[i]);
    sums[codes[i]] += weightOf(i) * apart[at];
  }
  const value =
    sums.reduce((sum, each, k) => sum + (each ? each * factors[k] : 0), 0) / totalWeight;
  const parts = apart.map((each, at) => {
    const k = codes[rows[at]];
    return (weightOf(rows[at]) * factors[k] * (each - sums[k] / classWeight[k])) / totalWeight;
  });
  if (!sample.groupOf) {
    const { variance, freedom } = withinClasses(parts);
    return { value, error: Math.sqrt(variance), freedom };
  }
  const [sum, n] = squared(parts);
  return { value, error: Math.sqrt((sum * n) / (n - 1)), freedom: n - 1 };
}
