// What every model would cost if it decided by these costs, next to always choosing one class.
// Costs that follow from limits have no scale, so the box is hidden then.

import { page, models, placeOf } from "./data.js";
import { state, setting, update, onChange } from "./state.js";
import { quantileOf } from "./chance.js";
import { constantCost, difference } from "./outcome.js";
import { differenceOfAll } from "./whole.js";
import { sample } from "./sample.js";
import { make, nameOf, byId, percent, shareText } from "./elements.js";

export function costText(cost) {
  if (Number.isNaN(cost)) return "–";
  return cost >= 1000 || (cost > 0 && cost < 0.001)
    ? cost.toExponential(2)
    : cost.toFixed(cost < 10 ? 4 : 2);
}

const TITLES = ["Model", "Cost per case", "Relative", "Saved", "Decided", "Predicted", "Difference"];

function modelRow(name, m) {
  const colour = `model-${placeOf(m) % 6}`;
  const [bar, key] = ["bar", "key"].map((kind) => make("span", { className: `${kind} ${colour}` }));
  for (const each of [bar, key]) each.setAttribute("aria-hidden", "true");
  const [cost, saved, decided, promised, apart] = TITLES.filter((each) => /^[CSDP]/.test(each)).map(
    (title) => make("td", { className: "number", "data-label": title }),
  );
  const title = make("th", { scope: "row" }, key, nameOf(name));
  const bars = make("td", { className: "bars" }, bar);
  const row = make("tr", {}, title, cost, bars, saved, decided, promised, apart);
  row.addEventListener("click", () => {
    byId("model").value = String(m);
    update({ model: m, focused: -1 });
  });
  return { row, bar, cost, saved, decided, promised, apart };
}

// Cost of a model less that of the chosen one, with its interval below if there is one.
function showApart(cell, m) {
  if (m === state.model) {
    cell.replaceChildren("chosen");
    return;
  }
  const [one, other] = [state.results[m].decided, state.results[state.model].decided];
  const { value, error, freedom } = sample.all
    ? differenceOfAll(m, state.model)
    : difference(one, other, setting());
  const reach = quantileOf(page.level, freedom) * error;
  const limits = [value - reach, value + reach].map(signed).join(" to ");
  cell.replaceChildren(signed(value), ...(error > 0 ? [make("small", { textContent: limits })] : []));
}

function signed(value) {
  if (Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  const plain = size < 0.001 && state.results[state.model].cost > 0.001;
  const text = plain ? size.toFixed(4) : costText(size);
  return `${value < 0 ? "−" : "+"}${text}`;
}

function fillRow({ row, bar, cost, saved, decided, promised, apart }, m, reference, least) {
  const { cost: own, coverage, promise } = state.results[m];
  cost.textContent = costText(own);
  const share = reference > 0 ? Math.min(1, own / reference) : 0;
  bar.style.width = percent(share || 0).replace("\u00a0", "");
  saved.textContent = reference > 0 ? percent(1 - own / reference) : "–";
  decided.textContent = shareText(coverage);
  promised.textContent = costText(promise.expected);
  showApart(apart, m);
  row.classList.toggle("least", own === least);
  row.classList.toggle("chosen", m === state.model);
}

// What the column of differences shows: with one case of a class there is no standard error.
function apartText(rows) {
  const others = rows.filter((_, m) => m !== state.model);
  if (!others.length) return "";
  const shown = others.filter(({ apart }) => apart.querySelector("small")).length;
  const interval = `with its ${Number((100 * page.level).toPrecision(6))}\u00a0% interval`;
  const where = shown < others.length ? " where it has a standard error" : "";
  const told = shown ? `, ${interval}${where}` : "; without a standard error it has no interval";
  return ` The difference is from the chosen model on the same cases${told}.`;
}

function constantText(reference, refer, rows) {
  const alike = refer === null ? "Always choosing one class" : "Deciding or referring all cases alike";
  return `${alike} costs at least ${costText(reference)} per case; “saved” is relative to that.${apartText(rows)}`;
}

export function startModelCosts() {
  const rows = models.map(modelRow);
  const head = make("tr");
  for (const title of TITLES) {
    const className = /^[CSDP]/.test(title) ? "number" : "";
    head.append(make("th", { scope: "col", textContent: title, className }));
  }
  const table = make(
    "table",
    { className: "model-costs stacked" },
    make("thead", {}, head),
    make("tbody", {}, ...rows.map(({ row }) => row)),
  );
  const constant = make("p", { className: "muted" });
  const scroll = make("div", { className: "scroll", tabIndex: 0, role: "region" }, table);
  scroll.setAttribute("aria-labelledby", "model-costs-heading");
  byId("model-costs").append(scroll, constant);
  if (models.length < 2) table.classList.add("alone");
  onChange((changes) => {
    if ("byLimits" in changes) byId("model-costs").parentElement.hidden = state.byLimits;
    if (!changes.decided && !("model" in changes)) return;
    const chosen = setting();
    const reference = constantCost(chosen);
    const least = Math.min(...state.results.map(({ cost }) => cost));
    table.classList.toggle("referring", chosen.refer !== null);
    rows.forEach((row, m) => fillRow(row, m, reference, least));
    constant.textContent = constantText(reference, chosen.refer, rows);
  });
}
