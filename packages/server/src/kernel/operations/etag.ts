import { hash } from "node:crypto";
import { withoutCounters } from "@promptreg/core/wire";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Caller } from "../accounts/caller.ts";

/** The state of a response whose content changes only with the revision. */
export const revisionAlone = (sql: Sql): Fragment => sql`''`;

const digestOf = (text: string): string => hash("sha1", text, "base64url");

/** What the ETag of a single resource is made of. */
export interface Stated {
  /** What `If-Match` compares. */
  revision: string;
  /** Everything shown that can change without the revision, printed by SQL. */
  state: string;
  /** Path, parameters, query and media type of the request. */
  address: readonly unknown[];
  viewer: Pick<Caller, "id" | "role"> | null;
  publicUrl: string;
}

/**
 * The ETag of a resource, made without printing the response. It is weak: it covers what is shown, except counters, and not
 * the bytes.
 */
export const etagOfState = ({ revision, state, address, viewer, publicUrl }: Stated): string =>
  `W/${revision}.${digestOf(JSON.stringify([state, address, viewer && [viewer.id, viewer.role], publicUrl]))}`;

/** The ETag of a printed response: a digest of its content without counters. Weak if there are counters. */
export function etagOfContent(json: string, revision?: string): string {
  const shown = withoutCounters(json);
  const etag = revision === undefined ? digestOf(shown) : `${revision}.${digestOf(shown)}`;
  return shown.length === json.length ? etag : `W/${etag}`;
}
