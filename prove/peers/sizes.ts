import { relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { printTable } from "./table.ts";

/** What an application imports of each, and how large it may be: minified and compressed, in bytes. */
const imports: { name: string; contents: string; limit?: number }[] = [
  {
    name: "@promptreg/client, cache included",
    contents: 'export { createClient } from "@promptreg/client"',
    limit: 17_300,
  },
  {
    name: "@promptreg/core/webhooks, to verify",
    contents: 'export { verify, receive, WebhookVerificationError } from "@promptreg/core/webhooks"',
    limit: 1_500,
  },
  { name: "ky", contents: 'export { default } from "ky"' },
  { name: "@octokit/core", contents: 'export { Octokit } from "@octokit/core"' },
  { name: "stripe", contents: 'export { default } from "stripe"' },
  { name: "@langfuse/client", contents: 'export { LangfuseClient } from "@langfuse/client"' },
  { name: "langsmith", contents: 'export { Client } from "langsmith"' },
  { name: "openai", contents: 'export { default } from "openai"' },
];

interface Size {
  entry: number;
  /** What is fetched only when it is needed. */
  lazy: number;
  minified: number;
}

/**
 * Prints what each adds to a page, with all that it needs: the entry with what it loads at once, and what it loads later.
 * Gives what is wrong with ours: a size over its limit.
 * @throws {Error} when one of ours brings zod or the contract along.
 */
export async function compareSizes(): Promise<string[]> {
  const rows = [];
  const problems: string[] = [];
  for (const { name, contents, limit } of imports) {
    const { entry, lazy, minified } = await sizeOf(contents, limit !== undefined);
    const isOver = limit !== undefined && entry > limit;
    if (isOver) problems.push(`${name} takes ${entry} bytes, more than ${limit}.`);
    const verdict = limit === undefined ? "" : `${print(limit)} ${isOver ? "✗" : "✓"}`;
    rows.push([name, print(minified), print(entry), print(lazy), verdict]);
  }
  printTable("Tree-shaken sizes, in bytes, esbuild for browsers, gzip -9", [
    ["", "minified", "gzipped", "and lazily", "limit"],
    ...rows,
  ]);
  return problems;
}

async function sizeOf(contents: string, isOurs: boolean): Promise<Size> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: resolveDirOf(contents) },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    // Some of them resolve for no other platform; for those that do, "neutral" comes to the same.
    platform: "browser",
    outdir: "bundled",
    metafile: true,
    write: false,
    logLevel: "error",
  });
  const strange = Object.keys(metafile.inputs).filter((path) => /zod|contract/.test(path));
  if (isOurs && strange.length > 0) throw new Error(`${contents} brings ${strange.join(", ")} along.`);
  const [entry = ""] =
    Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint !== undefined) ?? [];
  const atOnce = loadedWith(entry, metafile.outputs);
  const size: Size = { entry: 0, lazy: 0, minified: 0 };
  for (const { path, contents: bytes } of outputFiles) {
    const isAtOnce = atOnce.has(relative(process.cwd(), path));
    if (isAtOnce) size.minified += bytes.length;
    size[isAtOnce ? "entry" : "lazy"] += gzipSync(bytes, { level: 9 }).length;
  }
  return size;
}

type Outputs = Record<string, { imports: { path: string; kind: string }[] }>;

function loadedWith(path: string, outputs: Outputs, known = new Set<string>()): Set<string> {
  if (known.has(path)) return known;
  known.add(path);
  for (const { path: next, kind } of outputs[path]?.imports ?? [])
    if (kind === "import-statement") loadedWith(next, outputs, known);
  return known;
}

/** ky is found where the client finds it, so that it is the same. */
const resolveDirOf = (contents: string) =>
  contents.includes('"ky"') ? `${import.meta.dirname}/../../packages/client` : import.meta.dirname;

const print = (bytes: number) => bytes.toLocaleString("en");
