/**
 * What `npm test` alone may use for each operation of the contract, in the mean. Seconds differ between machines; these
 * do not, and nearly all seconds come from them. How to raise one: CONTRIBUTING.md, Tests.
 */
export const budget: Readonly<Record<string, number>> = {
  requests: 170,
  servers: 3.9,
  databases: 1.21,
  processes: 2.6,
};
