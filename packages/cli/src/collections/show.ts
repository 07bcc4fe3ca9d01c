import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { nameOfItem } from "./items.ts";
import { cell } from "../terminal/text.ts";

export async function showCollection(
  { connect, output }: Context,
  id: string,
  { limit }: { limit: number },
): Promise<void> {
  const client = await connect();
  const asked = client.collections.get({ id, query: { limit: Math.min(limit, 100) } });
  const { items, hasMore } = await take(asked, limit);
  const { items: _, nextCursor: __, ...about } = await asked;
  output.result({ ...about, items, hasMore }, () => {
    const rows = items.map((item) => [
      String(item.position),
      output.colors.bold(cell(nameOfItem(item))),
      cell(item.target.title),
      cell(item.note ?? ""),
    ]);
    const fields = output.fields([
      ["title", output.colors.bold(cell(about.title))],
      ["description", cell(about.description ?? "none")],
      ["visibility", about.visibility],
      ["owner", cell(about.owner.handle)],
      ["cover", cell(about.cover?.url ?? "none")],
    ]);
    const table = output.table(["position", "what", "title", "note"], rows, ["what"]);
    return [fields, table].filter(Boolean).join("\n\n");
  });
  output.more(hasMore, "more items");
}
