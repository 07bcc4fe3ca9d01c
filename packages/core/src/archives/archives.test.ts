import { randomFillSync } from "node:crypto";
import { gzipSync } from "node:zlib";
import { packTar, type TarEntry } from "modern-tar";
import { describe, expect, test } from "vitest";
import { unpack } from "./testing/unpack.ts";
import { type ZipEntry, zipOf } from "./testing/zip.ts";

type Input = Record<string, string>;
const zip = (files: Input, options = {}) =>
  zipOf(
    Object.entries(files).map(([name, content]) => ({ name, content })),
    options,
  );
const file = (name: string, body: string, header = {}): TarEntry => ({
  header: { name, size: Buffer.byteLength(body), ...header },
  body,
});
const tarGz = async (...entries: TarEntry[]) => gzipSync(await packTar(entries));
const packers: Record<string, (files: Input) => Promise<Buffer>> = {
  zip: async (files) => zip(files),
  "tar.gz": (files) => tarGz(...Object.entries(files).map(([name, body]) => file(name, body))),
};
const kinds = Object.keys(packers);

describe.each(kinds)("a %s", (kind) => {
  const pack = packers[kind]!;

  test("gives its files in any order, and an empty one too", async () => {
    const { texts, files, refused } = await unpack(await pack({ "b/a.md": "Hello", empty: "", "é.md": "É" }));
    expect(texts).toEqual({ "b/a.md": "Hello", empty: "", "é.md": "É" });
    expect(files[0]).toEqual({ path: "b/a.md", size: 5, mode: "100644" });
    expect(refused).toEqual([]);
  });

  test("loses the folder that holds all its files only when asked, and never one of several", async () => {
    const one = { "p-1/a": "1", "p-1/b/c": "2" };
    expect(Object.keys((await unpack(await pack(one), { stripRoot: true })).texts)).toEqual(["a", "b/c"]);
    expect(Object.keys((await unpack(await pack(one))).texts)).toEqual(["p-1/a", "p-1/b/c"]);
    const several: Input[] = [
      { "a/b": "", "c/d": "" },
      { "a/b": "", d: "" },
    ];
    for (const files of several)
      expect(Object.keys((await unpack(await pack(files), { stripRoot: true })).texts)).toEqual(
        Object.keys(files),
      );
  });

  test("leaves out what leads elsewhere, and names it", async () => {
    const { texts, refused } = await unpack(
      await pack({
        "../../etc/passwd": "x",
        "/etc/passwd": "x",
        "C:\\windows": "x",
        "C:/windows": "x",
        "a//b": "x",
        "a/./b": "x",
        "a\u0001b": "x",
        ["n/".repeat(600)]: "",
        [`${"n/".repeat(512)}x`]: "x",
        "./kept.md": "y",
      }),
    );
    expect(texts).toEqual({ "kept.md": "y" });
    expect(refused).toHaveLength(8);
  });

  test("has a path once: the first entry counts, and an equal name in other code points is the same", async () => {
    const { texts, refused } = await unpack(
      kind === "zip"
        ? zipOf([
            { name: "\u00e9.md", content: "1" },
            { name: "e\u0301.md", content: "2" },
          ])
        : await tarGz(file("\u00e9.md", "1"), file("e\u0301.md", "2")),
    );
    expect(texts).toEqual({ "\u00e9.md": "1" });
    expect(refused).toEqual([["e\u0301.md", "Another entry has this path."]]);
  });

  test("of too many entries is refused", { tags: "long" }, async () => {
    const files = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`${index}`, ""]));
    await expect(unpack(await pack(files))).rejects.toThrow("It has more than 20000 files and folders.");
  });

  test("that holds far more than it takes is refused, and nearly nothing of it is unpacked", async () => {
    const packed = await pack({ "a.txt": "a".repeat(30 * 1024 ** 2) });
    expect(packed.length).toBeLessThan(100_000);
    const error = await unpack(packed).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      message: "It holds more than 100 times what it takes packed.",
      // A chunk, which has the header.
      writtenBytes: kind === "zip" ? 0 : 256 * 1024,
    });
  });

  test("may be packed tightly if it is small", async () => {
    const content = ["a", "b"].map((letter) => letter.repeat(5 * 1024 ** 2)).join("");
    const { texts } = await unpack(await pack({ "a.txt": content }));
    expect(texts["a.txt"] === content).toBe(true);
    await expect(unpack(await pack({ "a.txt": `${content}c` }))).rejects.toThrow(
      "It holds more than 100 times",
    );
  });

  test("that is cut off is refused, wherever", async () => {
    const whole = await pack({ "a.txt": "Hello ".repeat(100), "b.txt": "World ".repeat(100) });
    for (const length of [5, 20, Math.floor(whole.length / 2), whole.length - 10])
      await expect(unpack(whole.subarray(0, length))).rejects.toThrow(/^It is (no (zip|tar\.gz)|damaged)/);
  });

  test("ends when it is told to", async () => {
    const packed = await pack({ "a.txt": "a" });
    await expect(unpack(packed, { signal: AbortSignal.abort(new Error("Enough.")) })).rejects.toThrow(
      "Enough.",
    );
  });

  test("in an archive stays a file", async () => {
    const inner = (await pack({ a: "1" })).toString("latin1");
    const { files } = await unpack(await pack({ "inner.bin": inner }));
    expect(files).toMatchObject([{ path: "inner.bin" }]);
  });
});

