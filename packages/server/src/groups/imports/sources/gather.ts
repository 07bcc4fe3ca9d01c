import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "../../../database/sql.ts";
import { selectChunks } from "../chunks.sql.ts";
import type { Held } from "../work.sql.ts";
import { type Gathered, type Gathering, materialOf, SourceError } from "./index.ts";
import { placeOf } from "./place.ts";
import { fetchRepository } from "./repository.ts";
import { fetchUrl } from "./url.ts";

/**
 * Brings the source of an import to disk.
 * @throws {SourceError}
 */
export async function gather(held: Held, gathering: Gathering): Promise<Gathered> {
  const { source } = held;
  const { server, folder, signal } = gathering;
  const file = join(folder, "sent");
  switch (source.type) {
    case "paste":
    case "files":
      await writeSent(server.sql, held, { file, signal });
      return { material: { type: "texts", file } };
    case "archive":
    case "chatExport":
      await writeSent(server.sql, held, { file, signal });
      return { material: await materialOf(file, source.label) };
    case "url":
    case "repository":
    default: {
      const place = placeOf(source);
      return place.type === "url" ? fetchUrl(place, gathering) : fetchRepository(place, gathering);
    }
  }
}

/** @throws {SourceError} if another file was announced than arrived. */
async function writeSent(
  sql: Sql,
  { id, sha256 }: Held,
  { file, signal }: { file: string; signal: AbortSignal },
): Promise<void> {
  const digest = createHash("sha256");
  async function* bytes() {
    for await (const piece of selectChunks(sql, id)) {
      digest.update(piece);
      yield piece;
    }
  }
  await pipeline(Readable.from(bytes()), createWriteStream(file, { mode: 0o600 }), { signal });
  const arrived = digest.digest("hex");
  if (sha256 !== null && sha256 !== arrived) {
    throw new SourceError(
      `The file has the SHA-256 ${arrived}, and not the one that you sent. Upload it again.`,
    );
  }
}
