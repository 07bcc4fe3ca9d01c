import { Draw, idOf } from "../../../test/seed/draw.ts";
import { accountAt, ageMs, type Registry } from "../../../test/seed/registry.ts";
import { sha256 } from "../../../test/seed/contents.ts";
import { at, hex, type Table } from "../../../test/seed/table.ts";

export const seeds: Table[] = [
  {
    name: "stored_files",
    columns: "key size used_by created_at".split(" "),
    *rows(registry) {
      for (const { id, keys, size, createdMs } of mediaOf(registry))
        for (const key of keys) yield [key, size, id, at(createdMs)];
      // Of uploads that never came to an end.
      for (let nth = 0; nth < 20; nth++)
        yield [sha256(`idle ${nth}`), 1_000, null, at(registry.untilMs - ageMs)];
    },
  },
  {
    name: "media",
    columns:
      "id owner_id kind media_type status size sha256 sent_size sent_sha256 file_key thumbnail_key link_secret taken_at created_at".split(
        " ",
      ),
    *rows(registry) {
      for (const { id, ownerId, isWaiting, keys, size, createdMs } of mediaOf(registry)) {
        const [file = null, thumbnail = null] = keys;
        const digest = sha256(id);
        const status = isWaiting ? "processing" : "ready";
        const takenAt = isWaiting ? null : at(createdMs);
        yield [
          id,
          ownerId,
          "image",
          "image/png",
          status,
          size,
          digest,
          size,
          digest,
          file,
          thumbnail,
          hex(digest),
          takenAt,
          at(createdMs),
        ];
      }
    },
  },
  {
    name: "media_uses",
    columns: ["media_id", "subject_id"],
    *rows(registry) {
      for (const { id, ownerId, isWaiting } of mediaOf(registry)) if (!isWaiting) yield [id, ownerId];
    },
  },
];

interface Seeded {
  id: string;
  ownerId: string;
  isWaiting: boolean;
  keys: string[];
  size: number;
  createdMs: number;
}

/** A picture for each account, and many of `bench`. The newest wait for a worker. */
export function* mediaOf(registry: Registry): Generator<Seeded> {
  const { number, untilMs, accounts } = registry;
  const count = 2_000 + accounts;
  for (let index = 0; index < count; index++) {
    const draw = new Draw(number, 19, index);
    const createdMs = untilMs - ageMs + Math.floor((index / count) * ageMs * 0.999);
    const id = idOf("med", createdMs, index);
    const isWaiting = index > count - 20;
    yield {
      id,
      ownerId: accountAt(registry, index < 2_000 ? 0 : index % accounts).id,
      isWaiting,
      keys: (isWaiting ? ["file"] : ["file", "thumbnail"]).map((part) => sha256(`${part} ${id}`)),
      size: 1_000 + draw.below(1_000_000),
      createdMs,
    };
  }
}
