// Starts the explorer, and sums up in one sentence what is decided.

import { page, classes, nClasses, nCases, models, errorCells, weights, totalWeight } from "./data.js";
import { state, update, onChange, equalCosts } from "./state.js";
import { byId, shareText, amount, plural, spoken } from "./elements.js";
import { startControls } from "./controls.js";
import { startLimits } from "./limits.js";
import { startConfusion } from "./confusion.js";
import { startCaseList } from "./case_list.js";
import { startSimplex } from "./simplex.js";
import { startSurfaceView } from "./surface_view.js";
import { startModelCosts, costText } from "./model_costs.js";
import { startExport } from "./export.js";

const PAUSE = 500; // milliseconds of rest before a screen reader is told

function sentence() {
  const { table, cost } = state.results[state.model];
  let right = 0;
  for (let k = 0; k < nClasses; k += 1) right += table[k * nClasses + k];
  const worst = errorCells.reduce((a, b) => (table[b] > table[a] ? b : a));
  const error = table[worst]
    ? `Most errors: ${weights ? `weight ${amount(table[worst])}` : plural(table[worst], "case")} of ${spoken(classes[Math.floor(worst / nClasses)])} classified as ${spoken(classes[worst % nClasses])}.`
    : "No errors.";
  const price = state.byLimits ? "" : `, at a cost of ${costText(cost)} per case`;
  const sample = page.cases.sampled ? ` (a sample of ${nCases.toLocaleString("en")} cases)` : "";
  return `${models[state.model]} classifies ${shareText(right / totalWeight)} of cases${weights ? " by weight" : ""} correctly${sample}${price}. ${error}`;
}

function startSummary() {
  let waiting;
  onChange((changes) => {
    if (changes.spoken) {
      clearTimeout(waiting); // what was waiting to be said is older
      byId("explorer-live").textContent = changes.spoken;
    }
    if (!changes.costs && !("model" in changes) && !("byLimits" in changes)) return;
    byId("explorer-summary").textContent = sentence();
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      byId("explorer-live").textContent = sentence();
    }, PAUSE);
  });
}

function redrawWhenNeeded() {
  const redraw = () => update({ redraw: true });
  for (const medium of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(medium).addEventListener("change", redraw);
  }
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) redraw();
    width = innerWidth;
  });
}

// What is folded away would be missing on paper.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});

if (models.length) {
  for (const start of [
    startControls,
    startLimits,
    startConfusion,
    startCaseList,
    startSimplex,
    startSurfaceView,
    startModelCosts,
    startExport,
    startSummary,
  ])
    start();
  redrawWhenNeeded();
  update({ costs: equalCosts(), model: 0, selected: null });
}
performance.mark("ready");
document.documentElement.dataset.ready = "true";
