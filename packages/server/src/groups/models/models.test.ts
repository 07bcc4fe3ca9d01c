import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../../test/harness.ts";
import { catalogue } from "@promptreg/core/models";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** All pages of a list, by ids. */
async function idsOf(query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { json } = await server.anonymous(`GET /models?${query}${cursor && `&cursor=${cursor}`}`);
    ids.push(...json.items.map(({ id }: { id: string }) => id));
    cursor = json.nextCursor;
  }
  return ids;
}
const current = catalogue.filter(({ deprecatedAt }) => deprecatedAt === null);

describe("the list of models", () => {
  test.for(["provider", "releasedAt"])(
    "has every current model once, sorted by %s, in pages of any size",
    async (sort) => {
      const all = await idsOf(`sort=${sort}&limit=100`);
      expect([...all].sort()).toEqual(current.map(({ id }) => id).sort());
      expect(await idsOf(`sort=${sort}&limit=7`)).toEqual(all);
      const keys = all.map((id) =>
        sort === "provider" ? id : (catalogue.find((model) => model.id === id)?.releasedAt ?? ""),
      );
      const sorted = [...keys].sort();
      expect(keys).toEqual(sort === "provider" ? sorted : sorted.reverse());
    },
  );

  test("can be of a provider, of a modality, of what is deprecated, and of words", async () => {
    expect(await idsOf("provider=deepseek")).toEqual([
      "deepseek/deepseek-v4-flash",
      "deepseek/deepseek-v4-pro",
    ]);
    expect(await idsOf("modality=audio&provider=openai")).toEqual([]);
    expect(await idsOf("q=haiku+4.5")).toEqual(["anthropic/claude-haiku-4-5-20251001"]);
    expect(await idsOf("q=deepseek+pro")).toEqual(["deepseek/deepseek-v4-pro"]);
    expect(await idsOf("q=CLAUDE-HAIKU-4-5")).toEqual(["anthropic/claude-haiku-4-5-20251001"]);
    // By another name of it.
    expect(await idsOf("q=mistral-large-latest")).toEqual(["mistral/mistral-large-2512"]);
    const deprecated = await idsOf("deprecated=true");
    expect(deprecated).toContain("openai/gpt-4o");
    expect(deprecated.length + current.length).toBe(catalogue.length);
    expect((await server.anonymous("GET /models?modality=smell")).status).toBe(422);
  });

  test("names every model once, with a provider and figures that are numbers", () => {
    expect(new Set(catalogue.map(({ id }) => id)).size).toBe(catalogue.length);
    for (const { id, provider, name, displayName, modalities, ...figures } of catalogue) {
      expect(id).toBe(`${provider}/${name}`);
      expect([id, displayName !== "", modalities.input.length > 0, modalities.output.length > 0]).toEqual([
        id,
        true,
        true,
        true,
      ]);
      for (const figure of [figures.contextWindow, figures.maxOutput, figures.pricing?.inputPerMTok ?? null])
        expect([id, figure === null || figure > 0]).toEqual([id, true]);
    }
  });
});
