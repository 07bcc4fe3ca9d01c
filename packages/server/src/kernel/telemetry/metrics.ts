import { statfs } from "node:fs/promises";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { WorkerEvents } from "graphile-worker";
import { release } from "../../release.ts";
import type { TransactionWatch } from "../../database/transaction.ts";
import type { RequestMetrics } from "./access.ts";
import type { Backlog } from "./backlog.ts";

/** The figures of a process. Names and units are those of OpenTelemetry where it has them; all times are in seconds. */
export interface Metrics extends RequestMetrics {
  /** Counts an attempt of a delivery: which of its attempts, and for the first how long after its event it began. */
  countAttempt(attempt: { attempt: number; outcome: string; afterSeconds: number | null }): void;
  /** Counts how many reads shared a statement. */
  countBatch: (size: number) => void;
  countMedia(direction: "received" | "sent", bytes: number): void;
  /** Hears of the transactions of the pool that requests use. */
  transactions: TransactionWatch;
  followJobs(events: WorkerEvents): void;
  setBacklog(backlog: Backlog): void;
  print(): Promise<{ type: string; text: string }>;
}

/** What is read when the figures are asked for. */
export interface Readings {
  /** How many reads wait for a change. */
  waitingReads(): number;
  /** How far replicas of the database are behind. */
  replicaLags(): { place: string; seconds: number }[];
  /** Whether the database answers, as far as is known. */
  isDatabaseUp(): boolean;
  /** Where uploads, and by default the database and media are kept. */
  dataDir: string;
}

/** The buckets that OpenTelemetry advises for `http.server.request.duration`. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const waitBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
const jobBuckets = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];
const deliveryBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 3_600];

/** Opens the figures of a process. */
export function openMetrics(read: Readings): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const info = new Gauge({
    name: "promptreg_build_info",
    help: "The release that runs; always 1.",
    labelNames: ["version"],
    registers,
  });
  info.set({ version: release }, 1);
  const requests = new Histogram({
    name: "http_server_request_duration_seconds",
    help: "Duration of requests, without reads that wait for a change.",
    labelNames: ["operation", "http_response_status_code"],
    buckets: requestBuckets,
    registers,
  });
  const waited = new Counter({
    name: "promptreg_waits_total",
    help: "Reads that could wait for a change and have ended.",
    labelNames: ["operation", "http_response_status_code"],
    registers,
  });
  const errors = new Counter({
    name: "promptreg_errors_total",
    help: "Responses with an error, by its code.",
    labelNames: ["code"],
    registers,
  });
  const attempts = new Counter({
    name: "promptreg_delivery_attempts_total",
    help: "Attempts of webhook deliveries, by their number and how they ended.",
    labelNames: ["attempt", "outcome"],
    registers,
  });
  const delays = new Histogram({
    name: "promptreg_delivery_delay_seconds",
    help: "From an event to the first attempt of its deliveries.",
    buckets: deliveryBuckets,
    registers,
  });
  const batches = new Histogram({
    name: "promptreg_read_batch_size",
    help: "Reads of versions that shared one statement.",
    buckets: [1, 2, 5, 10, 20, 50, 100],
    registers,
  });
  const media = new Counter({
    name: "promptreg_media_bytes_total",
    help: "Bytes of pictures and files that were received and sent.",
    labelNames: ["direction"],
    registers,
  });
  const pool = new Histogram({
    name: "db_client_connection_wait_time_seconds",
    help: "How long transactions of requests waited for a connection.",
    buckets: waitBuckets,
    registers,
  });
  /** A figure that is read when it is asked for. */
  const gauge = (
    name: string,
    help: string,
    collect: (gauge: Gauge<string>) => void | Promise<void>,
    labelNames: string[] = [],
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        return collect(this);
      },
    });
  gauge(
    "promptreg_transactions",
    "Transactions of requests that have a connection, and that wait for one.",
    (one) => {
      one.set({ state: "running" }, transactions.running);
      one.set({ state: "waiting" }, transactions.waiting);
    },
    ["state"],
  );
  const jobs = new Histogram({
    name: "promptreg_job_duration_seconds",
    help: "Duration of background jobs.",
    labelNames: ["task", "outcome"],
    buckets: jobBuckets,
    registers,
  });
  const waiting = new Gauge({
    name: "promptreg_backlog",
    help: "What waits for a worker and is due, at most 10,000; measured every ten seconds.",
    labelNames: ["of"],
    registers,
  });
  const age = new Gauge({
    name: "promptreg_backlog_age_seconds",
    help: "For how long the oldest of that has been due.",
    labelNames: ["of"],
    registers,
  });
  gauge("promptreg_waiting_reads", "Reads that wait for a change.", (one) => one.set(read.waitingReads()));
  gauge(
    "promptreg_replica_lag_seconds",
    "How far a replica of the database may be behind; above 2 it is not asked.",
    (one) => {
      for (const { place, seconds } of read.replicaLags()) one.set({ replica: place }, seconds);
    },
    ["replica"],
  );
  gauge("promptreg_database_up", "Whether the database answers.", (one) =>
    one.set(read.isDatabaseUp() ? 1 : 0),
  );
  gauge("promptreg_data_free_bytes", "What is free where the data folder is.", async (one) => {
    // It is made when something is stored.
    const free = await statfs(read.dataDir).catch(() => null);
    if (free) one.set(free.bavail * free.bsize);
  });
  const transactions: TransactionWatch = {
    running: 0,
    waiting: 0,
    onBegin: (seconds) => pool.observe(seconds),
  };

  return {
    transactions,
    countRequest({ operation, code, hasWaited }, { status, seconds }) {
      const labels = { operation: operation ?? "none", http_response_status_code: status ?? "aborted" };
      if (hasWaited) waited.inc(labels);
      else requests.observe(labels, seconds);
      if (code !== null) errors.inc({ code });
    },
    countAttempt({ attempt, outcome, afterSeconds }) {
      attempts.inc({ attempt, outcome });
      if (afterSeconds !== null) delays.observe(afterSeconds);
    },
    countBatch: (size) => batches.observe(size),
    countMedia: (direction, bytes) => media.inc({ direction }, bytes),
    followJobs(events) {
      const startedAt = new Map<string, number>();
      events.on("job:start", ({ job }) => startedAt.set(job.id, performance.now()));
      const end =
        (outcome: string) =>
        ({ job: { id, task_identifier: task } }: { job: { id: string; task_identifier: string } }) => {
          jobs.observe(
            { task, outcome },
            (performance.now() - (startedAt.get(id) ?? performance.now())) / 1_000,
          );
          startedAt.delete(id);
        };
      events.on("job:success", end("succeeded"));
      events.on("job:error", end("failed"));
    },
    setBacklog(backlog) {
      for (const [of, { count, ageSeconds }] of Object.entries(backlog)) {
        waiting.set({ of }, count);
        age.set({ of }, ageSeconds);
      }
    },
    async print() {
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}
