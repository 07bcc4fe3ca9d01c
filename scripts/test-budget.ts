/**
 * What the whole of `npm test` may use for each operation of the contract, in the mean. Seconds differ between machines; these
 * do not, and nearly all seconds come from them. How to raise one: CONTRIBUTING.md, Tests.
 */
export const budget: Readonly<Record<string, number>> = {
  requests: 288,
  servers: 6.9,
  databases: 1.65,
  processes: 10.4,
};
