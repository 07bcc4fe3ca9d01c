import { createClient } from "@promptreg/client";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
const client = createClient({ baseUrl, token, fetch });
afterAll(() => registry.close());

let slug: string;
let made = 0;
beforeEach(async () => {
  slug = `reply-${(made += 1)}`;
  const files = [{ path: "PROMPT.md", content: "Hello" }];
  const body = { kind: "text" as const, slug, title: "Reply", files, labels: ["production"] };
  await client.prompts.create({ body });
  await client.prompts.versions.create({
    owner: "ada",
    slug,
    body: { files: [{ ...files[0]!, content: "Two" }] },
  });
});

const move = (versionNumber: number, reason?: string) =>
  client.prompts.labels.put({ owner: "ada", slug, name: "production", body: { versionNumber, reason } });

/** Begins to follow; `stop` is Ctrl-C, and gives how it ended. */
function follow(...options: string[]) {
  const interrupt = new AbortController();
  const written = { stdout: "", stderr: "" };
  const around = { interrupt: interrupt.signal, written };
  const running = registry.cli(["label", "follow", `ada/${slug}`, "production", ...options], around);
  return {
    running,
    written,
    /** Waits until it has said where the label is. */
    begun: () => vi.waitUntil(() => written.stderr !== "", { timeout: 20_000 }),
    /** Waits until it has shown so many moves. */
    shown: (moves: number) =>
      vi.waitUntil(() => written.stdout.split("\n").length > moves, { timeout: 20_000 }),
    stop: async () => {
      interrupt.abort();
      return running;
    },
  };
}

describe("following a label", () => {
  test("shows each move with its reason, oldest first, until Ctrl-C", async () => {
    const { begun, shown, stop } = follow();
    await begun();
    await move(2, "Better");
    await move(1, "Worse after all");
    await shown(2);
    const { exitCode, stdout, stderr } = await stop();
    expect(stdout.replaceAll(/^\S+Z/gm, "TIME")).toBe(
      "TIME  1 → 2  by ada: Better\nTIME  2 → 1  by ada: Worse after all\n",
    );
    expect(stderr).toBe(`production of ada/${slug} is at version 1. Press Ctrl-C to stop.\n`);
    expect(exitCode).toBe(130);
  });

  test("sees that it is removed and made again, as lines of JSON", { tags: "long" }, async () => {
    const { begun, shown, stop } = follow("--json");
    await begun();
    await client.prompts.labels.delete({ owner: "ada", slug, name: "production" });
    await shown(1);
    await move(2);
    await shown(2);
    const { stdout } = await stop();
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { ref: `ada/${slug}`, fromVersionNumber: 1, toVersionNumber: null },
      { ref: `ada/${slug}`, fromVersionNumber: null, toVersionNumber: 2 },
    ]);
  });

  test("waits for a registry that is away, and says so once", { tags: "long" }, async () => {
    registry.fail({ cut: "before" }, { on: "prompts.get" });
    const { shown, written, stop } = follow();
    await vi.waitUntil(() => written.stderr.includes("Waiting for the registry"), { timeout: 50_000 });
    registry.heal();
    await move(2);
    await shown(1);
    const { stdout, stderr } = await stop();
    expect(stdout).toContain("1 → 2");
    expect(stderr.match(/Waiting for the registry/g)).toHaveLength(1);
    expect(stderr).toContain("The registry is back.");
  });

  test("ends for a label that there never was, and for a prompt that is deleted", async () => {
    const unknown = await registry.cli(["label", "follow", `ada/${slug}`, "staging"]);
    expect([unknown.exitCode, unknown.stderr]).toEqual([4, expect.stringContaining(`has no label staging`)]);
    const { begun, running } = follow();
    await begun();
    await client.prompts.delete({ owner: "ada", slug });
    expect((await running).exitCode).toBe(4);
  });
});
