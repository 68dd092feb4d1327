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

// Decision j is cheapest where Σ_k (λ_kj − λ_kr) p_k ≤ 0 for every r: a convex polygon.
export function region(costs, j) {
  let polygon = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let r = 0; r < 3; r += 1) {
    if (r !== j)
      polygon = clip(
        polygon,
        [0, 1, 2].map((k) => costs[3 * k + j] - costs[3 * k + r]),
      );
  }
  return polygon;
}
