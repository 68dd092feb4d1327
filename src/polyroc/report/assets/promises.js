// Whether decisions cost what the probabilities predict: costs take probabilities at face value.

import { alpha, models } from "./data.js";
import { state, onChange } from "./state.js";
import { byId, pText } from "./elements.js";
import { costText } from "./model_costs.js";

export function promiseText(model) {
  const { expected, observed, difference, error, p } = state.results[model].promise;
  if (Number.isNaN(observed))
    return "There are no cases of some class in view, so that costs at the chosen shares are unknown.";
  const numbers = `the probabilities of ${models[model]} predict a cost of ${costText(expected)} per case, and the decisions cost ${costText(observed)}`;
  if (!(error > 0)) return `${numbers[0].toUpperCase()}${numbers.slice(1)}.`;
  const apart = `${costText(Math.abs(difference))} ${difference > 0 ? "more" : "less"} (standard error ${costText(error)}, ${pText(p)})`;
  return p <= alpha
    ? `Miscalibrated at these costs: ${numbers}, ${apart}. See polyroc.calibration.Recalibrated.`
    : `No sign of miscalibration at these costs: ${numbers}, ${apart}.`;
}

export function startPromises() {
  const told = byId("explorer-calibration");
  onChange((changes) => {
    if (!changes.decided && !("model" in changes)) return;
    told.hidden = state.byLimits;
    told.textContent = promiseText(state.model);
    told.classList.toggle("refused", state.results[state.model].promise.p <= alpha);
  });
}
