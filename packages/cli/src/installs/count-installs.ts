import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Client } from "../requests/client.ts";
import { parseRef } from "@promptreg/core/refs";
import { makeFolders } from "../disk/places.ts";
import { configFile } from "../settings/config-file.ts";
import type { Io } from "../terminal/io.ts";
import { version } from "../version.ts";
import type { Install } from "./record.ts";

/** Nobody waits longer for a count. */
const deadlines = { timeoutMs: 2_000, deadlineMs: 2_000 };

/** Tells the registry what was installed, so that it can count. What fails is not worth a word. */
export async function countInstalls(
  env: Io["env"],
  connect: () => Promise<Client>,
  installs: readonly Install[],
): Promise<void> {
  const { DO_NOT_TRACK: refused = "" } = env;
  if (refused !== "" && refused !== "0") return;
  try {
    const installationId = await installationIdOf(env);
    const client = await connect();
    const body = { client: `promptreg/${version()}`, installationId };
    await Promise.allSettled(
      installs.map(({ ref, version: versionNumber, target }) => {
        const { owner, slug } = parseRef(ref);
        return client.installs.record({ owner, slug, body: { ...body, versionNumber, target } }, deadlines);
      }),
    );
  } catch {
    // The prompts are installed.
  }
}

/** A random id, by which the registry counts an installation once. It says nothing about the user or the machine. */
async function installationIdOf(env: Io["env"]): Promise<string> {
  const file = join(dirname(configFile(env)), "installation-id");
  const id = randomUUID();
  try {
    await makeFolders(dirname(file), 0o700);
    await writeFile(file, `${id}\n`, { flag: "wx", mode: 0o600 });
    return id;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return (await readFile(file, "utf8")).trim();
  }
}
