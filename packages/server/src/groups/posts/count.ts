import type { Sql } from "../../database/sql.ts";
import { countTags } from "../tags/index.ts";
import type { PostRow } from "./target.ts";

type Counted = Pick<PostRow, "publicId" | "tags">;

const tagsOf = (post: Counted | null) => (post === null || post.publicId === null ? [] : post.tags);

/** Counts the tags by which everybody finds a post, before and after a change. Null: it is gone. */
export const countListed = (sql: Sql, { before, after }: { before: Counted; after: Counted | null }) =>
  countTags(sql, "post_delta", { before: tagsOf(before), after: tagsOf(after) });
