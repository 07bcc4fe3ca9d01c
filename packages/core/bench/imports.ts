/**
 * How long an import of an archive takes, against unpacking it bare with the library that reads it; how much memory 1 GiB of content
 * takes; and how long `promptreg init` takes for a tree of a thousand files.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { createTarPacker, packTar } from "modern-tar";
import { unpackTar } from "modern-tar/fs";
import { openPromise } from "yauzl";
import { openArchive } from "../src/archives/index.ts";
import { zipOf } from "../src/archives/testing/zip.ts";
import { detect } from "../src/imports/index.ts";
import { compare } from "../../../scripts/bench/compare.ts";
import { isShort } from "../../../scripts/short.ts";

let runs = 0;
const folder = await mkdtemp(join(tmpdir(), "promptreg-bench-"));
try {
  if (process.argv[2] === "memory") await measureMemory(process.argv[3] ?? "");
  else await measureAll();
} finally {
  await rm(folder, { recursive: true });
}

async function measureAll(): Promise<void> {
  const files = repository(isShort ? 200 : 2_000);
  const zip = join(folder, "repository.zip");
  const tar = join(folder, "repository.tar.gz");
  await writeFile(zip, zipOf(files.map(([name, content]) => ({ name, content }))));
  const entries = files.map(([name, body]) => ({ header: { name, size: Buffer.byteLength(body) }, body }));
  await pipeline(Readable.from([await packTar(entries)]), createGzip(), createWriteStream(tar));
  const rounds = { rounds: 7, roundMs: 1 };
  // The speed may be a third.
  await compare(
    `zip, ${files.length} files`,
    { bare: () => unpackZip(zip), ours: () => importAll(zip) },
    rounds,
  );
  await compare(
    `tar.gz, ${files.length} files`,
    { bare: () => unpackTarGz(tar), ours: () => importAll(tar) },
    rounds,
  );
  await writeLarge(join(folder, "large.tar.gz"));
  const memory = spawnSync(
    process.execPath,
    ["--conditions=@promptreg/source", import.meta.filename, "memory", join(folder, "large.tar.gz")],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  if (memory.status !== 0) throw new Error("The measurement of memory failed.");
  await measureInit();
}

/** Files as a repository of prompts has them: skills with scripts, rules, commands, and what is none of these. */
function repository(count: number): [path: string, text: string][] {
  const text = "Write what changed, and why. Keep the lines short, and the words plain.\n".repeat(30);
  return Array.from({ length: count }, (_, n): [string, string] => {
    if (n % 4 === 0)
      return [`p-1/skills/s${n}/SKILL.md`, `---\nname: s${n}\ndescription: Does ${n}.\n---\n${text}`];
    if (n % 4 === 1) return [`p-1/skills/s${n - 1}/scripts/run.py`, `print(${n})\n${text}`];
    if (n % 4 === 2)
      return [`p-1/.cursor/rules/r${n}.mdc`, `---\nglobs: *.ts\nalwaysApply: false\n---\n${text}`];
    return [`p-1/.claude/commands/c${n}.md`, `Do ${n} with $ARGUMENTS.\n${text}`];
  });
}

/** To the disk, as whoever imports by hand would do. */
async function unpackZip(file: string): Promise<void> {
  const target = join(folder, `bare-${(runs += 1)}`);
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false });
  const made = new Set<string>();
  for await (const entry of zip.eachEntry()) {
    const place = join(target, entry.fileName);
    if (!made.has(dirname(place))) await mkdir(dirname(place), { recursive: true });
    made.add(dirname(place));
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(place));
  }
  zip.close();
  await rm(target, { recursive: true });
}

async function unpackTarGz(file: string): Promise<void> {
  const target = join(folder, `bare-${(runs += 1)}`);
  await pipeline(createReadStream(file), createGunzip(), unpackTar(target));
  await rm(target, { recursive: true });
}

/** All of an import but the writing: what is found, and every file that comes along. */
async function importAll(file: string): Promise<number> {
  const scratch = join(folder, `scratch-${(runs += 1)}`);
  await mkdir(scratch);
  const archive = await openArchive(file, { scratch, stripRoot: true });
  let count = 0;
  for await (const found of detect(archive)) {
    if (!("prompt" in found)) throw new Error(found.refused.reason);
    for (const { from } of found.prompt.taken) await archive.read(from.path);
    count += 1;
  }
  await archive.close();
  await rm(scratch, { recursive: true });
  return count;
}

/** 1 GiB of content, half of it as hard to pack as can be. */
async function writeLarge(file: string): Promise<void> {
  const { readable, controller } = createTarPacker();
  const done = pipeline(
    Readable.fromWeb(readable as never),
    createGzip({ level: 1 }),
    createWriteStream(file),
  );
  const size = 16 * 1024 ** 2;
  const chunk = Buffer.concat([randomBytes(2 * 1024 ** 2), Buffer.alloc(2 * 1024 ** 2)]);
  for (let n = 0; n < (isShort ? 4 : 64); n += 1) {
    const writer = controller.add({ name: `prompts/${n}.jsonl`, size }).getWriter();
    for (let at = 0; at < size; at += chunk.length) await writer.write(chunk);
    await writer.close();
  }
  controller.finalize();
  await done;
}

async function measureMemory(file: string): Promise<void> {
  const rest = process.memoryUsage.rss();
  let most = rest;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
  const scratch = join(folder, "scratch");
  await mkdir(scratch);
  const archive = await openArchive(file, { scratch });
  const bytes = archive.files.reduce((sum, { size }) => sum + size, 0);
  for await (const _ of detect(archive));
  await archive.close();
  clearInterval(timer);
  const mebibytes = (n: number) => `${Math.round(n / 1024 ** 2)} MiB`;
  console.log(`  ${mebibytes(bytes)} unpacked: ${mebibytes(most - rest)} over rest (limit 200)`);
}

async function measureInit(): Promise<void> {
  const main = join(import.meta.dirname, "../../cli/dist/main.js");
  const tree = join(folder, "tree");
  for (const [path, text] of repository(1_000)) {
    const file = join(tree, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const { PROMPTREG_TOKEN: _, ...env } = process.env;
  const run = (cwd: string, ...args: string[]) => {
    const startedAt = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd,
      env: { ...env, XDG_CONFIG_HOME: folder },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    return performance.now() - startedAt;
  };
  const times: number[] = [];
  for (let n = 0; n < (isShort ? 1 : 5); n += 1) {
    const copy = join(folder, `tree-${n}`);
    await cp(tree, copy, { recursive: true });
    times.push(run(copy, main, "init", ".", "--yes"));
  }
  const median = times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
  const bare = run(folder, "-e", "0");
  console.log(
    `  promptreg init of 1,000 files: ${(median / 1000).toFixed(2)} s (limit 2), Node alone ${(bare / 1000).toFixed(2)} s`,
  );
}
