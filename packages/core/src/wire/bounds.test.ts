import { expect, test } from "vitest";
import { CaseInput } from "../groups/evals/case-schemas.ts";
import { StartUpload } from "../groups/imports/requests.ts";
import { UpdateMake } from "../groups/makes/schemas.ts";
import { AutosavePost } from "../groups/posts/schemas.ts";
import {
  AppendResults,
  CommitVersion,
  CreatePrompt,
  CreateRun,
  CreateWebhook,
  handle,
  labelName,
  MoveLabel,
  moment,
  ref,
  RestoreVersion,
  type Schema,
  slug,
  UpdateMe,
  UpdatePrompt,
  UpdateRun,
  YankVersion,
} from "../index.ts";

const files = [{ path: "PROMPT.md", content: "Hi" }];
const prompt = { kind: "text", title: "Hi", files };
const webhook = { url: "https://receiver.example" };
const run = { prompt: "ada/hi", versionNumber: 1, model: "m" };
const result = (field: object) => ({ results: [{ index: 0, caseKey: "a", status: "passed", ...field }] });
const assertion = (field: object) => result({ assertions: [{ type: "is-json", passed: true, ...field }] });

const text = (length: number) => "x".repeat(length);
const list = (item: (nth: number) => unknown) => (length: number) =>
  Array.from({ length }, (_, i) => item(i));
const tags = list((nth) => `tag-${nth}`);

/** Makes a body with a field of a size, and the smallest and largest size that is valid. */
type Bound = [
  name: string,
  schema: Schema<unknown>,
  make: (size: number) => object,
  least: number,
  most: number,
];

