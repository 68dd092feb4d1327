// The cases in view: all, or those of one slice. Everything that is counted is counted over them.

import { page, unpack, nClasses, nCases, codes, weights, groups } from "./data.js";

export const attributes = page.cases.slices.map(({ name, slices, numbers }) => ({
  name: name.trim() ? name : "(empty)",
  slices: slices.map((slice) => (slice.trim() ? slice : "(empty)")),
  numbers: unpack(numbers),
}));

// rows: the cases; classWeight, classCount, members: weight, effective number (Σw)²/Σw² and cases
// of each class; places, groupCount: groups numbered within the class, and their number.
export const sample = { groupOf: groups, groupLimit: 0 };
if (groups) for (const group of groups) sample.groupLimit = Math.max(sample.groupLimit, group + 1);

function rowsOf(slice) {
  const every = new Uint32Array(nCases).map((_, i) => i);
  return slice ? every.filter((i) => attributes[slice[0]].numbers[i] === slice[1]) : every;
}

function countGroups(rows) {
  sample.places = new Uint32Array(groups ? nCases : 0);
  sample.groupCount = new Uint32Array(nClasses);
  if (!groups) return;
  const numbers = sample.members.map(() => new Map());
  for (const i of rows) {
    const known = numbers[codes[i]];
    if (!known.has(groups[i])) known.set(groups[i], known.size);
    sample.places[i] = known.get(groups[i]);
  }
  sample.groupCount.set(numbers.map((known) => known.size));
}

// A slice is the position of an attribute and that of one of its slices; null is everything.
export function view(slice) {
  const rows = rowsOf(slice);
  const squares = new Float64Array(nClasses);
  sample.rows = rows;
  sample.classWeight = new Float64Array(nClasses);
  sample.members = Array.from({ length: nClasses }, () => []);
  for (const i of rows) {
    const weight = weights ? weights[i] : 1;
    sample.classWeight[codes[i]] += weight;
    squares[codes[i]] += weight * weight;
    sample.members[codes[i]].push(i);
  }
  sample.classCount = sample.classWeight.map((weight, k) => (weight ? weight ** 2 / squares[k] : 0));
  sample.totalWeight = sample.classWeight.reduce((sum, weight) => sum + weight, 0);
  const { classWeight, classCount, totalWeight } = sample;
  sample.own = { classWeight, classCount, totalWeight };
  countGroups(rows);
}

view(null);
