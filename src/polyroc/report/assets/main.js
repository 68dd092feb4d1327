// Starts the explorer, and sums up in one sentence what is decided.

import { classes, nClasses, models, errorCells, weights } from "./data.js";
import { countedCases } from "./whole.js";
import { sample } from "./sample.js";
import { state, setting, update, onChange } from "./state.js";
import { byId, shareText, amount, plural, spoken } from "./elements.js";
import { startControls } from "./controls.js";
import { startPractice, sliceText } from "./practice.js";
import { startLimits } from "./limits.js";
import { startConfusion } from "./confusion.js";
import { startCaseList } from "./case_list.js";
import { startSimplex } from "./simplex.js";
import { startSurfaceView } from "./surface_view.js";
import { startModelCosts, costText } from "./model_costs.js";
import { startPromises } from "./promises.js";
import { startExport } from "./export.js";
import { atStart, startAddress } from "./address.js";
import { startSharing } from "./sharing.js";
import { startRoc, cutText } from "./roc.js";
import { startPairs } from "./pairs.js";

const PAUSE = 500; // milliseconds of rest before a screen reader is told

// Which cases the sentence is about, where it is not about all as they are.
function scope() {
  const { shares, cut } = setting();
  const count = plural(sample.rows.length, "case");
  const parts = [
    ...(state.slice ? [`for ${sliceText(state.slice)} (${count})`] : []),
    ...(cut ? [`with ${spoken(classes[cut.k])} where ${cutText(cut)}`] : []),
    ...(shares ? ["at the chosen shares of the classes"] : []),
  ].join(", ");
  return parts ? `${parts[0].toUpperCase()}${parts.slice(1)}: ` : "";
}

function worstError(table) {
  const worst = errorCells.reduce((a, b) => (table[b] > table[a] ? b : a));
  return table[worst]
    ? `Most frequent error: ${weights ? `weight ${amount(table[worst])}` : plural(table[worst], "case")} of ${spoken(classes[Math.floor(worst / nClasses)])} classified as ${spoken(classes[worst % nClasses])}.`
    : "No errors.";
}

function sentence() {
  const { table, cost, coverage, risk, correct } = state.results[state.model];
  const name = `${scope()}${models[state.model]}`;
  const ofCases = `of cases${weights ? " by weight" : ""}`;
  const among = countedCases() ? ` (of ${countedCases()})` : "";
  const error = worstError(table);
  const price = (each) => (state.byLimits ? "" : `, at a cost of ${costText(each)} per case`);
  if (setting().refer === null)
    return `${name} classifies ${shareText(correct)} ${ofCases} correctly${among}${price(cost)}. ${error}`;
  const all = `${name} decides ${shareText(coverage)} ${ofCases}${among} and refers the others`;
  if (!coverage) return `${all}${price(cost)}.`;
  return `${all}${price(cost)}. Of those decided it classifies ${shareText(correct)} correctly${price(risk)}. ${error}`;
}

function startSummary() {
  let waiting;
  onChange((changes) => {
    if (changes.spoken) {
      clearTimeout(waiting); // what was waiting to be said is older
      byId("explorer-live").textContent = changes.spoken;
    }
    if (!changes.decided && !("model" in changes)) return;
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

startRoc();
startPairs();
if (models.length) {
  for (const start of [
    startControls,
    startPractice,
    startLimits,
    startConfusion,
    startCaseList,
    startSimplex,
    startSurfaceView,
    startModelCosts,
    startPromises,
    startExport,
    startSummary,
  ])
    start();
  redrawWhenNeeded();
  const chosen = atStart();
  byId("model").value = String(chosen.model);
  update(chosen);
  startAddress();
}
startSharing();
performance.mark("ready");
document.documentElement.dataset.ready = "true";
