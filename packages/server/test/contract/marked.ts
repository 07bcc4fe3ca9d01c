import type { Parts } from "../requests.ts";

/** What texts of requests have in them, so that a test finds where they go. */
export const mark = "said-in-confidence";

/** A text with the mark, if whoever asks may choose it: names of the contract and ids stay what they are. */
const markText = (text: string) =>
  /^[a-z]{3}_\w{26}$|^[a-z]+([A-Z_][a-z]+)*$/.test(text) ? text : text + mark;

function markAll(value: unknown): unknown {
  if (typeof value === "string") return markText(value);
  if (Array.isArray(value)) return value.map(markAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, markAll(one)]));
}

/** A request as it is, and with the mark in all texts, and in one after the other: contracts take it in some of them. */
export function* variantsOf(parts: Parts): Generator<Parts> {
  yield parts;
  const { query, body } = parts;
  yield { ...parts, query: markAll(query) as Parts["query"] };
  const fields = typeof body === "object" && body !== null ? body : {};
  if (typeof body === "string") yield { ...parts, body: markText(body) };
  for (const [name, one] of Object.entries(fields))
    yield { ...parts, body: { ...fields, [name]: markAll(one) } };
}
