import { InputError, UsageError } from "../errors.ts";
import { advised, openFile, sendReady } from "../media/index.ts";
import type { Context } from "../settings/context.ts";
import { filesTable, galleryTable, partsTable, reasonsOf } from "./view.ts";

const isAddress = (text: string): boolean => /^https?:\/\//.test(text);

export async function changeFiles(
  { connect, output }: Context,
  slug: string,
  { add = [], label, remove = [] }: { add?: string[]; label?: string; remove?: string[] },
): Promise<void> {
  for (const path of add) await openFile(path);
  const client = await connect();
  for (const path of add) {
    output.note(`Uploading ${path}…`);
    const media = await sendReady(client, path, { purpose: "file" });
    await client.makes.files.add({ slug, body: { ...media, label } });
  }
  // After what takes their place.
  for (const id of remove) await client.makes.files.delete({ slug, id });
  const { files } = await client.makes.get({ slug });
  output.result({ items: files }, () => filesTable(output, files));
}

interface GalleryOptions {
  add?: string[];
  caption?: string;
  alt?: string;
  cover?: string;
  remove?: string[];
}

export async function changeGallery(
  { connect, output }: Context,
  slug: string,
  { add = [], caption, alt, cover, remove = [] }: GalleryOptions,
): Promise<void> {
  for (const what of add) if (!isAddress(what)) await openFile(what);
  const client = await connect();
  for (const what of add) {
    let media: { mediaId: string } | { embedUrl: string } = { embedUrl: what };
    if (!isAddress(what)) {
      output.note(`Uploading ${what}…`);
      try {
        media = await sendReady(client, what);
      } catch (error) {
        throw advised(error as Error, "use `promptreg make files --add`");
      }
    }
    await client.makes.media.add({ slug, body: { ...media, caption, alt } });
  }
  // After what takes their place.
  for (const id of remove) await client.makes.media.delete({ slug, id });
  if (cover !== undefined) await client.makes.media.update({ slug, id: cover, body: { cover: true } });
  const { media } = await client.makes.get({ slug });
  const reasons = await reasonsOf(client, media);
  output.result({ items: media }, () => galleryTable(output, media, reasons));
}

interface PartsOptions {
  add?: string;
  quantity?: string;
  unit?: string;
  price?: string;
  from?: string;
  note?: string;
  optional?: boolean;
  remove?: string[];
}

export async function changeParts(
  { connect, output }: Context,
  slug: string,
  { add, quantity, price, from: url, remove = [], ...more }: PartsOptions,
): Promise<void> {
  const said = {
    ...more,
    ...(quantity !== undefined && { quantity }),
    ...(price !== undefined && { price }),
    ...(url !== undefined && { url }),
  };
  if (add === undefined && Object.keys(said).length > 0) throw new UsageError("Name the part with --add.");
  const part = add !== undefined && {
    name: add,
    url,
    ...more,
    ...(quantity !== undefined && { quantity: amountOf(quantity) }),
    ...(price !== undefined && { price: priceOf(price) }),
  };
  const client = await connect();
  for (const id of remove) await client.makes.parts.delete({ slug, id });
  if (part) await client.makes.parts.add({ slug, body: part });
  const { parts } = await client.makes.get({ slug });
  output.result({ items: parts }, () => partsTable(output, parts));
}

function amountOf(text: string): number {
  const amount = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new InputError(`The quantity is no number above 0: ${text}`);
}

function priceOf(text: string): { amount: string; currency: string } {
  const [, amount, currency] = /^(\d+(?:\.\d+)?) ?([A-Za-z]{3})$/.exec(text.trim()) ?? [];
  if (amount !== undefined && currency !== undefined) return { amount, currency: currency.toUpperCase() };
  throw new InputError(`Write the price as an amount and a currency, such as '6.00 EUR', not ${text}.`);
}
