// Sliders for the cost of each confusion. A slider is logarithmic, from 1/100 to 100; the number
// beside it takes any cost, so that costs can be typed and compared with those of a program.

import { page, classes, nClasses, classWeight, totalWeight, errorCells } from "./data.js";
import { state, update, onChange, equalCosts, withCost } from "./state.js";
import { make, nameOf, byId, short, selectOf } from "./elements.js";

const MOST_CLASSES = 4; // beyond, one confusion at a time is chosen
const STEPS = 60; // of a slider on either side of 1

const costOf = (step) => Number((10 ** (step / (STEPS / 2))).toPrecision(3));
const stepOf = (cost) =>
  cost > 0 ? Math.max(-STEPS, Math.min(STEPS, Math.round((Math.log10(cost) * STEPS) / 2))) : -STEPS;

// A slider and a number that move together; `id` is unique on the page.
export function sliderRow(id, label, range, onInput) {
  const slider = make("input", {
    type: "range",
    id,
    min: String(range.min),
    max: String(range.max),
    step: String(range.step),
  });
  const number = make("input", { type: "number", id: `${id}-number`, min: "0", step: "any" });
  number.setAttribute("aria-label", `${label.textContent}, as a number`);
  slider.addEventListener("input", () => onInput(range.toValue(Number(slider.value))));
  number.addEventListener("input", () => {
    const value = number.valueAsNumber;
    const usable = Number.isFinite(value) && value >= (range.least ?? 0) && value <= (range.most ?? Infinity);
    number.setAttribute("aria-invalid", String(!usable));
    if (usable) onInput(value);
  });
  label.htmlFor = id;
  const row = make("div", { className: "slider-row" }, label, slider, number);
  const show = (value) => {
    slider.value = String(range.toStep(value));
    slider.setAttribute("aria-valuetext", range.say(value));
    // What is being typed is left alone: "0." must not turn into "0" under the fingers.
    if (document.activeElement !== number) number.value = range.text(value);
  };
  return { row, show };
}

export const COST_RANGE = {
  min: -STEPS,
  max: STEPS,
  step: 1,
  toValue: costOf,
  toStep: stepOf,
  say: (cost) => `cost ${short(cost)}`,
  text: (cost) => String(cost),
};

function costLabel(cell) {
  const [truth, decided] = [Math.floor(cell / nClasses), cell % nClasses];
  return make("label", {}, nameOf(classes[truth]), " → ", nameOf(classes[decided]));
}

// Costs must not all be 0: then every decision would be as good.
function setCost(cell, cost) {
  const costs = withCost(cell, cost);
  if (costs.some((each) => each > 0)) update({ costs });
}

function allSliders(box) {
  const rows = errorCells.map((cell) => {
    const range = sliderRow(`cost-${cell}`, costLabel(cell), COST_RANGE, (cost) =>
      setCost(cell, cost),
    );
    return { cell, ...range };
  });
  const explained = make("p", {
    className: "muted",
    textContent: "Truth → decision. The default cost is 1.",
  });
  box.append(explained, ...rows.map(({ row }) => row));
  return () => rows.forEach(({ cell, show }) => show(state.costs[cell]));
}

// Many classes: the reader picks truth and decision, and sees which costs differ from 1.
function chosenSlider(box) {
  let [truth, decided] = page.first;
  const place = make("div");
  const changed = make("ul", { className: "changed" });
  let show = () => {};
  const rebuild = () => {
    const cell = truth * nClasses + decided;
    if (truth === decided) {
      place.replaceChildren(
        make("p", { className: "muted", textContent: "A correct decision costs nothing." }),
      );
      show = () => {};
      return;
    }
    const built = sliderRow("cost-chosen", costLabel(cell), COST_RANGE, (cost) =>
      setCost(cell, cost),
    );
    place.replaceChildren(built.row);
    show = () => built.show(state.costs[cell]);
    show();
  };
  const pick = (change) => {
    change();
    rebuild();
  };
  box.append(
    selectOf("cost-truth", "Truth", classes, truth, (k) =>
      pick(() => {
        truth = k;
      }),
    ),
    selectOf("cost-decided", "Decision", classes, decided, (k) =>
      pick(() => {
        decided = k;
      }),
    ),
    place,
    changed,
  );
  rebuild();
  return () => {
    show();
    const others = errorCells.filter((cell) => state.costs[cell] !== 1);
    const items = others
      .slice(0, 12)
      .map((cell) =>
        make(
          "li",
          {},
          nameOf(classes[Math.floor(cell / nClasses)]),
          " → ",
          nameOf(classes[cell % nClasses]),
          `: ${short(state.costs[cell])}`,
        ),
      );
    if (others.length > 12)
      items.push(make("li", { textContent: `and ${others.length - 12} more` }));
    changed.replaceChildren(...items);
  };
}

// Errors on a class cost more the rarer it is, so that all classes count alike.
function balancedCosts() {
  const costs = equalCosts();
  for (const cell of errorCells) {
    const share = classWeight[Math.floor(cell / nClasses)] / totalWeight;
    costs[cell] = Number((1 / (nClasses * share)).toPrecision(3));
  }
  return costs;
}

export function startControls() {
  const box = byId("cost-controls");
  const buttons = make(
    "p",
    { className: "buttons" },
    make("button", {
      type: "button",
      id: "equal",
      textContent: "All equal",
      onclick: () => update({ costs: equalCosts() }),
    }),
    make("button", {
      type: "button",
      id: "balanced",
      textContent: "By rarity",
      onclick: () => update({ costs: balancedCosts() }),
    }),
  );
  const show = nClasses <= MOST_CLASSES ? allSliders(box) : chosenSlider(box);
  box.append(buttons);
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  const model = byId("model");
  model.addEventListener("change", () => update({ model: Number(model.value), focused: -1 }));
  onChange((changes) => {
    if ("costs" in changes) show();
  });
}
