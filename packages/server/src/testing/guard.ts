// Runs next to a process of tests. Its input ends when that process ends, even if it is killed. Then it stops the
// PostgreSQL of its folder, and removes the folder.
import { existsSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { endPostmaster, findPostmaster } from "../database/postmaster.ts";

const folder = process.argv[2] ?? "";
process.stdin.resume().on("close", () => void end());

async function end(): Promise<void> {
  if (existsSync(folder)) {
    const cluster = join(realpathSync(folder), "postgres");
    const postmaster = await findPostmaster(cluster);
    // Without a checkpoint, since nobody reads the data again.
    if (postmaster) await endPostmaster(postmaster.pid, cluster, "hard");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
