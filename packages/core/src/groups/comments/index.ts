export * from "./comments.ts";
export { CommentTarget, type DiscussedKind } from "./discussed.ts";
export * from "./schemas.ts";
