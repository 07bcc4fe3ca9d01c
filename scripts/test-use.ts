/**
 * Counts what tests use, in each process that runs some: requests that are served, servers that listen, databases, and
 * processes that are started. Each adds a byte to a file of its name, in a folder that all processes share.
 */
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const channels = {
  requests: "http.server.request.start",
  servers: "tracing:net.server.listen:asyncStart",
  databases: "promptreg.test.database",
  processes: "child_process",
};
const folder = process.env["PROMPTREG_TEST_USE"];
if (folder !== undefined) {
  for (const [name, channel] of Object.entries(channels))
    subscribe(channel, () => appendFileSync(join(folder, name), "."));
}
