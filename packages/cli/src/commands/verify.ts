import type { Context } from "../context.ts";
import { checkLocked } from "../lock/digest.ts";
import { readLocked } from "../lock/lockfile.ts";
import { reportChecks } from "../lock/report.ts";

export async function verify({ output }: Context, { file }: { file: string }): Promise<void> {
  reportChecks(output, file, await checkLocked(await readLocked(file)), "as its digest says");
}
