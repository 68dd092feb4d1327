// The data of the page: JSON in a script element that is never run, arrays in it as base64.

export const page = JSON.parse(document.getElementById("page-data").textContent);

const TYPES = { Uint8Array, Uint16Array, Uint32Array, Float32Array, Float64Array };

export function unpack(packed) {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return new TYPES[packed.type](bytes.buffer);
}

export const classes = page.classes.map((name) => (name.trim() ? name : "(empty)"));
export const nClasses = classes.length;
export const models = page.models;
// The level of tests: intervals of 95 % go with tests at 5 %.
export const alpha = Number((1 - page.level).toPrecision(12));
export const best = page.best; // the model that the verdict names
// Colours of models are those of the whole page, also of models that cannot be chosen here.
export const placeOf = (model) => page.curves.names.indexOf(models[model]);
export const codes = unpack(page.cases.codes);
export const nCases = codes.length;
// Which cases the page counts, where it holds only some of those that were given; else empty.
const inWords = (count) => count.toLocaleString("en");
export const held = page.cases.drawn_from
  ? `the ${inWords(nCases)} of ${inWords(page.cases.drawn_from)} cases that this page contains`
  : "";
export const weights = page.cases.weights && unpack(page.cases.weights);
export const groups = page.cases.groups && unpack(page.cases.groups);
export const scores = page.cases.scores.map(unpack);
export const surfaces = page.surfaces.map((surface) => ({
  costs: unpack(surface.costs),
  tables: unpack(surface.tables),
  front: unpack(surface.front),
}));

const rows = page.cases.rows && unpack(page.cases.rows);

export const ids = page.cases.ids; // names of the cases, or null

// The name of a case, or else its position among those that the report was made from, from 0.
export function rowOf(i) {
  if (ids) return ids[i];
  return rows ? rows[i] : i;
}

// Positions of the errors in a K × K table, row by row, as Python keeps them.
export const errorCells = [];
for (let cell = 0; cell < nClasses * nClasses; cell += 1) {
  if (Math.floor(cell / nClasses) !== cell % nClasses) errorCells.push(cell);
}

// Weight and effective number of the cases of each class: (Σw)²/Σw², their number if unweighted.
export const classWeight = new Float64Array(nClasses);
export const classCount = new Float64Array(nClasses);
const squares = new Float64Array(nClasses);
for (let i = 0; i < nCases; i += 1) {
  const weight = weights ? weights[i] : 1;
  classWeight[codes[i]] += weight;
  squares[codes[i]] += weight * weight;
}
for (let k = 0; k < nClasses; k += 1) classCount[k] = classWeight[k] ** 2 / squares[k];
export const totalWeight = classWeight.reduce((sum, weight) => sum + weight, 0);
