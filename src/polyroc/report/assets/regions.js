// Decision regions of three classes, as polygons in the triangle of probabilities.

// The part of the triangle where a linear form of the probabilities is at most 0.
function clip(polygon, form) {
  const value = (p) => p[0] * form[0] + p[1] * form[1] + p[2] * form[2];
  const kept = [];
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length];
    const [a, b] = [value(p), value(q)];
    if (a <= 0) kept.push(p);
    if ((a < 0 && b > 0) || (a > 0 && b < 0))
      kept.push(p.map((each, k) => each + (a / (a - b)) * (q[k] - each)));
  });
  return kept;
}

// The part where the probability of the class of a ROC curve is at least, or below, its threshold.
function cutOff(polygon, { k, t }, inside) {
  const [least, sign] = [Math.min(t, 2), inside ? 1 : -1];
  return clip(
    polygon,
    [0, 1, 2].map((i) => sign * (least - (i === k ? 1 : 0))),
  );
}

// Decision j is cheapest where Σ_k (λ_kj − λ_kr) p_k ≤ 0 for every r: a convex polygon. The table
// has n columns: one more than classes where cases may be referred.
export function region({ table, n, cut }, j) {
  let polygon = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  if (cut) polygon = cutOff(polygon, cut, j === cut.k);
  for (let r = 0; r < n; r += 1) {
    if (r !== j && (!cut || (r !== cut.k && j !== cut.k)))
      polygon = clip(
        polygon,
        [0, 1, 2].map((k) => table[n * k + j] - table[n * k + r]),
      );
  }
  return polygon;
}

// Of two classes: from and to which probability of the second one decision j is cheapest.
export function stretch({ table, n, cut }, j) {
  if (cut) {
    const least = Math.min(cut.t, 1); // of class k: from the right where it is the second
    const at = cut.k ? least : 1 - least;
    return j ? [at, 1] : [0, at];
  }
  let [from, to] = [0, 1];
  for (let r = 0; r < n; r += 1) {
    const [start, end] = [table[j] - table[r], table[n + j] - table[n + r]];
    if (start > 0 && end > 0) return [0, 0];
    if (start > 0) from = Math.max(from, start / (start - end));
    else if (end > 0) to = Math.min(to, start / (start - end));
  }
  return from < to ? [from, to] : [0, 0];
}
