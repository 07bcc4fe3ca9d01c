import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { pax, tarEnd, tarOf, type TarEntry } from "./testing/tar.ts";
import { tarEntries } from "./tar-entries.ts";
import { tarHeader } from "./tar-header.ts";
import { openArchive } from "./index.ts";
import { unpack } from "./testing/unpack.ts";
import { type ZipEntry, zipOf } from "./testing/zip.ts";

const tarGz = (...entries: TarEntry[]) => gzipSync(Buffer.concat([tarOf(...entries), tarEnd]));
const packers: Record<string, (paths: string[], content?: string) => Buffer> = {
  zip: (paths, content = "x") => zipOf(paths.map((name) => ({ name, content }))),
  "tar.gz": (paths, content = "x") => tarGz(...paths.map((name) => ({ name, content }))),
};

describe.each(Object.entries(packers))("a %s", (_, pack) => {
  test("has no two paths that are one file on some system, and no file that is a folder", async () => {
    const { texts, refused } = await unpack(
      pack(["a.md", "A.MD", "b", "b/c.md", "NUL.md", "HEAD", ".git/config"]),
    );
    expect(Object.keys(texts)).toEqual(["a.md", "b", "HEAD"]);
    expect(refused).toEqual([
      ["A.MD", "Its path is the same file as a.md where case or joiners do not count."],
      ["NUL.md", "Its path has a segment that Windows keeps for a device, such as CON or NUL."],
      ["b/c.md", "Its path needs a folder where b is a file."],
    ]);
  });

  test("loses what no prompt is made of without a word, also if it lies beside its only folder", async () => {
    const paths = ["p/a.md", "p/node_modules/b.md", "p/.git/c.md", "__MACOSX/p/._a.md"];
    const { texts, root, leftOut } = await unpack(pack(paths), { stripRoot: true });
    expect([Object.keys(texts), root, leftOut]).toEqual([["a.md"], "p", 0]);
  });

  test("names a hundred that are left out, and counts the others", async () => {
    const { refused, leftOut } = await unpack(pack(Array.from({ length: 120 }, (__, n) => `../${n}`)));
    expect([refused.length, leftOut]).toEqual([100, 120]);
  });

  test.runIf(existsSync("/proc/self/fd"))("is closed once it is refused", async () => {
    const before = (await readdir("/proc/self/fd")).length;
    const bomb = pack(["a"], "x".repeat(20 * 1024 ** 2));
    for (let n = 0; n < 3; n += 1) await expect(unpack(bomb)).rejects.toThrow("more than 100 times");
    expect((await readdir("/proc/self/fd")).length).toBeLessThan(before + 2);
  });
});

describe("a zip", () => {
  test("with backslashes has folders, but half of a character is no backslash", async () => {
    const shiftJis = Buffer.from([0x95, 0x5c, 0x2e, 0x6d, 0x64]);
    const { texts, refused } = await unpack(
      zipOf(["a\\b.md", "..\\c.md", shiftJis].map((name) => ({ name, content: "x" }))),
    );
    expect(Object.keys(texts)).toEqual(["a/b.md"]);
    expect(refused.map(([path]) => path)).toEqual(["../c.md", "ò\\.md"]);
  });

  test("whose entry begins within the content of another is refused", async () => {
    const entries: ZipEntry[] = [
      { name: "a", content: "x".repeat(1000), method: 0 },
      { name: "b", content: "x", method: 0, sharedWith: 0, shiftedBy: 100 },
    ];
    await expect(unpack(zipOf(entries))).rejects.toThrow("Its entries overlap.");
  });

  test("whose content lies behind its end gives a sentence, and not what follows it", async () => {
    const { texts } = await unpack(
      zipOf([
        { name: "a", content: "x" },
        { name: "b", content: "x", sharedWith: 0, shiftedBy: 100_000 },
      ]),
    );
    expect(texts["a"]).toBe("x");
    expect(texts["b"]).toMatch(/^b cannot be unpacked: [^.]+\.$/);
  });

  test("with fewer entries than it says is refused in one sentence", async () => {
    await expect(unpack(zipOf([{ name: "a", content: "x" }], { count: 2 }))).rejects.toThrow(
      /^It is damaged: [^.]+\.$/,
    );
  });

  test("with something behind it is refused in one sentence", async () => {
    const packed = Buffer.concat([zipOf([{ name: "a", content: "x" }]), Buffer.from("more")]);
    await expect(unpack(packed)).rejects.toThrow(/^It is no zip that can be read: [^.]+\.$/);
  });

  test("of nothing has no files", async () => {
    expect((await unpack(zipOf([]))).files).toEqual([]);
  });
});