describe("a zip", () => {
  const one = (entry: Partial<ZipEntry>) => unpack(zipOf([{ name: "a.txt", content: "Hello", ...entry }]));

  test("whose entries share their content is refused", async () => {
    const entries: ZipEntry[] = [{ name: "0", content: "x".repeat(100) }];
    for (let n = 1; n < 50; n += 1)
      entries.push({ name: String(n), content: "x".repeat(100), sharedWith: 0 });
    await expect(unpack(zipOf(entries))).rejects.toThrow("Its entries overlap.");
  });

  test("that says less of a file than is in it gives no byte more, and a damaged one is told", async () => {
    expect((await one({ size: 3 })).texts["a.txt"]).toMatch(/^a\.txt cannot be unpacked: /);
    expect((await one({ size: 30 })).texts["a.txt"]).toMatch(/^a\.txt cannot be unpacked: /);
    expect((await one({ crc: 1 })).texts["a.txt"]).toBe("a.txt is damaged: its checksum is another one.");
  });

  test("of a hundred gigabytes, as it says, is refused before anything is unpacked", async () => {
    await expect(one({ size: 0xf0000000 })).rejects.toThrow(
      "It holds more than 100 times what it takes packed.",
    );
  });

  test("leaves out what is encrypted, packed in a way not known, a link or a device", async () => {
    expect((await one({ flags: 1 })).refused).toEqual([["a.txt", "It is encrypted."]]);
    expect((await one({ method: 99 })).refused).toEqual([
      ["a.txt", "It is packed by method 99, which is not known here."],
    ]);
    for (const mode of [0o120777, 0o020666, 0o060666])
      expect((await one({ mode })).refused).toEqual([["a.txt", "It is a link or a device."]]);
  });

  test("keeps who may run a file, which no other system than Unix says", async () => {
    expect((await one({ mode: 0o100755 })).files[0]?.mode).toBe("100755");
    for (const mode of [0o100755, 0o120777, 0])
      expect((await one({ mode, madeOn: 0 })).files[0]?.mode).toBe("100644");
  });

  test("may not say that its names are UTF-8, and may have those of the first zips", async () => {
    const names = [Buffer.from("größe.md"), Buffer.from([0x82, 0x2e, 0x6d, 0x64])];
    const { texts } = await unpack(zipOf(names.map((name) => ({ name, content: "x" }))));
    expect(Object.keys(texts)).toEqual(["größe.md", "é.md"]);
  });

  test("says which commit git made it of", async () => {
    const commit = "0123456789abcdef0123456789abcdef01234567";
    const commitIn = async (comment: string) => (await unpack(zip({ a: "1" }, { comment }))).commit;
    const ofSha256 = `${commit}${commit.slice(0, 24)}`;
    expect([await commitIn(commit), await commitIn(ofSha256)]).toEqual([commit, ofSha256]);
    for (const comment of ["Hello", `x ${commit}`, `${commit} x`, `${commit}0`])
      expect(await commitIn(comment)).toBeNull();
  });

  test("with a count that is no truth is no way around the limits", async () => {
    await expect(unpack(zip({ a: "1" }, { count: 30_000 }))).rejects.toThrow("more than 20000 files");
    expect(Object.keys((await unpack(zip({ a: "1", b: "2" }, { count: 1 }))).texts)).toEqual(["a"]);
  });
});

