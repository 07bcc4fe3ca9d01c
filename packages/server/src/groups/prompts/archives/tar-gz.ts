import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { tarEnd, tarHeader, tarPadding } from "@promptreg/core/archives";
import { smallBytes } from "../../../kernel/http/holdings.ts";
import { type Archive, pieces } from "./archive.ts";

/** Where the header of gzip names the system that made it. */
const systemAt = 9;
const unknownSystem = 255;

/** A tar that gzip has packed. */
export async function* tarGz(archive: Archive): AsyncGenerator<Uint8Array> {
  const packed = createGzip({ chunkSize: smallBytes });
  // The loop below throws it too.
  pipeline(tar(archive), packed).catch(() => {});
  let isFirst = true;
  for await (const chunk of packed as AsyncIterable<Buffer>) {
    if (isFirst) chunk[systemAt] = unknownSystem;
    isFirst = false;
    yield chunk;
  }
}

/** The files one after the other, then two empty blocks. */
async function* tar({ files, time }: Archive): AsyncGenerator<Uint8Array> {
  const seconds = Math.floor(time.getTime() / 1_000);
  for await (const file of files) {
    // Together, since each piece goes to another thread and back.
    const { path, mode, content } = file;
    const header = tarHeader({ path, mode: Number.parseInt(mode, 8) & 0o777, size: content.length, seconds });
    yield* pieces(Buffer.concat([header, content, tarPadding(content.length)]));
  }
  yield tarEnd();
}
