import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ArchiveFile } from "./archive.ts";
import { tarGz } from "./tar-gz.ts";
import { zip } from "./zip.ts";

const run = promisify(execFile);
const time = new Date("2026-11-20T09:30:02.000Z");
const file = (path: string, content: string | Uint8Array, mode: ArchiveFile["mode"] = "100644") => ({
  path,
  mode,
  content: Buffer.from(content as string),
});

/** Names of every kind that the rules for paths allow. */
const paths = [
  "a/SKILL.md",
  "a/Ünïcode – 模型/日本語.md",
  "a/with space (and) [brackets] & 'quotes'.txt",
  "a/-dash $dollar `tick`;semicolon.md",
  `a/${"n".repeat(100)}`,
  `a/${"long/".repeat(6)}${"x".repeat(200)}.md`,
  `a/${"é".repeat(120)}`,
  "a/😀/👩‍👩‍👧.md",
];
const random = randomBytes(70_000);
const files = [
  ...paths.map((path) => file(path, `This is ${path}\n`.repeat(40))),
  file("a/empty", ""),
  file("a/random.bin", random),
  file("a/scripts/run.sh", "#!/bin/sh\nexit 0\n", "100755"),
  ...[511, 512, 513].map((size) => file(`a/${size}.txt`, "x".repeat(size))),
];

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

const utf8 = { env: { ...process.env, LC_ALL: "C.UTF-8", TZ: "UTC" } };
const kinds = [
  {
    name: "zip",
    pack: zip,
    unpack: (archive: string, to: string) => run("unzip", ["-q", archive, "-d", to], utf8),
  },
  {
    name: "tar.gz",
    pack: tarGz,
    unpack: (archive: string, to: string) => run("tar", ["-xzf", archive, "-C", to], utf8),
  },
];

describe.each(kinds)("a $name", ({ pack, unpack }) => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "promptreg-archive-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("is read by the usual program: names of all kinds, contents, modes and times", async () => {
    const archive = join(folder, "archive");
    await writeFile(archive, await collect(pack({ files, time })));
    await unpack(archive, folder);
    for (const { path, mode, content } of files) {
      expect([path, content.equals(await readFile(join(folder, path)))]).toEqual([path, true]);
      const { mode: own, mtime } = await stat(join(folder, path));
      expect([path, own & 0o111, mtime]).toEqual([path, mode === "100755" ? 0o111 : 0, time]);
    }
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(found.filter((one) => one.isFile())).toHaveLength(files.length + 1);
  });

  test("has the same bytes in every time zone, and whoever packs it", async () => {
    const first = await collect(pack({ files, time }));
    const zone = process.env["TZ"];
    process.env["TZ"] = "Pacific/Apia";
    const second = await collect(pack({ files: files.map((one) => ({ ...one })), time: new Date(time) }));
    process.env["TZ"] = zone;
    expect(second.equals(first)).toBe(true);
  });

  test("comes in chunks of 64 KiB at most, none of them empty", async () => {
    const sizes: number[] = [];
    for await (const { length } of pack({ files, time })) sizes.push(length);
    expect([Math.min(...sizes) > 0, Math.max(...sizes) <= 2 ** 16]).toEqual([true, true]);
  });

  test("fails where a file fails, and never ends as if it were whole", async () => {
    async function* broken() {
      yield files[0]!;
      throw new Error("gone");
    }
    await expect(collect(pack({ files: broken(), time }))).rejects.toThrow("gone");
  });

  test("reads no further than its reader", async () => {
    let read = 0;
    let isClosed = false;
    async function* counted() {
      try {
        for (;;) {
          read += 1;
          yield file(`a/${read}`, random);
        }
      } finally {
        isClosed = true;
      }
    }
    const chunks = pack({ files: counted(), time });
    for (let nth = 0; nth < 3; nth++) await chunks.next();
    await chunks.return(undefined);
    expect(read).toBeLessThan(20);
    await vi.waitFor(() => expect(isClosed).toBe(true));
  });
});

test("a tar.gz is the same from any system: the header of gzip names neither it nor a time (RFC 1952)", async () => {
  const packed = await collect(tarGz({ files: [], time }));
  expect(packed.subarray(0, 10).toString("hex")).toMatch(/^1f8b080000000000..ff$/);
});
