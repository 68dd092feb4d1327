// Limits on error rates: of the points of the surface that meet them, the one with the least total
// error is taken, and its costs become those of the explorer.

import { classes, nClasses, surfaces, errorCells, classWeight, totalWeight } from "./data.js";
import { state, update, onChange } from "./state.js";
import { make, nameOf, byId, percent, selectOf } from "./elements.js";
import { sliderRow } from "./controls.js";

const LIMIT_RANGE = {
  min: 0,
  max: 100,
  step: 0.5,
  most: 100,
  toValue: (step) => step,
  toStep: (value) => value,
  say: (value) => (value >= 100 ? "no limit" : `at most ${value} %`),
  text: (value) => String(value),
};

// Index of the point, or a sentence that tells why there is none.
export function choose(surface, given) {
  const D = errorCells.length;
  let best = -1;
  let least = Infinity;
  const lowest = new Map([...given.keys()].map((d) => [d, Infinity]));
  for (let point = 0; point < surface.costs.length / D; point += 1) {
    let total = 0;
    let kept = true;
    for (let d = 0; d < D; d += 1) {
      const weight = surface.tables[point * D + d];
      total += weight;
      if (!given.has(d)) continue;
      const rate = weight / classWeight[Math.floor(errorCells[d] / nClasses)];
      lowest.set(d, Math.min(lowest.get(d), rate));
      if (rate > given.get(d)) kept = false;
    }
    if (kept && total < least) [best, least] = [point, total];
  }
  return { best, lowest, error: least / totalWeight };
}

function pointCosts(surface, point) {
  const D = errorCells.length;
  const costs = new Float64Array(nClasses * nClasses);
  // Three digits came from Python; single precision has blurred what follows them.
  errorCells.forEach((cell, d) => {
    costs[cell] = Number(surface.costs[point * D + d].toPrecision(3));
  });
  return costs;
}

function pairText(d) {
  const cell = errorCells[d];
  return `${classes[Math.floor(cell / nClasses)]} → ${classes[cell % nClasses]}`;
}

function apply(message) {
  const surface = surfaces[state.model];
  const { limits } = state;
  const { best, lowest } = choose(surface, limits);
  message.classList.toggle("refused", best < 0);
  if (best >= 0) {
    const number = (surface.costs.length / errorCells.length).toLocaleString("en");
    message.textContent = `Of the ${number} operating points in this page, the one with the least total error${limits.size ? " within these limits" : ""}.`;
    update({ costs: pointCosts(surface, best) });
    return;
  }
  const parts = [...lowest].map(([d, rate]) => `${pairText(d)}: ${percent(rate)}`);
  message.textContent = `No operating point in this page meets all limits. The lowest rate that each reaches by itself: ${parts.join(", ")}.`;
}

function setLimit(d, value) {
  const limits = new Map(state.limits);
  if (value >= 100) limits.delete(d);
  else limits.set(d, value / 100);
  update({ limits });
}

function limitRow(d) {
  const [truth, decided] = [Math.floor(errorCells[d] / nClasses), errorCells[d] % nClasses];
  const label = make(
    "label",
    {},
    nameOf(classes[truth]),
    " → ",
    nameOf(classes[decided]),
    " at most %",
  );
  const built = sliderRow(`limit-${errorCells[d]}`, label, LIMIT_RANGE, (value) =>
    setLimit(d, value),
  );
  const percentOf = (rate) => Number((100 * rate).toPrecision(12));
  const show = () => built.show(state.limits.has(d) ? percentOf(state.limits.get(d)) : 100);
  show();
  return { row: built.row, show };
}

// All limits for few classes; otherwise those of one true class at a time. Returns what shows them.
function buildRows(place) {
  const every = nClasses <= 4;
  const box = make("div");
  let rows = [];
  const build = (truth) => {
    rows = errorCells
      .map((cell, d) => [cell, d])
      .filter(([cell]) => every || Math.floor(cell / nClasses) === truth)
      .map(([, d]) => limitRow(d));
    box.replaceChildren(...rows.map(({ row }) => row));
  };
  build(0);
  if (!every) place.append(selectOf("limit-truth", "Truth", classes, 0, build));
  place.append(box);
  return () => rows.forEach(({ show }) => show());
}

export function startLimits() {
  if (!surfaces.length) return;
  const box = byId("limit-controls");
  const message = make("p", { className: "muted", id: "limit-message", role: "status" });
  const show = buildRows(box);
  box.append(message);
  for (const radio of document.querySelectorAll("input[name=mode]")) {
    radio.addEventListener("change", () => update({ byLimits: byId("mode-limits").checked }));
  }
  onChange((changes) => {
    if ("byLimits" in changes) {
      byId("mode-limits").checked = state.byLimits;
      document.querySelector("input[name=mode][value=costs]").checked = !state.byLimits;
      box.hidden = !state.byLimits;
      byId("cost-controls").hidden = state.byLimits;
    }
    if ("limits" in changes) show();
    if (state.byLimits && ["byLimits", "limits", "model"].some((each) => each in changes))
      apply(message);
  });
}
