import type { Context } from "../context.ts";
import { faultOf } from "../lock/digest.ts";
import { readLocked } from "../lock/lockfile.ts";
import { type Checked, reportChecks } from "../lock/report.ts";

export async function verify({ output }: Context, { file }: { file: string }): Promise<void> {
  const checked: Checked[] = [];
  for (const [ref, locked] of Object.entries(await readLocked(file))) {
    const { version, contentHash } = locked;
    checked.push({ ref, version, contentHash, problem: (await faultOf(ref, locked)) ?? null });
  }
  reportChecks(output, file, checked, "as its digest says");
}
