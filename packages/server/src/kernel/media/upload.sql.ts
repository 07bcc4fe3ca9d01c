import { one } from "../../database/rows.ts";
import type { Sql } from "../../database/sql.ts";
import type { LocalFile } from "../store/store.ts";
import type { Recognised } from "./recognise.ts";

/** Media that were uploaded. */
export interface NewMedia extends Recognised {
  ownerId: string;
  filename: string | null;
  alt: string | undefined;
  key: string;
  file: LocalFile;
  linkSecret: Buffer;
}

/** Writes media that wait for their processing, and gives their id. */
export async function insertMedia(sql: Sql, media: NewMedia): Promise<string> {
  const { ownerId, kind, mediaType, filename, alt = null, key, file, linkSecret } = media;
  const { id } = await one(sql<{ id: string }[]>`
    insert into media (owner_id, kind, media_type, filename, alt, size, sha256, sent_size, sent_sha256, file_key, link_secret)
    values (${ownerId}, ${kind}, ${mediaType}, ${filename}, ${alt}, ${file.size}, ${file.sha256}, ${file.size}, ${file.sha256},
      ${key}, ${linkSecret})
    returning id`);
  return id;
}
