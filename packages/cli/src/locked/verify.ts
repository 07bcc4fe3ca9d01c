import type { Context } from "../settings/context.ts";
import { checkLocked } from "./digest.ts";
import { lockfileAt, readLocked } from "./lockfile.ts";
import { reportChecks } from "./report.ts";

export async function verify({ output }: Context, { file: named }: { file?: string }): Promise<void> {
  const file = lockfileAt(named);
  reportChecks(output, file, await checkLocked(await readLocked(file)), "matching its digest");
}
