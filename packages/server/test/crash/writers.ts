import { setTimeout as delay } from "node:timers/promises";
import { exchange } from "../requests.ts";
import type { Draw } from "../seed/draw.ts";
import { owner } from "./world.ts";

/** Somebody who moves labels through the API, and remembers what was answered. */
export interface Writer {
  /** The reason of each move that was answered with 2xx: its event may never be lost. */
  acknowledged: Set<string>;
  /** How many moves were answered otherwise, or not at all: their event may be there or not. */
  refused: number;
  /** Moves the label of a prompt until one move is acknowledged. */
  move(slug: string): Promise<void>;
}

export function createWriter(url: string, token: string): Writer {
  /** Where the label of a prompt is; null where it is not yet, undefined where nobody knows. */
  const versions = new Map<string, number | null | undefined>();
  let count = 0;

  const call = (route: string, body?: object) =>
    exchange(url, route, { token, body }).catch(() => ({ status: 0, json: undefined }));

  async function locate(slug: string): Promise<number | null> {
    for (;;) {
      const { status, json } = await call(`GET /prompts/${owner}/${slug}/labels`);
      if (status === 200) {
        const labels = json.items as { name: string; versionNumber: number }[];
        return labels.find(({ name }) => name === "live")?.versionNumber ?? null;
      }
      await delay(50);
    }
  }

  const writer: Writer = {
    acknowledged: new Set(),
    refused: 0,
    async move(slug) {
      for (;;) {
        let at = versions.get(slug);
        // A move to where it is already would be answered with 200 and make no event.
        if (at === undefined) at = await locate(slug);
        const versionNumber = at === 1 ? 2 : 1;
        const reason = `move ${++count} of ${slug}`;
        const { status } = await call(`PUT /prompts/${owner}/${slug}/labels/live`, { versionNumber, reason });
        if (status === 200 || status === 201) {
          versions.set(slug, versionNumber);
          writer.acknowledged.add(reason);
          return;
        }
        versions.set(slug, undefined);
        writer.refused += 1;
        await delay(50);
      }
    },
  };
  return writer;
}

/** Lets a writer at each prompt make its share of the events, never further ahead than it may be. */
export async function writeAll(
  writer: Writer,
  {
    slugs,
    events,
    allowed,
    draw,
  }: { slugs: readonly string[]; events: number; allowed: () => number; draw: Draw },
): Promise<void> {
  let begun = 0;
  await Promise.all(
    slugs.map(async (slug) => {
      while (begun < events) {
        if (begun >= allowed()) {
          await delay(20);
          continue;
        }
        begun += 1;
        await writer.move(slug);
        await delay(draw.below(120));
      }
    }),
  );
}
