import type { ListModels, Model } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import type { Key } from "../../kernel/lists/page.ts";
import { catalogue } from "@promptreg/core/models";

function ascending(a: Key, b: Key): number {
  const nth = a.findIndex((value, n) => value !== b[n]);
  return nth === -1 ? 0 : String(a[nth]) < String(b[nth]) ? -1 : 1;
}
const descending = (a: Key, b: Key) => ascending(b, a);

/** What models are sorted by. The last value is unique. */
const orders = {
  provider: { keyOf: ({ provider, name }: Model): Key => [provider, name], compare: ascending },
  releasedAt: { keyOf: ({ releasedAt, id }: Model): Key => [releasedAt ?? "", id], compare: descending },
} as const;

/** Whether a model is one that a query asks for. */
function isWanted(
  { provider, modalities, deprecatedAt, id, displayName, aliases }: Model,
  { deprecated = false, ...wanted }: ListModels,
): boolean {
  const names = [id, displayName, ...aliases].join(" ").toLowerCase();
  const words = (wanted.q ?? "").toLowerCase().split(/\s+/);
  return (
    (wanted.provider ?? provider) === provider &&
    (wanted.modality === undefined ||
      [...modalities.input, ...modalities.output].includes(wanted.modality)) &&
    (deprecatedAt !== null) === deprecated &&
    words.every((word) => names.includes(word))
  );
}

export const list: Handler<"models.list"> = async ({ query, page }) => {
  const { after, take } = page;
  const { keyOf, compare } = orders[query.sort ?? "provider"];
  const rows = catalogue
    .filter((model) => isWanted(model, query))
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => after === null || compare(key, after) > 0)
    .sort((a, b) => compare(a.key, b.key));
  return page.reply<Model>(rows.slice(0, take));
};
