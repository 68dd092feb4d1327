// What the reader has chosen, in the address of the page: a link shows the same to someone else.

import { models, best, nClasses, errorCells, surfaces } from "./data.js";
import { attributes } from "./sample.js";
import { state, update, onChange, equalCosts } from "./state.js";
import { byId } from "./elements.js";

const PAUSE = 250; // milliseconds: browsers limit how often an address may change

const FIRST = { axes: state.axes, rateAxes: state.rateAxes, turned: state.turned };
const rounded = (value) => Number(value.toFixed(3));

// Only what differs from the start: "model=1&costs=6:100&slice=0.1&shares=0.5,0.3,0.2&refer=0.2".
export function written() {
  const parts = [];
  if (state.model !== best) parts.push(`model=${state.model}`);
  if (state.byLimits)
    parts.push(`limits=${[...state.limits].map(([d, rate]) => `${errorCells[d]}:${rate}`)}`);
  const costs = errorCells.filter((cell) => state.costs[cell] !== 1);
  if (costs.length && !state.byLimits) parts.push(`costs=${costs.map((cell) => `${cell}:${state.costs[cell]}`)}`);
  if (state.slice) parts.push(`slice=${state.slice.join(".")}`);
  if (state.shares) parts.push(`shares=${state.shares.map((each) => Number(each.toPrecision(8)))}`);
  if (state.refer !== null) parts.push(`refer=${state.refer}`);
  if (state.cut) parts.push(`cut=${state.cut.k}:${Number(state.cut.t.toPrecision(9))}`);
  if (state.selected !== null) parts.push(`cell=${state.selected}`);
  for (const key of ["axes", "rateAxes", "turned"])
    if (`${state[key]}` !== `${FIRST[key]}`) parts.push(`${key}=${state[key].map(rounded)}`);
  if (state.sorted) parts.push("sorted=1");
  if (state.search) parts.push(`search=${encodeURIComponent(state.search)}`);
  return parts.join("&");
}

const usable = (value) => Number.isFinite(value) && value >= 0;

function costsFrom(text) {
  const costs = equalCosts();
  for (const pair of (text ?? "").split(",").filter(Boolean)) {
    const [cell, cost] = pair.split(":").map(Number);
    if (errorCells.includes(cell) && usable(cost)) costs[cell] = cost;
  }
  return costs.some((each) => each > 0) ? costs : equalCosts();
}

function sharesFrom(text) {
  const shares = (text ?? "").split(",").map(Number);
  const sum = shares.reduce((a, b) => a + b, 0);
  const known = shares.length === nClasses && shares.every((each) => each > 0 && each < 1);
  return known && Math.abs(sum - 1) < 1e-3 ? shares.map((each) => each / sum) : null;
}

function sliceFrom(text) {
  const [a, s] = (text ?? "").split(".").map(Number);
  return attributes[a]?.slices[s] === undefined ? null : [a, s];
}

// Limits on rates; without any the point with the least total error is taken.
function limitsFrom(text) {
  const pairs = (text ?? "").split(",").map((pair) => pair.split(":").map(Number));
  const known = pairs.map(([cell, rate]) => [errorCells.indexOf(cell), rate]);
  return new Map(known.filter(([d, rate]) => d >= 0 && rate >= 0 && rate < 1));
}

// As many numbers as at the start; places of classes among those there are.
function numbersFrom(text, key) {
  const found = (text ?? "").split(",").map(Number);
  const place = (each) => Number.isInteger(each) && each >= 0 && each < nClasses;
  const usableOnes = key === "turned" ? found.every(Number.isFinite) : found.every(place);
  return text && found.length === FIRST[key].length && usableOnes ? found : FIRST[key];
}

// The threshold may be infinite: then nobody is classified as the class.
function cutFrom(text) {
  const [k, t] = (text ?? "").split(":").map(Number);
  return Number.isInteger(k) && k >= 0 && k < nClasses && t >= 0 ? { k, t: Math.fround(t) } : null;
}

// What cannot be read is left as it is at the start.
export function read(text) {
  const given = new URLSearchParams(text);
  const model = given.has("model") ? Number(given.get("model")) : best;
  const refer = given.has("refer") ? Number(given.get("refer")) : null;
  const cell = given.has("cell") ? Number(given.get("cell")) : null;
  const last = nClasses * (nClasses + (refer === null ? 0 : 1));
  return {
    model: models[model] === undefined ? best : model,
    costs: costsFrom(given.get("costs")),
    slice: sliceFrom(given.get("slice")),
    shares: sharesFrom(given.get("shares")),
    refer: refer !== null && usable(refer) ? refer : null,
    cut: cutFrom(given.get("cut")),
    byLimits: given.has("limits") && surfaces.length > 0,
    limits: limitsFrom(given.get("limits")),
    axes: numbersFrom(given.get("axes"), "axes"),
    rateAxes: numbersFrom(given.get("rateAxes"), "rateAxes"),
    turned: numbersFrom(given.get("turned"), "turned"),
    sorted: given.get("sorted") === "1",
    search: given.get("search") ?? "",
    selected: Number.isInteger(cell) && cell >= 0 && cell < last ? cell : null,
    focused: -1,
  };
}

const told = () => location.hash.slice(1);
const holdsState = (text) => /^(model|limits|costs|slice|shares|refer|cut|cell|axes|rateAxes|turned|sorted|search)=/.test(text);

export function atStart() {
  return read(holdsState(told()) ? told() : "");
}

// The address follows the reader; a section that was jumped to stays in it until something changes.
export function startAddress() {
  let waiting;
  let last = holdsState(told()) ? told() : "";
  onChange(() => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (written() === last) return;
      last = written();
      history.replaceState(null, "", last ? `#${last}` : location.pathname + location.search);
    }, PAUSE);
  });
  addEventListener("hashchange", () => {
    if (!holdsState(told())) return;
    last = told();
    const chosen = read(last);
    byId("model").value = String(chosen.model);
    update(chosen);
  });
}
