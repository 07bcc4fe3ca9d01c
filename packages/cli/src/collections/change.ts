import type { Collection, Visibility } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { UsageError } from "../errors.ts";
import { mediaIdsOf } from "../media/index.ts";
import type { Context } from "../settings/context.ts";
import { cell } from "../terminal/text.ts";
import { ifUnchanged } from "../requests/if-unchanged.ts";

interface AboutOptions {
  /** False is what `--no-description` says. */
  description?: string | false;
  visibility?: Visibility;
}

/** How people read which collection it is. */
const nameOf = ({ id, title }: Pick<Collection, "id" | "title">): string =>
  `${id} ${cell(JSON.stringify(title))}`;

export async function createCollection(
  { connect, output }: Context,
  title: string,
  { description, visibility }: AboutOptions,
): Promise<void> {
  const client = await connect();
  // A token that may not read gets no answer.
  const created: Collection | undefined = await client.collections.create({
    body: { title, visibility, ...(description !== false && { description }) },
  });
  const name = created ? output.colors.bold(nameOf(created)) : "The collection";
  output.result(created ?? null, () => `${name} is created, and ${visibility ?? "public"}`);
}

/** A collection, and the header with which a change is refused if it changed since. */
async function find(client: Client, id: string) {
  const { data: collection, response } = await client.collections.get({ id }).withResponse();
  return { collection, unchanged: ifUnchanged(response) };
}

interface EditOptions extends AboutOptions {
  title?: string;
  /** A file, or the id of media. False is what `--no-cover` says. */
  cover?: string | false;
}

export async function editCollection(
  { connect, confirm, output }: Context,
  id: string,
  { description, cover, ...others }: EditOptions,
): Promise<void> {
  const said = {
    ...others,
    ...(description !== undefined && { description: description === false ? null : description }),
  };
  if (Object.keys(said).length === 0 && cover === undefined)
    throw new UsageError("Name what to change, such as --title, --description, --visibility or --cover.");
  const client = await connect();
  const { collection, unchanged } = await find(client, id);
  const [coverMediaId = null] = typeof cover === "string" ? await mediaIdsOf(client, [cover]) : [];
  const change = { ...said, ...(cover !== undefined && { coverMediaId }) };
  if (change.visibility === "public" && collection.visibility !== "public")
    await confirm(`Make the collection ${nameOf(collection)} public?`);
  const edited = await client.collections.update({ id, body: change }, unchanged);
  output.result(
    edited ?? null,
    () => `${output.colors.bold(nameOf({ ...collection, ...change }))} is edited`,
  );
}

export async function deleteCollection({ connect, confirm, output }: Context, id: string): Promise<void> {
  const client = await connect();
  const { collection, unchanged } = await find(client, id);
  await confirm(`Delete the collection ${nameOf(collection)}? The prompts in it stay.`);
  await client.collections.delete({ id }, unchanged);
  output.result({ id, deleted: true }, () => `${output.colors.bold(nameOf(collection))} is deleted`);
}
