/**
 * How fast deliveries go out, alone and under load, and what a large log costs: each against the least that could be
 * done, or against the same without the load. `npm run bench -- deliveries [--only idle|rate|hanging|fan-out|log]
 * [--events <n>] [--deliveries <n>] [--batch <n>] [--watchers <n>] [--rows <n>] [--data <folder>]`: a folder keeps
 * the log for the next time.
 */
import { parseArgs } from "node:util";
import { fanningOut } from "./deliveries/fan-out.ts";
import { hanging } from "./deliveries/hanging.ts";
import { idle } from "./deliveries/idle.ts";
import { largeLog } from "./deliveries/log.ts";
import { rate } from "./deliveries/rate.ts";
import { openStage } from "./deliveries/stage.ts";
import { isShort } from "../../../scripts/short.ts";

const text = { type: "string" } as const;
const { values: given } = parseArgs({
  options: {
    only: text,
    /** One at a time, for each latency. */
    events: { ...text, default: isShort ? "10" : "300" },
    /** In each round of a rate; a multiple of 20. */
    deliveries: { ...text, default: isShort ? "100" : "4000" },
    batch: text,
    watchers: { ...text, default: isShort ? "100" : "10000" },
    /** In the log. */
    rows: { ...text, default: isShort ? "5000" : "1000000" },
    data: text,
  },
});
const events = Number(given.events);
const batch = given.batch === undefined ? undefined : Number(given.batch);
const stage = await openStage(given.data);
// PostgreSQL and the workers would else stay behind.
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => void stage.close().finally(() => process.exit(1)));
}
const parts = {
  idle: () => idle(stage, { events }),
  rate: () => rate(stage, { deliveries: Number(given.deliveries), batch }),
  hanging: () => hanging(stage, { events }),
  "fan-out": () => fanningOut(stage, { watchers: Number(given.watchers) }),
  log: () => largeLog(stage, { rows: Number(given.rows) }),
};
try {
  for (const [name, run] of Object.entries(parts)) {
    if ((given.only ?? name) === name) await run();
  }
} finally {
  await stage.close();
}
