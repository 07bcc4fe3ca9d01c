import type { Version } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { cell } from "../terminal/text.ts";
import type { Address } from "./get-prompt.ts";

type Made = Pick<Version, "author" | "origin">;

/** Says who made a version. Of a change request the author is who merged it, so the one who proposed it is asked for. */
export async function authorsOf(
  client: Client,
  { owner, slug }: Address,
  versions: readonly Made[],
): Promise<(version: Made) => string> {
  const missing = new Set(versions.flatMap(({ origin }) => requestOf(origin) ?? []));
  const proposers = new Map<number, string>();
  if (missing.size > 0)
    for await (const { n, author } of client.changeRequests.list({
      owner,
      slug,
      query: { state: "merged", limit: 100 },
    })) {
      proposers.set(n, author.handle);
      missing.delete(n);
      if (missing.size === 0) break;
    }
  return ({ author, origin }) => {
    const proposer = proposers.get(requestOf(origin) ?? 0);
    return cell(proposer === undefined ? author.handle : `${proposer}, merged by ${author.handle}`);
  };
}

/** What the registry sends need not fit its schema. */
function requestOf(origin: unknown): number | undefined {
  const { type, changeRequest } = Object(origin) as Partial<Version["origin"]>;
  return type === "merge" ? changeRequest : undefined;
}
