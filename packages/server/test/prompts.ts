import { expect } from "vitest";
import type { Person } from "./harness.ts";
import type { Answer } from "./requests.ts";

/** The files of a prompt that is a text. */
export const filesOf = (content: string) => [{ path: "PROMPT.md", content }];

/** The body that makes a public prompt, unless `fields` say otherwise. */
export const promptOf = (slug: string, fields: object = {}) => ({
  kind: "text",
  visibility: "public",
  slug,
  title: "A greeting",
  files: filesOf("Hello"),
  ...fields,
});

/** Makes a prompt of somebody's, with as many `versions`, of which each has its own text; gives what was answered. */
export async function publish(who: Person, slug: string, fields: object = {}): Promise<any> {
  const { versions = 1, ...said } = fields as { versions?: number };
  const { status, json } = await who.request("POST /prompts", { body: promptOf(slug, said) });
  expect(status).toBe(201);
  for (let n = 2; n <= versions; n++) await commit(who, slug, `text ${n}`);
  return json;
}

/** Makes the next version of somebody's prompt. */
export const commit = (who: Person, slug: string, content: string, fields: object = {}): Promise<Answer> =>
  who.request(`POST /prompts/${who.handle}/${slug}/versions`, {
    body: { files: filesOf(content), ...fields },
  });

/** Moves a label of somebody's prompt to a version. */
export const moveLabel = (who: Person, slug: string, name: string, versionNumber = 1): Promise<Answer> =>
  who.request(`PUT /prompts/${who.handle}/${slug}/labels/${name}`, { body: { versionNumber } });