describe("a tar.gz", () => {
  const kept = { name: "kept.md", content: "y" };
  const damaged = /^It is (damaged|no tar\.gz that can be read): [^.]+\.$/;

  test("leaves out sparse files of each kind, and finds what follows them", async () => {
    const map = Buffer.alloc(512);
    map[504] = 1;
    const content = Buffer.concat([map, Buffer.alloc(512), Buffer.alloc(512)]);
    const { texts, refused } = await unpack(
      tarGz(
        { name: "gnu", type: "S", hasMoreMap: true, content, size: "1" },
        pax({ "GNU.sparse.major": "1", "GNU.sparse.name": "pax" }),
        { name: "GNUSparseFile.0/pax", content: "x" },
        kept,
      ),
    );
    expect(texts).toEqual({ "kept.md": "y" });
    const reason = "It is a sparse file: its holes are left out of it.";
    expect(refused).toEqual([
      ["gnu", reason],
      ["pax", reason],
    ]);
  });

  test("leaves out what it does not know, and the content of a link that says it has some", async () => {
    const { texts, refused } = await unpack(
      tarGz({ name: "odd", type: "Z", content: "x" }, { name: "link", type: "2", size: "00000001000" }, kept),
    );
    expect(texts).toEqual({ "kept.md": "y" });
    expect(refused).toEqual([
      ["odd", "It is of a kind that is not known here."],
      ["link", "It is a link or a device."],
    ]);
  });

  test("reads long names of GNU and of pax, and each goes for one entry", async () => {
    const long = `${"n".repeat(200)}.md`;
    const { texts } = await unpack(
      tarGz(
        { name: "l", type: "L", content: `g${long}\0` },
        { name: "a", content: "1" },
        pax({ path: `p${long}` }),
        {
          name: "b",
          content: "2",
        },
        kept,
      ),
    );
    expect(texts).toEqual({ [`g${long}`]: "1", [`p${long}`]: "2", "kept.md": "y" });
  });

  test("has names of a hundred bytes, folders beside them, and folders that end without a slash", async () => {
    const name = "n".repeat(100);
    const { files, refused } = await unpack(
      tarGz(
        { name, prefix: "p".repeat(155), content: "1", mode: "0000100" },
        { name: "folder", type: "5" },
        { name: "old/" },
        { name: "old/a", type: "\0", content: "2" },
        { name: "l", type: "K", content: "far away\0" },
        kept,
      ),
    );
    expect(files).toEqual([
      { path: `${"p".repeat(155)}/${name}`, size: 1, mode: "100755" },
      { path: "old/a", size: 1, mode: "100644" },
      { path: "kept.md", size: 1, mode: "100644" },
    ]);
    expect(refused).toEqual([]);
  });

  test("may give the size beside the header, in binary, or for the whole archive", async () => {
    const binary = Buffer.alloc(12);
    binary[0] = 0x80;
    binary[11] = 2;
    const { texts } = await unpack(
      tarGz(
        { name: "a", content: "12", size: binary },
        pax({ size: "2" }),
        { name: "b", content: "34", size: "0" },
        kept,
      ),
    );
    expect(texts).toEqual({ a: "12", b: "34", "kept.md": "y" });
  });

  test.each<[string, TarEntry[]]>([
    ["more bytes than follow", [{ name: "a", content: "x", size: "00000100000" }]],
    ["a size beyond all numbers", [{ name: "a", size: Buffer.alloc(12, 0xff) }]],
    ["a size that is no number", [{ name: "a", size: "abc" }]],
    ["a size beside the header that is none", [pax({ size: "-1" }), { name: "a" }]],
    ["a size that goes on after its number", [pax({ size: "1x" }), { name: "a", content: "1" }]],
    ["a record of no length", [{ name: "p", type: "x", content: "0 a=b\n" }, { name: "a" }]],
    ["a record of a broken length", [{ name: "p", type: "x", content: "9.5 path=a\n" }, { name: "a" }]],
    ["a record that ends within its key", [{ name: "p", type: "x", content: "2 \n" }, { name: "a" }]],
    ["a record that ends in no line", [{ name: "p", type: "x", content: "8 path=abc\n" }, { name: "a" }]],
    [
      "a record that is longer than its header",
      [{ name: "p", type: "x", content: "99 path=a\n" }, { name: "a" }],
    ],
    ["a record without a length", [{ name: "p", type: "x", content: "path=a\n" }, { name: "a" }]],
  ])("that says %s is refused", async (__, entries) => {
    await expect(unpack(tarGz(...entries))).rejects.toThrow(damaged);
  });

  test("has an extended header of 1 MiB at most", async () => {
    const header = (bytes: number) => {
      const start = `${bytes} comment=`;
      return { name: "p", type: "x", content: `${start.padEnd(bytes - 1, "x")}\n` };
    };
    expect((await unpack(tarGz(header(1024 ** 2), kept))).texts).toEqual({ "kept.md": "y" });
    await expect(unpack(tarGz(header(1024 ** 2 + 1), kept))).rejects.toThrow(
      "It has a header of over 1 MiB.",
    );
  });

  test("gives the content of an entry until the next one, read in part or not at all", async () => {
    const content = "x".repeat(1_000);
    const tar = Buffer.concat([tarOf({ name: "a", content }, { name: "b", content }, kept), tarEnd]);
    async function* chunks() {
      for (let at = 0; at < tar.length; at += 300) yield tar.subarray(at, at + 300);
    }
    const found: [string, number][] = [];
    for await (const { name, content: given } of tarEntries(chunks())) {
      let bytes = 0;
      for await (const chunk of given) {
        bytes += chunk.length;
        if (name === "b") break;
      }
      found.push([name, bytes]);
    }
    expect(found).toEqual([
      ["a", 1_000],
      ["b", expect.toSatisfy((bytes: number) => bytes > 0 && bytes <= 300)],
      ["kept.md", 1],
    ]);
  });

  test("of an enormous size is refused before its content is unpacked", async () => {
    const bomb = [pax({ size: "999999999999999" }), { name: "a", content: Buffer.alloc(20 * 1024 ** 2) }];
    await expect(unpack(tarGz(...bomb))).rejects.toMatchObject({
      message: "It holds more than 100 times what it takes packed.",
      writtenBytes: 256 * 1024,
    });
  });

  test("of headers without end, or zeros, is refused after 64 MiB", { tags: "long" }, async () => {
    const header = tarOf(pax({ comment: "x" }, "g"));
    const headers = Buffer.alloc(65 * 1024 ** 2, header);
    for (const flood of [headers, Buffer.alloc(headers.length)]) {
      const error = await unpack(gzipSync(flood, { level: 1 })).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ message: "It has far more around its files than an archive needs." });
      expect((error as { writtenBytes?: number }).writtenBytes).toBeLessThan(65 * 1024 ** 2);
    }
  });

  test("may have no end, something behind its end, and be cut into members anywhere", async () => {
    const tar = tarOf({ name: "a", content: "1" });
    const cut = Array.from({ length: 32 }, (__, n) => gzipSync(tar.subarray(n * 32, (n + 1) * 32)));
    const all = [
      gzipSync(tar),
      gzipSync(Buffer.concat([tar, tarEnd, Buffer.from("more")])),
      Buffer.concat(cut),
    ];
    for (const packed of all) expect((await unpack(packed)).texts).toEqual({ a: "1" });
  });

  test("with a checksum of its gzip that is another one is refused", async () => {
    const packed = tarGz(kept);
    packed[packed.length - 8]! ^= 1;
    await expect(unpack(packed)).rejects.toThrow(damaged);
  });

  test("of nothing at all is none", async () => {
    await expect(unpack(gzipSync(""))).rejects.toThrow("It is no tar.gz that can be read: it is empty.");
  });

  test("that becomes too slow is ended in the middle", async () => {
    const control = new AbortController();
    const opening = unpack(tarGz({ name: "a", content: Buffer.alloc(9 * 1024 ** 2) }), {
      signal: control.signal,
    });
    control.abort(new Error("Enough."));
    await expect(opening).rejects.toMatchObject({ message: "Enough.", writtenBytes: 0 });
  });
});

test("a file that was cut on the disk after it was unpacked is not given as it is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "promptreg-archives-"));
  await writeFile(join(folder, "a.tar.gz"), tarGz({ name: "a", content: "Hello" }));
  const archive = await openArchive(join(folder, "a.tar.gz"), { scratch: folder });
  await truncate(join(folder, "content"), 514);
  await expect(archive.read("a")).rejects.toThrow("The disk has less than was written.");
  await archive.close();
  await rm(folder, { recursive: true });
});

test("a name of a hundred bytes is written into the header itself, a longer one before it", () => {
  const bytesOf = (path: string) => tarHeader({ path, mode: 0o644, size: 0, seconds: 0 }).length;
  expect([bytesOf("n".repeat(100)), bytesOf("n".repeat(101)), bytesOf("é")]).toEqual([512, 1536, 1536]);
});
