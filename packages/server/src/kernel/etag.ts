import { hash } from "node:crypto";
import type { Fragment, Sql } from "../database/sql.ts";
import type { Caller } from "./caller.ts";

/** The state of an answer that shows nothing but what the revision tells. */
export const revisionAlone = (sql: Sql): Fragment => sql`''`;

const digestOf = (text: string): string => hash("sha1", text, "base64url");

/** What the ETag of a single resource is made of. */
export interface Stated {
  /** What `If-Match` compares. */
  revision: string;
  /** All that is shown and can change beside the revision, as SQL printed it. */
  state: string;
  /** The address and what was asked of it. */
  address: readonly unknown[];
  viewer: Pick<Caller, "id" | "role"> | null;
  publicUrl: string;
}

/**
 * The ETag of a resource whose answer need not be printed for it. It is weak: it tells of what is shown but counters,
 * and nothing of the bytes.
 */
export const etagOfState = ({ revision, state, address, viewer, publicUrl }: Stated): string =>
  `W/${revision}.${digestOf(JSON.stringify([state, address, viewer && [viewer.id, viewer.role], publicUrl]))}`;

// A quote within a text of JSON has a backslash before it, so that this finds keys alone.
const counters = /(?<=[{,]\s*)"counts"\s*:\s*\{[^}]*\}/g;

/** The ETag of an answer that was printed, by its content without counters; weak where it has some. */
export function etagOfContent(json: string, revision?: string): string {
  const shown = json.replace(counters, "");
  const etag = revision === undefined ? digestOf(shown) : `${revision}.${digestOf(shown)}`;
  return shown.length === json.length ? etag : `W/${etag}`;
}
