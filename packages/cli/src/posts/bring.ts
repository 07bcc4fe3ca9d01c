import { createHash } from "node:crypto";
import { dirname } from "node:path";
import type { MediaDetails, Post } from "@promptreg/client";
import { makeFolders, placeIn, sha256Of, takenIn } from "../disk/places.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { absent, CheckError, InputError } from "../errors.ts";
import { nameOfMedia } from "../media/index.ts";
import type { Client } from "../requests/client.ts";
import { answerMs, createRateLimitFetch, uploadMs } from "../requests/rate-limits.ts";
import type { Context } from "../settings/context.ts";
import { workingOf } from "./file.ts";
import { mediaIn } from "./pictures.ts";

/** The pictures of a post beside its file. */
export interface Beside {
  /** Where they are, by their ids. */
  paths: ReadonlyMap<string, string>;
  /** Those that are not there yet. */
  missing: readonly { path: string; media: MediaDetails }[];
}

/**
 * Says where the pictures of a post are: where its file has them, by the paths in `known`, others in a folder that is called as the post.
 * What cannot be had stays the id that it is in the text.
 */
export async function placePictures(
  client: Client,
  { folder, post, known }: { folder: string; post: Post; known: ReadonlyMap<string, string> },
): Promise<Beside> {
  const paths = new Map([...known].map(([path, id]) => [id, path]));
  const missing: { path: string; media: MediaDetails }[] = [];
  const taken = new Set(known.keys());
  const ids = new Set([...(post.cover ? [post.cover.id] : []), ...mediaIn(workingOf(post).body)]);
  for (const id of ids) {
    const before = paths.get(id);
    if (before !== undefined && (await takenIn(folder, before)) !== null) continue;
    const media: MediaDetails | null = await client.media.get({ id }).catch(absent);
    if (media === null || media.url === null) continue;
    const path = before ?? (await freePath(folder, post.slug, media, taken));
    taken.add(path);
    paths.set(id, path);
    if ((await takenIn(folder, path)) === null) missing.push({ path, media });
  }
  return { paths, missing };
}

/** The first path that nothing has, or that has these bytes already. */
async function freePath(
  folder: string,
  slug: string,
  media: MediaDetails,
  taken: ReadonlySet<string>,
): Promise<string> {
  for (let nth = 1; ; nth += 1) {
    const path = `${slug}/${nameOfMedia(nth, media)}`;
    if (taken.has(path)) continue;
    const inTheWay = await takenIn(folder, path);
    if (inTheWay === null) return path;
    const place = placeIn(folder, inTheWay);
    if (inTheWay !== path)
      throw new InputError(
        `${place} is in the way: the pictures of the post come into a folder of this name.`,
      );
    if ((await sha256Of(place).catch(() => null)) === media.sha256) return path;
  }
}

/** Downloads what is missing. What is not what the registry describes is not written. */
export async function bringPictures(
  context: Pick<Context, "fetch" | "output">,
  folder: string,
  { missing }: Beside,
): Promise<void> {
  const { fetch } = createRateLimitFetch(context.fetch, () => undefined, answerMs);
  for (const { path, media } of missing) {
    context.output.note(`Downloading ${path}…`);
    const response = await fetch(media.url ?? "", {
      signal: AbortSignal.timeout(uploadMs),
      headers: { "user-agent": "promptreg" },
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new InputError(`${path} cannot be downloaded: the server answered with ${response.status}.`);
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (createHash("sha256").update(bytes).digest("hex") !== media.sha256)
      throw new CheckError(`What came of ${path} is not what the registry describes.`);
    const place = placeIn(folder, path);
    await makeFolders(dirname(place));
    await replaceFile(place, bytes);
  }
}