const bounds: Bound[] = [
  ["title of a prompt", CreatePrompt, (n) => ({ ...prompt, title: text(n) }), 1, 120],
  ["title that is changed", UpdatePrompt, (n) => ({ title: text(n) }), 1, 120],
  ["summary", CreatePrompt, (n) => ({ ...prompt, summary: text(n) }), 0, 280],
  ["summary that is changed", UpdatePrompt, (n) => ({ summary: text(n) }), 0, 280],
  ["slug", CreatePrompt, (n) => ({ ...prompt, slug: text(n) }), 1, 64],
  ["tags", CreatePrompt, (n) => ({ ...prompt, tags: tags(n) }), 0, 10],
  ["tag", CreatePrompt, (n) => ({ ...prompt, tags: [text(n)] }), 1, 32],
  ["license", CreatePrompt, (n) => ({ ...prompt, license: "LicenseRef-x".padEnd(n, "x") }), 0, 200],
  ["files of a prompt", CreatePrompt, (n) => ({ ...prompt, files: list(() => files[0])(n) }), 1, 200],
  ["files of a version", CommitVersion, (n) => ({ files: list(() => files[0])(n) }), 1, 200],
  ["labels of a commit", CommitVersion, (n) => ({ files, labels: list((nth) => `l-${nth}`)(n) }), 0, 50],
  ["name of a label", CommitVersion, (n) => ({ files, labels: [text(n)] }), 1, 64],
  ["message of a version", CommitVersion, (n) => ({ files, message: text(n) }), 0, 500],
  ["message of a restored version", RestoreVersion, (n) => ({ message: text(n) }), 0, 500],
  ["reason of a yank", YankVersion, (n) => ({ reason: text(n) }), 0, 500],
  ["reason of a label's move", MoveLabel, (n) => ({ versionNumber: 1, reason: text(n) }), 0, 280],
  ["number of a version", MoveLabel, (n) => ({ versionNumber: n }), 1, 2_147_483_647],
  ["name of an account", UpdateMe, (n) => ({ name: text(n) }), 1, 100],
  ["bio", UpdateMe, (n) => ({ bio: text(n) }), 0, 500],
  ["description of a webhook", CreateWebhook, (n) => ({ ...webhook, description: text(n) }), 0, 280],
  [
    "events of a webhook",
    CreateWebhook,
    (n) => ({ ...webhook, events: list(() => "prompt.deleted")(n) }),
    1,
    50,
  ],
  [
    "prompts of a webhook",
    CreateWebhook,
    (n) => ({ ...webhook, prompts: list((nth) => `ada/p-${nth}`)(n) }),
    1,
    50,
  ],
  ["URL of a webhook", CreateWebhook, (n) => ({ url: "https://x.example/".padEnd(n, "x") }), 0, 2048],
  ["model of a run", CreateRun, (n) => ({ ...run, model: text(n) }), 1, 200],
  ["externalId of a run", CreateRun, (n) => ({ ...run, externalId: text(n) }), 1, 200],
  ["threshold of a run", CreateRun, (n) => ({ ...run, threshold: n }), 0, 1],
  ["branch of a run", CreateRun, (n) => ({ ...run, source: { branch: text(n) } }), 0, 200],
  ["error of a run", UpdateRun, (n) => ({ error: text(n) }), 0, 2000],
  ["results of a batch", AppendResults, (n) => ({ results: list(() => result({}).results[0])(n) }), 1, 1000],
  ["key of a case", AppendResults, (n) => result({ caseKey: text(n) }), 1, 200],
  ["attempt", AppendResults, (n) => result({ attempt: n }), 1, 1000],
  ["index of a result", AppendResults, (n) => result({ index: n }), 0, 2_147_483_647],
  ["score", AppendResults, (n) => result({ score: n }), 0, 1],
  ["cost", AppendResults, (n) => result({ costUsd: n }), 0, 1_000_000],
  ["error of a result", AppendResults, (n) => result({ error: text(n) }), 0, 2000],
  [
    "assertions",
    AppendResults,
    (n) => result({ assertions: list(() => ({ type: "a", passed: true }))(n) }),
    0,
    100,
  ],
  ["type of an assertion", AppendResults, (n) => assertion({ type: text(n) }), 1, 100],
  ["reason of an assertion", AppendResults, (n) => assertion({ reason: text(n) }), 0, 2000],
  // 64 KiB as JSON, with its braces, its name and quotes.
  ["variables of a case", CaseInput, (n) => ({ variables: { a: text(n) } }), 0, 64 * 1024 - 8],
  ["body of a make", UpdateMake, (n) => ({ body: text(n) }), 0, 100 * 1024],
  ["body of a post", AutosavePost, (n) => ({ body: text(n) }), 0, 200 * 1024],
  [
    "size of an upload",
    StartUpload,
    (n) => ({ filename: "a.zip", size: String(n), sha256: "0".repeat(64) }),
    1,
    200 * 1024 ** 2,
  ],
];

test.each(bounds)("%s: accepts the published range, and nothing beyond", (_, schema, make, least, most) => {
  const takes = (size: number) => schema.safeParse(make(size)).success;
  expect([takes(least), takes(most), takes(most + 1)]).toEqual([true, true, false]);
  // Nothing is smaller than 0.
  if (least > 0) expect(takes(least - 1)).toBe(false);
});

test.each(Object.entries({ handle, slug, ref, labelName }))("a %s of megabytes is rejected", (_, schema) => {
  expect(schema.safeParse("a-".repeat(4_000_000)).success).toBe(false);
  expect(schema.safeParse(`a/${"a-".repeat(4_000_000)}a`).success).toBe(false);
});

test("a time has an offset, and minutes or finer", () => {
  for (const at of [
    "2026-11-20T10:30+01:00",
    "2026-11-20T09:30Z",
    "2026-11-20T10:30:00+01:00",
    "2026-11-20T09:30:00.000Z",
  ])
    expect(moment.parse(at)).toBe("2026-11-20T09:30:00.000Z");
  for (const at of ["2026-11-20T09:30", "2026-11-20T09:30:00", "2026-11-20"])
    expect(moment.safeParse(at).success).toBe(false);
});
