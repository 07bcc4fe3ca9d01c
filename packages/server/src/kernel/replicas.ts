import { randomUUID } from "node:crypto";
import { ApiError } from "@promptreg/core/errors";
import type { Logger } from "pino";
import type postgres from "postgres";
import type { DatabaseAddress } from "../database/connection.ts";
import { connect } from "../database/open.ts";
import type { Sql } from "../database/sql.ts";
import type { Failures } from "./failures/failures.ts";
import { RateLimited } from "./rate-limits/rate-counts.ts";

/** Standbys of the database that answer reads which may be a moment old. */
export interface Replicas {
  /**
   * Runs a read where the fewest run: on a standby that is not far behind, or on the primary. There it runs as well if there is no such
   * standby, and if it fails on it in any way.
   */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** How far each may be behind, in seconds; infinite until that is known. */
  lags(): { place: string; seconds: number }[];
  stop(): Promise<void>;
}

/** How often a server writes that it is there, and looks for that on its replicas. */
const beatMs = 500;
/** A replica that may be further behind is not asked. */
const lagAtMostMs = 2_000;
/** Beats of processes that are gone. */
const forgottenAfter = "1 day";

/**
 * Opens the replicas of a process. It counts up in a row of its own on the primary: whatever a replica shows of it, was written after all
 * that was committed before. Positions in the log would not say so: after a failover those of two histories can be compared, and mean nothing.
 */
export function openReplicas({
  sql,
  addresses,
  log,
  failures,
}: {
  sql: Sql;
  addresses: readonly DatabaseAddress[];
  log: Logger;
  failures: Pick<Failures, "report">;
}): Replicas {
  const process = randomUUID();
  const replicas = addresses.map((address) => new Replica(address, log));
  /** When the last beats began. */
  const begun = new Map<number, number>();
  let beat = 0;
  let isBeating = false;
  let onPrimary = 0;
  const timer = replicas.length > 0 ? setInterval(look, beatMs).unref() : undefined;

  return {
    async read(work) {
      const [replica] = replicas
        .filter(({ isFresh }) => isFresh)
        .sort((one, other) => one.running - other.running);
      if (replica && replica.running <= onPrimary) {
        try {
          return await replica.run(work);
        } catch (error) {
          if (error instanceof RateLimited) throw error;
          if (replica.isFresh && !(error instanceof ApiError))
            failures.report(error, { operation: `replica ${replica.place}` });
          // It may lack what the primary has, and refuses what only that may do.
        }
      }
      onPrimary += 1;
      try {
        return await work(sql);
      } finally {
        onPrimary -= 1;
      }
    },
    lags: () => replicas.map(({ place, lagMs }) => ({ place, seconds: lagMs / 1_000 })),
    async stop() {
      clearInterval(timer);
      await Promise.all(replicas.map((replica) => replica.stop()));
    },
  };

  function look(): void {
    void write();
    for (const replica of replicas) void replica.look(process, begun);
  }

  async function write(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    beat += 1;
    begun.set(beat, performance.now());
    begun.delete(beat - (2 * lagAtMostMs) / beatMs);
    try {
      if (beat === 1)
        await sql`delete from replica_beats where beaten_at < clock() - ${forgottenAfter}::interval`;
      await sql`
        insert into replica_beats (process, beat) values (${process}, ${beat})
        on conflict (process) do update set beat = excluded.beat, beaten_at = excluded.beaten_at`;
    } catch {
      // Requests meet the same, and report it. Meanwhile no replica is fresh.
    }
    isBeating = false;
  }
}

class Replica {
  readonly place: string;
  readonly #sql: postgres.Sql;
  readonly #log: Logger;
  readonly #schema: string;
  #isStandby = true;
  /** It has all that was committed until then. */
  #currentUntil = -Infinity;
  #isLooking = false;
  readonly #openedAt = performance.now();
  /** Undefined until the log has said one or the other. */
  #isUsed: boolean | undefined;
  #isStopped = false;
  #failure: unknown;
  readonly #running = new Set<(error: Error) => void>();

  constructor(address: DatabaseAddress, log: Logger) {
    this.place = `${address.host}:${address.port}`;
    this.#sql = connect(address);
    this.#schema = address.schema;
    this.#log = log;
  }

  get lagMs(): number {
    return performance.now() - this.#currentUntil;
  }

  get running(): number {
    return this.#running.size;
  }

  get isFresh(): boolean {
    return this.lagMs <= lagAtMostMs;
  }

  /** Runs a read, until it ends or the replica is found to be behind. */
  async run<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const { promise: behind, reject } = Promise.withResolvers<never>();
    this.#running.add(reject);
    try {
      return await Promise.race([work(this.#sql), behind]);
    } finally {
      this.#running.delete(reject);
    }
  }

  async look(process: string, begun: ReadonlyMap<number, number>): Promise<void> {
    this.#judge();
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const [row] = await this.#sql<{ beat: number; isStandby: boolean; closed: string | null }[]>`
        select coalesce((select beat from replica_beats where process = ${process}), 0)::int as beat,
          pg_is_in_recovery() as "isStandby",
          case when ${this.#isUsed !== true} then (
            select min(relname::text) from pg_class
            where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
              and not has_table_privilege(oid, 'select')
          ) end as closed`;
      if (row?.closed)
        throw new Error(
          `the login of this replica may not read ${row.closed}: grant select on all tables in schema ${this.#schema} to it, on the primary`,
        );
      this.#isStandby = row?.isStandby ?? true;
      this.#currentUntil = begun.get(row?.beat ?? 0) ?? this.#currentUntil;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    }
    this.#isLooking = false;
    this.#judge();
  }

  #judge(): void {
    const { isFresh, place } = this;
    if (!isFresh) for (const reject of this.#running) reject(new Error(`the replica ${place} is behind`));
    const isStarting = this.#isUsed === undefined && performance.now() - this.#openedAt < 2 * lagAtMostMs;
    if (isFresh === this.#isUsed || this.#isStopped || (isStarting && !isFresh)) return;
    this.#isUsed = isFresh;
    if (isFresh)
      this.#log.info(
        { replica: place },
        this.#isStandby
          ? "a replica answers reads"
          : "a replica answers reads, and is the primary itself, or was promoted",
      );
    else if (this.#currentUntil === -Infinity)
      this.#log.warn(
        { replica: place, err: this.#failure },
        this.#failure === undefined
          ? "a replica answers, but shows nothing that this server writes: it is no standby of this database, or far behind. The primary answers its reads"
          : "a replica is away, or its login may not read: the primary answers its reads",
      );
    else
      this.#log.warn(
        { replica: place, seconds: Math.round(this.lagMs / 1_000), err: this.#failure },
        "a replica is behind, or away: the primary answers its reads",
      );
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#sql.end({ timeout: 1 });
  }
}
