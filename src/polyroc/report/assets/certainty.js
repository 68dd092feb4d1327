// Limits of a share of a class: Wilson's, for as many cases as the share rests on. Cases of one
// group are alike: their number is divided by the design effect, the variance over groups against
// that over cases. A share of 0 or 1 has no variance, and rests on as many cases as groups.

import { page, weights, groups } from "./data.js";
import { sample } from "./sample.js";
import { cellOf } from "./decide.js";

export function wilson(share, count, quantile) {
  const extra = (quantile * quantile) / count;
  const centre = (share + extra / 2) / (1 + extra);
  const reach = Math.sqrt(extra * (share * (1 - share) + extra / 4)) / (1 + extra);
  return [
    Math.max(0, Math.min(centre - reach, share)),
    Math.min(1, Math.max(centre + reach, share)),
  ];
}

function designEffect(truth, decision, decided, share) {
  const sums = new Float64Array(sample.groupCount[truth]);
  let alone = 0;
  for (const i of sample.members[truth]) {
    const apart = (weights ? weights[i] : 1) * ((decided[i] === decision ? 1 : 0) - share);
    sums[sample.places[i]] += apart;
    alone += apart * apart;
  }
  let together = 0;
  for (const sum of sums) together += sum * sum;
  const [m, n] = [sums.length, sample.members[truth].length];
  return ((together * m) / (m - 1) / alone / n) * (n - 1);
}

export function effectiveCount(truth, decision, decided, share) {
  const { classCount, groupCount } = sample;
  if (!groups) return classCount[truth];
  const least = Math.min(classCount[truth], groupCount[truth]);
  if (groupCount[truth] < 2 || share <= 1e-12 || share >= 1 - 1e-12) return least;
  return classCount[truth] / Math.max(1, designEffect(truth, decision, decided, share));
}

// Limits of the share of the cases of a class that get a decision; of a class without cases none.
export function limitsOf(truth, decision, { table, decided }) {
  const share = table[cellOf(truth, decision)] / sample.classWeight[truth];
  return wilson(share, effectiveCount(truth, decision, decided, share), page.quantile);
}
