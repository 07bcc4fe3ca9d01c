/** A prompt for measurements, as the registry returns it. */
export const baseUrl = "http://registry.test";
export const token = "prt_for_benchmarks_only_no_secret";

const names = Array.from({ length: 10 }, (_, index) => `variable_${index}`);
export const values = Object.fromEntries(names.map((name, index) => [name, `value ${index}`]));

/** A template of this size with ten variables at equal distances. Each variable occurs once. */
export function templateOf(bytes: number): string {
  const marks = names.map((name) => `{{${name}}}`);
  const each = Math.floor(bytes / marks.length);
  return marks
    .map((mark) => "Be brief, warm and exact. ".repeat(each).slice(mark.length, each) + mark)
    .join("");
}

/** The compiled text of that template. */
export const filled = (bytes: number): string =>
  templateOf(bytes).replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");

/** The response to `GET /prompts/bench/reply?view=version&label=production`, as JSON. */
export function promptOf(content: string, n = 1): { body: string; etag: string } {
  const version = {
    id: `ver_${n}`,
    n,
    promptId: "prm_1",
    entry: "PROMPT.md",
    files: [{ path: "PROMPT.md", encoding: "utf8", content }],
    variables: names.map((name) => ({ name, type: "text", required: true, default: null })),
    config: { model: "any" },
  };
  const found = {
    ref: "bench/reply",
    resolvedBy: { type: "label", value: "production" },
    yanked: false,
    version,
  };
  return { body: JSON.stringify(found), etag: `"v${n}"` };
}
