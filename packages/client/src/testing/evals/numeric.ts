// Sums of weights, scores and costs are exact on the server: PostgreSQL's numeric(30, 20). Here they are whole numbers of 1e-20.

/** A number that is not negative, as the database converts it: 15 digits of it, and 20 places. */
export function decimalOf(value: number): bigint {
  const [digits = "", exponent = ""] = value.toExponential(14).split("e");
  // It rounds a half to even, and `toExponential` rounds it up.
  // oxlint-disable-next-line oxc/number-arg-out-of-range -- It takes up to 100.
  const isHalf = /^.{16}50*e/.test(value.toExponential(99));
  const rounded = BigInt(digits.replace(".", ""));
  const whole = isHalf ? rounded - (rounded % 2n) : rounded;
  const places = Number(exponent) + 6;
  return places >= 0 ? whole * 10n ** BigInt(places) : round(whole, 10n ** BigInt(-places));
}

/** The nearest number to a decimal with so many places. */
export const numberOf = (decimal: bigint, places = 20): number => Number(`${decimal}e-${places}`);

/** The quotient of two decimals, the first with so many places; null for a divisor of 0. It has as many digits as the database gives it. */
export function divide(dividend: bigint, divisor: bigint, places = 20): number | null {
  if (divisor === 0n) return null;
  const [one, other] = [leadingOf(dividend, places), leadingOf(divisor, 20)];
  const lead = one.power - other.power - (one.digit <= other.digit ? 1 : 0);
  const digits = Math.max(16 - lead * 4, places);
  return numberOf(round(dividend * 10n ** BigInt(digits + 20 - places), divisor), digits);
}

/** A half is rounded up. */
const round = (dividend: bigint, divisor: bigint) => (2n * dividend + divisor) / (2n * divisor);

/** The first digit to the base of 10,000, in which the database calculates, and its power. */
function leadingOf(decimal: bigint, places: number): { digit: number; power: number } {
  const text = String(decimal);
  const count = Math.ceil(text.length / 4);
  return { digit: Number(text.slice(0, text.length - 4 * (count - 1))), power: count - 1 - places / 4 };
}
