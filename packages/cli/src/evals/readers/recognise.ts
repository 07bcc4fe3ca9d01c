import { InputError } from "../../errors.ts";
import type { ResultFile } from "./files.ts";
import type { Reader } from "./reader.ts";
import { headBytes, shapeOf } from "./shape.ts";
import { readers } from "./table.ts";

/** What people give by mistake, by its first bytes. */
const mistaken: readonly [first: readonly number[], what: string][] = [
  [[0x1f, 0x8b], "is compressed with gzip. Unpack it first: gunzip."],
  [[0x28, 0xb5, 0x2f, 0xfd], "is compressed with zstd. Unpack it first: unzstd."],
  [
    [0x50, 0x4b, 0x03, 0x04],
    "is a zip archive. Unpack it first; a log of Inspect AI: inspect log convert --to json.",
  ],
  [[0xff, 0xfe], "is UTF-16. Write it as UTF-8."],
  [[0xfe, 0xff], "is UTF-16. Write it as UTF-8."],
];

/** Finds who reads a file, by what it begins with. */
export async function readerOf(file: ResultFile): Promise<Reader> {
  const head = await headOf(file);
  if (head.toString("latin1").trim() === "") {
    throw new InputError(`${file.name} is empty: it contains no results.`);
  }
  const mistake = mistaken.find(([first]) => first.every((byte, at) => head[at] === byte));
  if (mistake !== undefined) throw new InputError(`${file.name} ${mistake[1]}`);
  const shape = shapeOf(head);
  const reader = readers.find((one) => one.recognises(shape));
  if (reader !== undefined) return reader;
  const start = JSON.stringify(head.toString("utf8", 0, 200).trim().slice(0, 60));
  const names = [...new Set(readers.map(({ name }) => name))];
  throw new InputError(
    `${file.name} is not recognised as results. It begins with ${start}. What can be read:`,
    names.map((message) => ({ path: "", message })),
  );
}

async function headOf(file: ResultFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of withoutMark(file.bytes())) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= headBytes) break;
  }
  return Buffer.concat(chunks);
}

/** Leaves out the mark that some editors write before UTF-8. */
export async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of bytes) {
    const hasMark = isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    yield hasMark ? chunk.subarray(3) : chunk;
    isFirst = false;
  }
}
