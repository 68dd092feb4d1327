// Student's t distribution, for tests and limits.

const PARTS = [
  76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155,
  0.1208650973866179e-2, -0.5395239384953e-5,
];

function logGamma(x) {
  let sum = 1.000000000190015;
  PARTS.forEach((part, j) => {
    sum += part / (x + j + 1);
  });
  const t = x + 5.5;
  return (x + 0.5) * Math.log(t) - t + Math.log((2.5066282746310005 * sum) / x);
}

// The continued fraction of the incomplete beta function, by Lentz's method.
function fraction(a, b, x) {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1) || tiny);
  let found = d;
  for (let m = 1; m < 5000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const step of [even, odd]) {
      d = 1 / (1 + step * d || tiny);
      c = 1 + step / c || tiny;
      found *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-13) break;
  }
  return found;
}

function incompleteBeta(a, b, x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  return x < (a + 1) / (a + b + 2)
    ? (front * fraction(a, b, x)) / a
    : 1 - (front * fraction(b, a, 1 - x)) / b;
}

// The probability that |t| is as large.
export function twoSided(t, freedom) {
  return Number.isFinite(t) ? incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t)) : NaN;
}

// The t that is exceeded on both sides together with probability 1 − level.
export function quantileOf(level, freedom) {
  if (!(freedom > 0)) return NaN;
  let [low, high] = [0, 1];
  while (twoSided(high, freedom) > 1 - level && high < 1e12) high *= 2;
  for (let step = 0; step < 80; step += 1) {
    const middle = (low + high) / 2;
    if (twoSided(middle, freedom) > 1 - level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
