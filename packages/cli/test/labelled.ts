import { createClient, type Label } from "@promptreg/client";
import type { RealRegistry } from "./real.ts";

/** What tests of labels do with a registry, as ada. */
export function labelling(registry: RealRegistry) {
  const client = createClient(registry);

  /** Makes a prompt whose versions say their number. */
  async function make(slug: string, versions: number) {
    const files = (n: number) => [{ path: "PROMPT.md", content: `Version ${n}\n` }];
    await client.prompts.create({
      body: { slug, kind: "text", visibility: "public", title: slug, files: files(1), message: "First" },
    });
    for (let n = 2; n <= versions; n += 1)
      await client.prompts.versions.create({ owner: "ada", slug, body: { files: files(n) } });
  }

  const put = (slug: string, name: string, versionNumber: number, reason?: string) =>
    client.prompts.labels.put({
      owner: "ada",
      slug,
      name,
      body: { versionNumber, reason },
    }) as Promise<Label>;
  const yank = (slug: string, n: number) => client.prompts.versions.yank({ owner: "ada", slug, n, body: {} });
  const label = (verb: string, ...args: string[]) => registry.cli(["label", verb, ...args]);
  const whereIs = async (slug: string, name: string) =>
    (await client.prompts.labels.list({ owner: "ada", slug })).items.find((one) => one.name === name)
      ?.versionNumber;

  return { client, make, put, yank, label, whereIs };
}