describe("a tar.gz", () => {
  test("leaves out links and devices, and a file through a link is only a file", async () => {
    const link = (
      name: string,
      type: "symlink" | "link" | "character-device" | "fifo",
      linkname = "/etc",
    ) => ({
      header: { name, size: 0, type, linkname },
    });
    const { texts, refused } = await unpack(
      await tarGz(
        link("etc", "symlink"),
        file("etc/passwd", "mine"),
        link("hard", "link", "etc/passwd"),
        link("tty", "character-device"),
        link("pipe", "fifo"),
        { header: { name: "dir/", size: 0, type: "directory" } },
      ),
    );
    expect(texts).toEqual({ "etc/passwd": "mine" });
    expect(refused.map(([path]) => path)).toEqual(["etc", "hard", "tty", "pipe"]);
  });

  test("puts nothing on the disk under a name of its own", async () => {
    const { names } = await unpack(await tarGz(file("a/b.md", "1"), file("../c.md", "2")));
    expect(names).toEqual(["content"]);
  });

  test("may have long names, several members, and who may run a file", async () => {
    const name = `${"long-".repeat(40)}/${"name-".repeat(40)}.md`;
    const tar = await packTar([file(name, "1"), file("run.sh", "2", { mode: 0o755 })]);
    const members = Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))]);
    const { texts, files } = await unpack(members);
    expect(texts).toEqual({ [name]: "1", "run.sh": "2" });
    expect(files.map(({ mode }) => mode)).toEqual(["100644", "100755"]);
  });

  test("says which commit git made it of", async () => {
    const commit = "0123456789abcdef0123456789abcdef01234567";
    const commitIn = async (comment: string) =>
      (await unpack(await tarGz(file("a", "1", { pax: { comment } })))).commit;
    expect(await commitIn(commit)).toBe(commit);
    for (const comment of [`x ${commit}`, `${commit} x`, `${commit}0`])
      expect(await commitIn(comment)).toBeNull();
  });

  test("that holds no tar, or a damaged one, is refused", async () => {
    await expect(unpack(gzipSync("Hello".repeat(1000)))).rejects.toThrow("It is no tar.gz that can be read");
    const tar = Buffer.from(await packTar([file("a", "1")]));
    tar[0] = 0x62;
    await expect(unpack(gzipSync(tar))).rejects.toThrow("checksum");
  });

  test("whose header is larger than any is refused", async () => {
    const bomb = file("a", "1", { pax: { comment: "x".repeat(9 * 1024 ** 2) } });
    await expect(unpack(await tarGz(bomb))).rejects.toThrow("It has a header of over 1 MiB.");
  });

  test("may have 20,000 folders, and not one more", { tags: "long" }, async () => {
    const folders = Array.from({ length: 20_001 }, (_, index) => ({
      header: { name: `${index}/`, size: 0, type: "directory" as const },
    }));
    expect((await unpack(await tarGz(...folders.slice(1)))).files).toEqual([]);
    await expect(unpack(await tarGz(...folders))).rejects.toThrow("more than 20000 files and folders");
  });

  test("may have more content than may stand around it", { tags: "long" }, async () => {
    const content = Buffer.alloc(65 * 1024 ** 2);
    randomFillSync(content, 0, 1024 ** 2);
    const tar = await packTar([
      { header: { name: "a", size: content.length }, body: content },
      file("b", "1"),
    ]);
    const { files } = await unpack(gzipSync(tar, { level: 1 }));
    expect(files.map(({ size }) => size)).toEqual([content.length, 1]);
  });
});

test("anything else is no archive", async () => {
  for (const bytes of [Buffer.from("Hello"), Buffer.alloc(0), Buffer.from("Rar!\x1a\x07")])
    await expect(unpack(bytes)).rejects.toThrow("It is no zip and no tar.gz.");
});
