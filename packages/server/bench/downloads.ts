/** Archives over HTTP against node:zlib over the same bytes, and how long a download holds up the server's event loop. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { crc32, deflateRaw, gzip } from "node:zlib";
import { longestDelayOf, type Registry, withRegistry } from "./side.ts";
import { isShort } from "../../../scripts/short.ts";

const rounds = isShort ? 1 : 15;
const megabyte = 1_000_000;
const words = Array.from({ length: 3_000 }, () =>
  randomBytes(3 + Math.floor(Math.random() * 6)).toString("hex"),
);

/** Text that packs about as well as prose, for every second file; the others are random. */
function contentOf(nth: number, length: number): Buffer {
  if (nth % 2 === 1) return randomBytes(length);
  let text = "";
  while (text.length < length) text += `${words[Math.floor(Math.random() ** 3 * words.length)]} `;
  return Buffer.from(text.slice(0, length));
}
const filesOf = (count: number) =>
  Array.from({ length: count }, (_, nth) => contentOf(nth, (10 * megabyte) / count));
const versions: Record<string, Buffer[]> = { "200 files": filesOf(199), "10 files": filesOf(10) };

const pack = promisify(deflateRaw);
/** The least that an archive takes. */
const floors: Record<string, (files: readonly Buffer[]) => Promise<unknown>> = {
  zip: async (files) => {
    for (const content of files) {
      crc32(content);
      await pack(content);
    }
  },
  "tar.gz": (files) => promisify(gzip)(Buffer.concat(files)),
};

await withRegistry(async ({ origin, token, child }) => {
  for (const [name, files] of Object.entries(versions)) {
    const slug = name.replace(" ", "-");
    await publish({ origin, token }, slug, files);
    for (const [format, floor] of Object.entries(floors)) {
      const times = [];
      await download(`${origin}/bench/${slug}/download?format=${format}`);
      for (let round = 0; round < rounds; round++) {
        const zlib = await timeOf(() => floor(files));
        await longestDelayOf(child);
        const ours = await timeOf(() => download(`${origin}/bench/${slug}/download?format=${format}`));
        times.push({ zlib, ours, delay: await longestDelayOf(child) });
      }
      print(`10 MB in ${name} as ${format}`, times);
    }
  }
});

async function publish(
  { origin, token }: Pick<Registry, "origin" | "token">,
  slug: string,
  contents: readonly Buffer[],
): Promise<void> {
  const files = contents.map((content, nth) =>
    nth % 2 === 0
      ? { path: `data/${nth}.txt`, content: content.toString() }
      : { path: `data/${nth}.bin`, content: content.toString("base64"), encoding: "base64" },
  );
  const entry = { path: "PROMPT.md", content: "Hi" };
  const response = await fetch(origin, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      kind: "text",
      visibility: "public",
      slug,
      title: "Large",
      files: [entry, ...files],
    }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Reads an archive, with a client that costs little on the same two cores. */
async function download(url: string): Promise<void> {
  const [response] = (await once(get(url), "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`a download answered ${response.statusCode}`);
  response.resume();
  await once(response, "end");
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

interface Times {
  zlib: number;
  ours: number;
  delay: number;
}

function print(name: string, times: readonly Times[]): void {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
  const all = (part: keyof Times) => times.map((one) => one[part]);
  const ratio = median(times.map(({ zlib, ours }) => zlib / ours));
  console.log(
    `${name.padEnd(28)} zlib ${median(all("zlib")).toFixed(0)} ms  ours ${median(all("ours")).toFixed(0)} ms  ` +
      `ratio ${ratio.toFixed(2)} (limit 0.60)   longest delay ${median(all("delay")).toFixed(1)} ms, ` +
      `worst ${Math.max(...all("delay")).toFixed(1)} ms (limit 20)`,
  );
}
