import { crc32, deflateSync } from "node:zlib";
import type { Person, TestServer } from "./harness.ts";

/** A chunk of a PNG. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** A PNG of one colour. Pixels can be fewer than the picture says it has. */
export function png({
  width = 4,
  height = 3,
  rows = undefined as number | undefined,
  colour = [200, 100, 50],
} = {}): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, Buffer.from(colour))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: rows ?? height }, () => row)));
  const mark = Buffer.from("89504e470d0a1a0a", "hex");
  return new Uint8Array(
    Buffer.concat([mark, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]),
  );
}

/** A second of silence in a WAVE file. */
export function wave(): Uint8Array<ArrayBuffer> {
  const data = Buffer.alloc(8_000);
  const head = Buffer.from(
    "524946460000000057415645666d74201000000001000100401f0000401f00000100080064617461",
    "hex",
  );
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  head.writeUInt32LE(36 + data.length, 4);
  return new Uint8Array(Buffer.concat([head, size, data]));
}

/** The body of an upload. */
export function uploadOf(
  content: Uint8Array<ArrayBuffer> | string,
  name = "a.bin",
  fields: Record<string, string> = {},
) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append("file", new Blob([content]), name);
  return form;
}

/** Uploads media, has them processed, and gives their id. */
export async function upload(
  server: Pick<TestServer, "workOff">,
  who: Person,
  content: Uint8Array<ArrayBuffer> | string,
  fields: Record<string, string> = {},
): Promise<string> {
  const { status, json, text } = await who.request("POST /media", {
    body: uploadOf(content, "a.bin", fields),
  });
  if (status !== 201) throw new Error(`an upload answered ${status}: ${text}`);
  await server.workOff();
  return json.id;
}
