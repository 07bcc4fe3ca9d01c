/**
 * Packs the four packages, checks them with publint and attw, and installs and runs them as a stranger would, who also
 * compiles a receiver against the published declarations and bundles it.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { proveLight } from "./light.ts";

const root = join(import.meta.dirname, "../..");
const bin = join(import.meta.dirname, "node_modules/.bin");
const folder = mkdtempSync(join(tmpdir(), "promptreg-packages-"));

const run = (command: string, args: string[], cwd: string) => {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
};

const types = join(root, "node_modules/@types");
const receiver = `
  import { once, receive, type WebhookEnvelope } from "@promptreg/core/webhooks";
  import { receiveSync } from "@promptreg/core/webhooks/node";
  const event = Math.random() > 0.5 ? await receive("", "", "") : receiveSync("", "", "");
  switch (event.event) {
    case "prompt.label.moved":
      event.data.label.versionNumber satisfies number;
      // @ts-expect-error Only a version has a content hash.
      event.data.version.contentHash;
      break;
    case "eval.run.completed":
    case "eval.run.failed":
      event.data.run.verdict satisfies "pass" | "fail" | null;
      break;
    case "ping":
      // @ts-expect-error A ping is about no prompt.
      event.data.prompt;
      break;
    case "prompt.version.created":
    case "prompt.published":
    case "prompt.deleted":
    case "change_request.opened":
    case "change_request.merged":
    case "make.linked":
    case "make.approved":
      event.data.prompt.ref satisfies string;
      break;
    case "comment.created":
      event.data.prompt?.ref satisfies string | undefined;
      break;
    default: {
      const other: WebhookEnvelope = event satisfies never;
      other.event satisfies string;
    }
  }
  const marks = new Map<string, string>();
  await once(event, { begin: (id) => marks.get(id), end: (id) => marks.delete(id) }, ({ data }) => data);`;

const tested = `
  import { createClient } from "@promptreg/client";
  import { startRegistry } from "@promptreg/server/testing";
  const registry = await startRegistry();
  const client = createClient(registry);
  const { handle } = await client.users.me.get();
  // Its detection runs in a process, from a file of its own.
  const { id } = await client.imports.create({ body: { source: { type: "paste", text: "Hello {{name}}" } } });
  await registry.deliver();
  const { status, items } = await client.imports.get({ id });
  await registry.close();
  console.log(handle satisfies string, status, items.length);`;

const light = `
  import { createClient } from "@promptreg/client";
  import { createTestRegistry } from "@promptreg/client/testing";
  const client = createClient(createTestRegistry());
  const files = [{ path: "PROMPT.md", content: "Hello {{name}}" }];
  await client.prompts.create({ body: { kind: "text", slug: "greeting", title: "Greeting", files } });
  const { text } = await client.prompt("ada/greeting").compile({ name: "Ada" });
  const name = { owner: "ada", slug: "greeting", name: "latest" };
  // What core refuses is answered, and not thrown: its errors are the client's.
  const refused = client.prompts.labels.put({ ...name, body: { versionNumber: 1 } });
  const { status } = await refused.catch((error: { status: number }) => error) as { status: number };
  const { code } = await client.webhooks.list().catch((error: { code: string }) => error) as { code: string };
  console.log(text, code, status);
  if (status !== 422) throw new Error("A rule was thrown.");`;

/** What these names of an entry add to a program at once: minified, compressed, in bytes. */
function bundledSize(entry: string, names: string): number {
  const { outputFiles, metafile } = buildSync({
    stdin: { contents: `export { ${names} } from "${entry}";`, resolveDir: folder },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    external: ["node:crypto"],
    outdir: "bundled",
    metafile: true,
    write: false,
  });
  const strange = Object.keys(metafile.inputs).filter((path) => /zod|contract/.test(path));
  if (strange.length > 0) throw new Error(`${entry} brings ${strange.join(", ")} along.`);
  const imports = metafile.outputs["bundled/stdin.js"]?.imports ?? [];
  if (imports.some(({ kind, external }) => kind === "import-statement" && !external))
    throw new Error(`${entry} loads a part at once that it should load when it is needed.`);
  const file = outputFiles.find(({ path }) => path.endsWith("stdin.js"));
  return gzipSync(file?.contents ?? "", { level: 9 }).length;
}

