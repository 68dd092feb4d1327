// What the cases do not say: which of them to look at, how frequent the classes are in practice, and
// whether a case may be referred to a person.

import { classes, nClasses, classWeight, totalWeight } from "./data.js";
import { attributes, sample } from "./sample.js";
import { decisionOf } from "./decide.js";
import { state, update, onChange } from "./state.js";
import { make, nameOf, byId, selectOf, short } from "./elements.js";
import { sliderRow, COST_RANGE } from "./controls.js";

const MOST_CLASSES = 4; // beyond, the share of one class at a time is set
const LEAST_SHARE = 0.1; // percent
const FIRST_REFERRAL = 0.2;

export const observed = Array.from(classWeight, (weight) => weight / totalWeight);

// Those of the cases in view, where it has cases of every class.
function present() {
  const own = Array.from(sample.classWeight, (weight) => weight / sample.totalWeight);
  return own.every((share) => share > 0) ? own : observed;
}

// The share of one class is moved; the others keep their proportions.
export function moved(shares, k, share) {
  const rest = 1 - shares[k];
  return shares.map((each, j) => (j === k ? share : (each * (1 - share)) / rest));
}

// "site = north", or null where all cases are in view.
export function sliceText(slice) {
  return slice ? `${attributes[slice[0]].name} = ${attributes[slice[0]].slices[slice[1]]}` : null;
}

export function startSlices() {
  if (!attributes.length) return;
  const select = byId("slice");
  attributes.forEach(({ name, slices, numbers }, a) => {
    const counts = new Uint32Array(slices.length);
    for (const number of numbers) counts[number] += 1;
    const options = slices.map((slice, s) =>
      make("option", {
        value: `${a},${s}`,
        textContent: `${slice} (${counts[s].toLocaleString("en")})`,
      }),
    );
    select.append(make("optgroup", { label: name }, ...options));
  });
  select.addEventListener("change", () => {
    const slice = select.value ? select.value.split(",").map(Number) : null;
    update({ slice, focused: -1 });
  });
  onChange((changes) => {
    if ("slice" in changes) select.value = state.slice ? state.slice.join(",") : "";
  });
}

const SHARE_RANGE = {
  min: LEAST_SHARE,
  max: 100 - LEAST_SHARE,
  step: 0.1,
  least: LEAST_SHARE,
  most: 100 - LEAST_SHARE,
  toValue: (step) => step,
  toStep: (value) => value,
  say: (value) => `${short(value)} % of cases`,
  text: (value) => String(Number(value.toPrecision(4))),
};

function shareRow(id, k) {
  const label = make("label", {}, nameOf(classes[k]), " %");
  const built = sliderRow(id, label, SHARE_RANGE, (value) =>
    update({ shares: moved(state.shares ?? present(), k, value / 100) }),
  );
  return { row: built.row, show: () => built.show(100 * (state.shares ?? present())[k]) };
}

function shareRows(place) {
  if (nClasses <= MOST_CLASSES) {
    const rows = classes.map((_, k) => shareRow(`share-${k}`, k));
    place.append(...rows.map(({ row }) => row));
    return () => rows.forEach(({ show }) => show());
  }
  let chosen = shareRow("share-chosen", 0);
  const row = make("div", {}, chosen.row);
  const pick = (k) => {
    chosen = shareRow("share-chosen", k);
    row.replaceChildren(chosen.row);
    chosen.show();
  };
  place.append(selectOf("share-class", "Class", classes, 0, pick), row);
  return () => chosen.show();
}

function sharesText() {
  if (state.shares)
    return "Probabilities are re-weighted by Bayes’ rule, and costs are those for these shares.";
  const shares = present();
  const slice = sliceText(state.slice);
  const whose = slice && shares !== observed ? `the cases of ${slice}` : "all cases";
  const lacking = slice && shares === observed ? `; ${slice} lacks a class` : "";
  return `As among ${whose}${lacking}. Moving one share keeps the proportions of the others.`;
}

export function startShares() {
  const box = byId("shares");
  const told = make("p", { className: "muted" });
  const show = shareRows(box);
  const reset = make("button", {
    type: "button",
    id: "observed-shares",
    textContent: "As observed",
    onclick: () => update({ shares: null }),
  });
  box.append(make("p", { className: "buttons" }, reset), told);
  onChange((changes) => {
    if (!("shares" in changes || "slice" in changes)) return;
    show();
    if (state.shares) box.parentElement.open = true;
    told.textContent = sharesText();
  });
}

export function startReferrals() {
  const box = byId("referral");
  const may = byId("may-refer");
  const label = make("label", { textContent: "Cost of referring a case" });
  const built = sliderRow("refer-cost", label, COST_RANGE, (refer) => update({ refer }));
  box.append(built.row);
  let last = FIRST_REFERRAL;
  may.addEventListener("change", () => {
    const gone = state.selected !== null && decisionOf(state.selected) === nClasses;
    update({ refer: may.checked ? last : null, ...(gone ? { selected: null } : {}) });
  });
  onChange((changes) => {
    if (!("refer" in changes)) return;
    may.checked = state.refer !== null;
    built.row.hidden = state.refer === null;
    if (state.refer === null) return;
    last = state.refer;
    built.show(state.refer);
  });
}

export function startPractice() {
  startSlices();
  startShares();
  startReferrals();
  onChange((changes) => {
    if ("byLimits" in changes || "cut" in changes)
      byId("practice").hidden = state.byLimits || state.cut !== null;
  });
}
