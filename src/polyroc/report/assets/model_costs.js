// What every model would cost if it decided by these costs, next to always choosing one class.
// Costs that follow from limits have no scale, so the box is hidden then.

import { models } from "./data.js";
import { state, update, onChange } from "./state.js";
import { constantCost } from "./decide.js";
import { make, nameOf, byId, percent } from "./elements.js";

export function costText(cost) {
  return cost >= 1000 || (cost > 0 && cost < 0.001)
    ? cost.toExponential(2)
    : cost.toFixed(cost < 10 ? 4 : 2);
}

export function startModelCosts() {
  const rows = models.map((name, m) => {
    const bar = make("span", { className: "bar" });
    bar.setAttribute("aria-hidden", "true");
    const cost = make("td", { className: "number" });
    const saved = make("td", { className: "number" });
    const row = make(
      "tr",
      {},
      make("th", { scope: "row" }, nameOf(name)),
      cost,
      make("td", { className: "bars" }, bar),
      saved,
    );
    row.addEventListener("click", () => {
      byId("model").value = String(m);
      update({ model: m, focused: -1 });
    });
    return { row, bar, cost, saved };
  });
  const head = make("tr");
  for (const title of ["Model", "Cost per case", "", "Saved"]) {
    head.append(
      make("th", {
        scope: "col",
        textContent: title,
        className: /^[CS]/.test(title) ? "number" : "",
      }),
    );
  }
  const table = make(
    "table",
    { className: "model-costs" },
    make("thead", {}, head),
    make("tbody", {}, ...rows.map(({ row }) => row)),
  );
  const constant = make("p", { className: "muted" });
  byId("model-costs").append(make("div", { className: "scroll" }, table), constant);
  onChange((changes) => {
    if ("byLimits" in changes) byId("model-costs").parentElement.hidden = state.byLimits;
    if (!changes.costs && !("model" in changes)) return;
    const reference = constantCost(state.costs);
    const least = Math.min(...state.results.map(({ cost }) => cost));
    rows.forEach(({ row, bar, cost, saved }, m) => {
      const own = state.results[m].cost;
      cost.textContent = costText(own);
      bar.style.width = percent(reference > 0 ? Math.min(1, own / reference) : 0).replace(
        "\u00a0",
        "",
      );
      saved.textContent = reference > 0 ? percent(1 - own / reference) : "–";
      row.classList.toggle("least", own === least);
      row.classList.toggle("chosen", m === state.model);
    });
    constant.textContent = `Always choosing one class costs at least ${costText(reference)} per case; “saved” is relative to that.`;
  });
}
