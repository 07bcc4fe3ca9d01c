import type { Context } from "../settings/context.ts";
import { checkLocked } from "./digest.ts";
import { readLocked } from "./lockfile.ts";
import { reportChecks } from "./report.ts";

export async function verify({ output }: Context, { file }: { file: string }): Promise<void> {
  reportChecks(output, file, await checkLocked(await readLocked(file)), "matching its digest");
}
