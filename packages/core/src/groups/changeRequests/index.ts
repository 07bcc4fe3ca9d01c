export * from "./changeRequests.ts";
export { ChangeRequest, MergedChangeRequest } from "./schemas.ts";
