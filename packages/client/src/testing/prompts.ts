import { apiError, type Prompt, type ResolvedBy, type UpdatePrompt } from "@promptreg/core";
import { change, commit } from "./commit.ts";
import { type Handler, NotInTestRegistry } from "./handler.ts";
import { hasNo, labelNew } from "./labels.ts";
import { refOf, showPrompt, showVersion } from "./show.ts";
import { etagOf } from "./etag.ts";
import {
  type Caller,
  latestOf,
  publicUrl,
  type StoredPrompt,
  type StoredVersion,
  versionOf,
  type World,
} from "./world.ts";

interface Wanted {
  version?: number;
  label?: string;
}

/** The requested version; undefined if there is none. */
export function resolve(prompt: StoredPrompt, { version, label }: Wanted): StoredVersion | undefined {
  if (version === undefined && (label === undefined || label === "latest")) return latestOf(prompt);
  const n = version ?? prompt.labels.get(label as string)?.versionNumber;
  return n === undefined ? undefined : versionOf(prompt, n);
}

const resolvedBy = ({ version, label }: Wanted): ResolvedBy =>
  version !== undefined
    ? { type: "version", value: version }
    : label !== undefined
      ? { type: "label", value: label }
      : { type: "latest", value: null };

export const create: Handler<"prompts.create"> = ({ body, content, caller, world, emit, save }) => {
  const { slug, kind, title, summary = null, tags = [], license = null } = body;
  if (slug === undefined) throw new NotInTestRegistry("prompts.create without a slug");
  if (body.publish === false) throw new NotInTestRegistry("drafts (prompts.create with publish: false)");
  if (world.find(caller.handle, slug) !== undefined) {
    throw apiError("slug_taken", { message: `You have used the slug ${slug} already. Choose another.` });
  }
  const { visibility = "private", rating = "general", message = null } = body;
  const at = world.now();
  const said = { slug, kind, title, summary, tags, license, visibility, rating };
  const prompt: StoredPrompt = {
    ...said,
    id: world.newId("prm"),
    owner: caller,
    formerSlugs: [],
    isDeleted: false,
    revision: 1,
    versions: [],
    labels: new Map(),
    createdAt: at,
    updatedAt: at,
    lastEventAt: 0,
  };
  const writing = { caller, world, emit };
  const version = commit(writing, prompt, { content, message, origin: { type: "commit" } });
  const names = "labels" in body ? (body.labels as string[]) : undefined;
  labelNew(writing, prompt, { names, versionNumber: 1 });
  save(prompt);
  return {
    status: 201,
    json: { ...showPrompt(prompt, caller), resolvedBy: resolvedBy({}), version },
    location: `${publicUrl}/api/v1/prompts/${refOf(prompt)}`,
  };
};

/** The response for a prompt, with an ETag that begins with the revision. */
function show(
  prompt: StoredPrompt,
  { wanted, files, caller }: { wanted: Wanted; files: "full" | "meta"; caller: Caller | null },
): { status: 200; json: Prompt; etag: Promise<string> } {
  const found = resolve(prompt, wanted);
  const version = found === undefined ? null : showVersion(found, files);
  return {
    status: 200,
    json: { ...showPrompt(prompt, caller), resolvedBy: resolvedBy(wanted), version },
    etag: etagOf(JSON.stringify([refOf(prompt), wanted, caller?.id])).then(
      (digest) => `W/${prompt.revision}.${digest}`,
    ),
  };
}

export const get: Handler<"prompts.get"> = ({ query, caller, target: prompt }) => {
  if (query.at !== undefined) throw new NotInTestRegistry("history of labels (prompts.get with at)");
  const found = resolve(prompt, query);
  const { version, label } = query;
  if (found === undefined && (version !== undefined || label !== undefined)) {
    throw hasNo(prompt, label === undefined ? `version ${version}` : `label ${label}`);
  }
  if (query.view !== "version") return show(prompt, { wanted: query, files: "full", caller });
  const ref = refOf(prompt);
  const isYanked = found !== undefined && found.yanked !== null;
  return {
    status: 200,
    json: { ref, yanked: isYanked, resolvedBy: resolvedBy(query), version: found?.version ?? null },
    etag: `${found?.version.id ?? "none"}${isYanked ? ".yanked" : ""}.${ref}`,
  };
};

export const update: Handler<"prompts.update"> = ({ body, caller, target: prompt, world }) => {
  const isChanged = (Object.keys(body) as (keyof UpdatePrompt)[]).some(
    (field) => JSON.stringify(body[field]) !== JSON.stringify(prompt[field]),
  );
  if (isChanged) {
    if (body.slug !== undefined && body.slug !== prompt.slug) rename(world, prompt, body.slug);
    change(world, prompt, body);
  }
  return show(prompt, { wanted: {}, files: "meta", caller });
};

/** @throws {ApiError} `slug_taken`. */
function rename(world: World, prompt: StoredPrompt, to: string): void {
  const { handle } = prompt.owner;
  const there = world.find(handle, to);
  if (there !== undefined && there.id !== prompt.id) {
    throw apiError("slug_taken", {
      message: `${handle} has used the slug ${to} for another prompt. Choose another.`,
    });
  }
  prompt.formerSlugs = [...prompt.formerSlugs.filter((slug) => slug !== to), prompt.slug];
}

const remove: Handler<"prompts.delete"> = ({ target: prompt, world, emit }) => {
  prompt.isDeleted = true;
  prompt.revision += 1;
  emit("prompt.deleted", prompt, { deletedAt: world.now() });
  return { status: 204 };
};
export { remove as delete };
