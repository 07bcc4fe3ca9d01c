import type { Client } from "../requests/client.ts";
import { parseRef } from "@promptreg/core/refs";
import { readVersion } from "../requests/read-version.ts";
import type { Wanted } from "./plan.ts";
import { type Content, writeFor } from "./write.ts";

/** What is to be installed of a prompt, and for which tools. */
export interface Wish {
  ref: string;
  version: number;
  /** What was asked for: a version's number, a label, or `latest`. */
  asked: string;
  targets: readonly string[];
}

/** Reads a version, and writes it for each of its targets, in memory. */
export async function readInstalls(
  client: Client,
  { ref, version, asked, targets }: Wish,
  where: { isGlobal: boolean; url: string },
): Promise<Wanted[]> {
  const { owner, slug } = parseRef(ref);
  const read = await readVersion(client, { owner, slug, version });
  return targets.map((target) => {
    const written = writeFor(read, target, where);
    const { prompt } = read;
    const [files, sections] = [digestsOf(written.files), digestsOf(written.sections)];
    return {
      ref: prompt.ref,
      id: prompt.id,
      target,
      asked,
      version: read.version.n,
      files,
      sections,
      written,
    };
  });
}

const digestsOf = (contents: ReadonlyMap<string, Content>) =>
  Object.fromEntries([...contents].map(([path, { sha256 }]) => [path, sha256]));
