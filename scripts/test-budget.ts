/**
 * What the whole of `npm test` may use for each operation of the contract, in the mean. Seconds differ between machines; these
 * do not, and nearly all seconds come from them. How to raise one: CONTRIBUTING.md, Tests.
 */
export const budget: Readonly<Record<string, number>> = {
  requests: 300,
  servers: 7,
  databases: 1.7,
  processes: 11,
};
