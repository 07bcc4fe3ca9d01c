import { type JsonSchema, nameOf } from "./shape.ts";

const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/**
 * Values that mean something to a reader, by the field they stand in, or by schema and field where that differs.
 * Null stands for none: null where the field can be it, an empty list, an optional field that is left out.
 */
const words: Record<string, unknown> = {
  owner: "alice",
  handle: "alice",
  slug: "pr-review",
  ref: "alice/pr-review",
  prompt: "alice/pr-review",
  prompts: "alice/pr-review",
  label: "production",
  labels: "production",
  name: "production",
  "UserRef.name": "Alice",
  "Me.name": "Alice",
  "Variable.name": "diff",
  "Variable.description": "The change to review",
  title: "Review a pull request",
  summary: "Finds what a reviewer would, before the reviewer does.",
  message: "Ask for a summary first",
  reason: "eval passed",
  tags: "review",
  license: "MIT",
  path: "PROMPT.md",
  entry: "PROMPT.md",
  content: "Review this change:\n\n{{diff}}\n",
  size: 30,
  sha256: digest,
  contentHash: `sha256:${digest}`,
  mediaType: "text/markdown",
  url: "https://prompts.example/alice/pr-review",
  "UserRef.url": "https://prompts.example/alice",
  "Me.url": "https://prompts.example/alice",
  "CreateWebhook.url": "https://receiver.example/hook",
  "UpdateWebhook.url": "https://receiver.example/hook",
  "Webhook.url": "https://receiver.example/hook",
  "Delivery.status": "succeeded",
  "DeliverySummary.status": "succeeded",
  "MediaDetails.mediaType": "image/png",
  "MediaDetails.status": "ready",
  "MediaDetails.url": "https://prompts.example/media/med_01jd0000000000000000000000",
  attempts: 1,
  maxAttempts: 8,
  responseStatus: 204,
  responseTimeMs: 84,
  description: "Tells the team about new versions",
  secret: "whsec_…",
  secretHint: "Xk9Q",
  model: "gpt-5-mini",
  caseKey: "empty-diff",
  n: 12,
  version: 12,
  range: "11..production",
  versionNumber: 12,
  latestVersion: 12,
  threshold: 0.9,
  passRate: 0.95,
  "Prompt.status": "published",
  "CreatedPrompt.status": "published",
  "Run.status": "completed",
  verdict: "pass",
  index: 0,
  value: null,
  warnings: null,
  "Origin.versionNumber": null,
  "RunSource.url": null,
  viewer: {},
  cover: null,
  media: null,
  system: false,
  pinned: false,
  yanked: false,
  default: null,
  discord: null,
  dataset: null,
  disabledReason: null,
  forkedFrom: null,
  // None, since an entry that is listed alone is sampled already.
  winners: null,
};
/** For what has a form but no word: the first that fits. */
const forms = [
  "text",
  "production",
  "alice/pr-review",
  "https://example.com/",
  "2026-11-20",
  "example:exm_01jd0000000000000000000000",
  "prompt:alice/pr-review",
  "12.50",
  "EUR",
];
const moment = "2026-11-20T09:30:00.000Z";

interface Sampling {
  components: Record<string, JsonSchema>;
  /** Answers show the optional fields that there is something to say of; requests none but those in `also`. */
  isAnswer?: boolean;
  also?: readonly string[];
}

const wordOf = (parent: string, name: string): unknown =>
  words[Object.hasOwn(words, `${parent}.${name}`) ? `${parent}.${name}` : name];

/** A value that fits a schema, such as a reader would meet: `name` is the field it stands in, `parent` the one above. */
export function sample(schema: JsonSchema, sampling: Sampling, name = "", parent = "", depth = 0): unknown {
  if (schema.$ref !== undefined) {
    const id = nameOf(schema.$ref);
    return sample(sampling.components[id] ?? {}, sampling, name === "" ? id : name, id, depth);
  }
  const word = wordOf(parent, name);
  const types = schema.anyOf?.map(({ type }) => type) ?? [schema.type].flat();
  const isPlain = types.every((type) => type === "null" || type === "string" || type === "number");
  if (types.includes("null") && (word === null || (isPlain && word === undefined))) return null;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.includes(word) ? word : schema.enum[0];
  const [choice] = schema.anyOf ?? [];
  if (choice) return sample(choice, sampling, name, parent, depth);
  switch (types[0]) {
    case "object":
      return depth > 6
        ? {}
        : sampleObject(schema, sampling, schema.properties && parent === "" ? name : parent, depth);
    case "array":
      return schema.items && depth <= 6 && word !== null
        ? [sample(schema.items, sampling, name, parent, depth + 1)]
        : [];
    case "integer":
    case "number":
      return typeof word === "number"
        ? word
        : Math.max(schema.minimum ?? 0, Math.min(1, schema.maximum ?? 1));
    case "boolean":
      return word ?? true;
    case "string":
      return sampleText(schema, typeof word === "string" ? [word] : []);
    default:
      return null;
  }
}

function sampleObject(schema: JsonSchema, sampling: Sampling, parent: string, depth: number): object {
  const { properties = {}, required = [], additionalProperties: values, propertyNames } = schema;
  const { isAnswer = false, also = [] } = sampling;
  const shown = Object.entries(properties).filter(
    ([name]) =>
      required.includes(name) ||
      (isAnswer && (wordOf(parent, name) ?? null) !== null) ||
      (depth === 0 && also.includes(name)),
  );
  if (propertyNames?.pattern !== undefined && typeof values === "object") {
    const key = sampleText(propertyNames, ["production"]);
    return { [key]: sample(values, sampling, "versionNumber", parent, depth + 1) };
  }
  return Object.fromEntries(
    shown.map(([name, field]) => [name, sample(field, sampling, name, parent, depth + 1)]),
  );
}

function sampleText({ pattern, format }: JsonSchema, candidates: readonly string[]): string {
  if (format === "date-time") return moment;
  const prefix = /^\^([a-z]+)_\[/.exec(pattern ?? "")?.[1];
  if (prefix !== undefined) return `${prefix}_01jd0000000000000000000000`;
  const rule = new RegExp(pattern ?? "", "u");
  return [...candidates, ...forms].find((text) => rule.test(text)) ?? "text";
}

/**
 * The smallest value that `accepts` takes: the required fields, with as many optional ones as its further rules
 * ask for, and never none at all. Undefined when there is no such value.
 */
export function smallestSample(
  schema: JsonSchema,
  { components, accepts }: { components: Record<string, JsonSchema>; accepts: (value: unknown) => boolean },
): unknown {
  const { properties = {}, required = [] } = schema.$ref ? (components[nameOf(schema.$ref)] ?? {}) : schema;
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  for (let count = required.length > 0 ? 0 : 1; count <= Math.max(optional.length, 1); count++) {
    const value = sample(schema, { components, also: optional.slice(0, count) });
    if (accepts(value)) return value;
  }
  return undefined;
}
