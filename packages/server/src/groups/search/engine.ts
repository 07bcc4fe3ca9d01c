import type { Facets, SearchQuery } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";

/** What is searched for, and who does. */
export interface Wanted {
  query: SearchQuery;
  caller: Pick<Caller, "id" | "role" | "restriction"> | null;
  /** The last hit of the page before: what it is sorted by, its id and its rank. */
  after: { by: number; id: string; rank: number } | null;
  /** The most hits to give. */
  take: number;
}

/** A match, with its position among all. */
export interface Hit {
  type: "prompt" | "make" | "post" | "collection" | "user";
  id: string;
  score: number;
  /** What the hits are sorted by, highest first, then by id. */
  by: number;
  rank: number;
}

export interface Matches {
  hits: Hit[];
  facets: Facets;
}

/**
 * What finds and ranks. PostgreSQL does (`rank.sql.ts`), and an outside engine can. What it gives is only printed if the caller
 * may see it at that moment, so an engine may lag behind.
 */
export type SearchEngine = (sql: Sql, wanted: Wanted) => Promise<Matches>;
