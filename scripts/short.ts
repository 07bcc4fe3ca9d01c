/**
 * `SHORT=1` asks benchmarks and proofs for their short form: few rounds of little, which show that they start and print their
 * ratios. What they print means nothing then, so no ratio is held against its limit.
 */
export const isShort = process.env["SHORT"] === "1";