try {
  run("npm", ["run", "-s", "pack", "--", folder], root);
  const packed = readdirSync(folder).map((name) => join(folder, name));
  for (const file of packed) {
    run(join(bin, "publint"), ["--strict", file], folder);
    // The command line exports nothing that could be imported.
    if (!file.includes("-cli-"))
      run(join(bin, "attw"), ["--profile", file.includes("-server-") ? "esm-only" : "node16", file], folder);
    console.log(`✓ ${file.slice(folder.length + 1)} ${Math.round(statSync(file).size / 1024)} KiB`);
  }

  for (const file of packed) {
    const strange = run("tar", ["tzf", file], folder).match(/.*(?:\.map|\.tsbuildinfo|src\/.*)$/gm) ?? [];
    if (strange.length > 0) throw new Error(`${file} holds ${strange.join(", ")}.`);
    if (run("tar", ["xzOf", file, "package/package.json"], folder).includes("workspace:"))
      throw new Error(`${file} depends on a workspace. Pack it by \`npm run pack\`.`);
  }
  const alone = packed.filter((file) => /-(?:core|client)-/.test(file));
  proveLight(join(folder, "light"), alone, run);

  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  run("npm", ["install", "--no-audit", "--no-fund", ...packed], folder);
  const use = `
    import { createClient, parseRef } from "@promptreg/client";
    import { signSync, verifySync } from "@promptreg/core/webhooks/node";
    const { owner } = parseRef("ada/greeting@production");
    verifySync("{}", signSync("{}", "whsec_test"), "whsec_test");
    console.log(owner, typeof createClient({ baseUrl: "http://127.0.0.1:9" }).prompts.labels.put);`;
  writeFileSync(join(folder, "use.js"), use);
  console.log(`✓ installed and used: ${run(process.execPath, ["use.js"], folder).trim()}`);

  writeFileSync(join(folder, "receiver.ts"), receiver);
  writeFileSync(join(folder, "tested.ts"), tested);
  writeFileSync(join(folder, "light.ts"), light);
  const strict = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  run(
    join(root, "node_modules/.bin/tsc"),
    [...strict, "--typeRoots", types, "receiver.ts", "tested.ts", "light.ts"],
    folder,
  );
  console.log("✓ events are told apart by the published declarations");
  console.log(
    `✓ a registry of a test's own, with ${run(process.execPath, ["tested.ts"], folder).trim()} in it`,
  );
  console.log(`✓ one in memory says: ${run(process.execPath, ["light.ts"], folder).trim()}`);

  const verifier = "verify, receive, WebhookVerificationError";
  const sizes = {
    "@promptreg/core/webhooks": [verifier, `${verifier}, sign, once`],
    "@promptreg/core/webhooks/node": [
      "verifySync, receiveSync, WebhookVerificationError",
      "verifySync, receiveSync, signSync, once, WebhookVerificationError",
    ],
  };
  for (const [entry, [least = "", whole = ""]] of Object.entries(sizes)) {
    const size = bundledSize(entry, least);
    if (size > 1500) throw new Error(`${entry} brings ${size} bytes to a receiver, more than 1.5 kB.`);
    console.log(`✓ ${entry}: ${size} bytes to verify, ${bundledSize(entry, whole)} with everything`);
  }
  const size = bundledSize("@promptreg/client", "createClient");
  // The names of the parts that it loads later have a hash, which compresses to 2 bytes more or less.
  if (size > 17_100) throw new Error(`The client takes ${size} bytes of a page, more than 17.1 kB.`);
  console.log(`✓ @promptreg/client: ${size} bytes with its cache`);

  for (const name of ["promptreg", "promptreg-server"]) {
    const version = run(join(folder, "node_modules/.bin", name), ["--version"], folder).trim();
    console.log(`✓ ${name} ${version}`);
  }
  const migrated = run(join(folder, "node_modules/.bin/promptreg-server"), ["migrate"], folder);
  console.log(`✓ promptreg-server migrate, on its own PostgreSQL: ${migrated.trim()}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
