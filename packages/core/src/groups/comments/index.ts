export * from "./comments.ts";
export { CommentTarget, type DiscussedKind, ShownTarget } from "./discussed.ts";
export * from "./schemas.ts";
