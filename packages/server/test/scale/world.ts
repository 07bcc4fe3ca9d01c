import type { Sql } from "../../src/database/sql.ts";
import type { SecretBox } from "../../src/kernel/secrets/secret-box.ts";
import type { Plans } from "../plans.ts";
import type { Client } from "./client.ts";
import type { Figure } from "./measure.ts";

/** A server with its database. */
export interface Side {
  url: string;
  sql: Sql;
  client: Client;
}

/** A registry of some size, beside one that is nearly empty. */
export interface World {
  full: Side;
  empty: Side;
  /** Those of the server of the full one: its cursors are sealed with them. */
  secrets: SecretBox;
  /** Looks at the plans of the full one, where it is large enough for them to matter. */
  plans?: Plans;
  /** How often each thing is measured. */
  rounds: number;
  /** Hears of each figure. */
  onFigure: (figure: Figure) => void;
  /** Hears of what is not as it should be, however fast. */
  onProblem: (problem: string) => void;
}
