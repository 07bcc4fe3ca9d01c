import type { GalleryItem, MakeFile, MakeLink, Part } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";

export const filesTable = (output: Output, files: readonly MakeFile[]): string =>
  output.table(
    ["file", "label", "name", "size", "downloads"],
    files.map(({ id, label, filename, size, downloads }) => [
      output.colors.bold(id),
      cell(label),
      cell(filename),
      `${size} B`,
      String(downloads),
    ]),
  );

/** Why items were rejected, by their ids. Their maker alone is shown these. */
export async function reasonsOf(
  client: Client,
  items: readonly GalleryItem[],
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  for (const { id, media } of items)
    if (media?.status === "rejected")
      reasons.set(id, (await client.media.get({ id: media.id })).rejectReason ?? "no reason is given");
  return reasons;
}

export const galleryTable = (
  output: Output,
  items: readonly GalleryItem[],
  reasons: ReadonlyMap<string, string>,
): string =>
  output.table(
    ["item", "type", "cover", "caption", "url"],
    items.map(({ id, type, cover, caption, media, embed }) => [
      output.colors.bold(id),
      type,
      cover ? "cover" : "",
      cell(caption ?? ""),
      cell(embed?.url ?? media?.url ?? [media?.status, reasons.get(id)].filter(Boolean).join(": ")),
    ]),
  );

export const partsTable = (output: Output, parts: readonly Part[]): string =>
  output.table(
    ["part", "name", "quantity", "price", "note"],
    parts.map(({ id, name, quantity, unit, price, note, optional }) => [
      output.colors.bold(id),
      `${cell(name)}${optional ? " (optional)" : ""}`,
      `${quantity}${unit === null ? "" : ` ${cell(unit)}`}`,
      price === null ? "" : `${price.amount} ${price.currency}`,
      cell(note ?? ""),
    ]),
  );

export const linksTable = (output: Output, links: readonly MakeLink[]): string =>
  output.table(
    ["prompt", "version", "status", "note"],
    links.map(({ prompt, versionNumber, status, pinned, note, reason }) => [
      output.colors.bold(cell(prompt.ref)),
      String(versionNumber),
      `${status}${pinned ? ", pinned" : ""}`,
      cell(reason ?? note ?? ""),
    ]),
  );

export async function viewMake({ connect, output }: Context, slug: string): Promise<void> {
  const client = await connect();
  const make = await client.makes.get({ slug });
  const reasons = await reasonsOf(client, make.media);
  output.result(make, () =>
    [
      output.fields([
        ["title", output.colors.bold(cell(make.title))],
        ["summary", cell(make.summary ?? "none")],
        ["maker", cell(make.maker.handle)],
        ["status", `${make.status}, ${make.visibility}`],
        ["tags", cell(make.tags.join(", ") || "none")],
        ["license", cell(make.license ?? "none")],
        ["remix of", make.remixOf?.slug ?? "none"],
        ["stars", String(make.counts.stars)],
        ["url", cell(make.url)],
      ]),
      make.body.trimEnd(),
      linksTable(output, make.links),
      galleryTable(output, make.media, reasons),
      filesTable(output, make.files),
      partsTable(output, make.parts),
    ]
      .filter(Boolean)
      .join("\n\n"),
  );
}
