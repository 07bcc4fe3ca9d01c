/** Shared by the two registries for tests: the server in the test's process, and the light one of the client. */
export { type Fault, type FaultOptions, Faults } from "./faults.ts";
export { fetchFrom, type SentRequest } from "./fetch.ts";
export type { CalledOperation } from "./operations.ts";
export type { WebFetch } from "./web.ts";
