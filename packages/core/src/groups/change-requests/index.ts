export * from "./change-requests.ts";
export { ChangeRequest, MergedChangeRequest } from "./schemas.ts";
