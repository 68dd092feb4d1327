// What the reader has chosen, in the address of the page: a link shows the same to someone else.

import { models, best, nClasses, errorCells } from "./data.js";
import { attributes } from "./sample.js";
import { state, update, onChange, equalCosts } from "./state.js";
import { byId } from "./elements.js";

const PAUSE = 250; // milliseconds: browsers limit how often an address may change

// Only what differs from the start: "model=1&costs=6:100&slice=0.1&shares=0.5,0.3,0.2&refer=0.2".
export function written() {
  const parts = [];
  if (state.model !== best) parts.push(`model=${state.model}`);
  const costs = errorCells.filter((cell) => state.costs[cell] !== 1);
  if (costs.length) parts.push(`costs=${costs.map((cell) => `${cell}:${state.costs[cell]}`)}`);
  if (state.slice) parts.push(`slice=${state.slice.join(".")}`);
  if (state.shares) parts.push(`shares=${state.shares.map((each) => Number(each.toPrecision(8)))}`);
  if (state.refer !== null) parts.push(`refer=${state.refer}`);
  if (state.selected !== null) parts.push(`cell=${state.selected}`);
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
    selected: Number.isInteger(cell) && cell >= 0 && cell < last ? cell : null,
    focused: -1,
  };
}

const told = () => decodeURIComponent(location.hash.slice(1));
const holdsState = (text) => /^(model|costs|slice|shares|refer|cell)=/.test(text);

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
      if (state.byLimits || written() === last) return;
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
