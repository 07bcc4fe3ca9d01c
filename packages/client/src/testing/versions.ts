import { apiError, type Version } from "@promptreg/core";
import { addVersion, change, commit } from "./commit.ts";
import type { Handler } from "./handler.ts";
import { hasNo, labelNew } from "./labels.ts";
import { pageOf } from "./page.ts";
import { refOf, showSummary, showVersion, userRef } from "./show.ts";
import { publicUrl, type StoredPrompt, type StoredVersion, versionOf, type World } from "./world.ts";

/** @throws {ApiError} `not_found`. */
function requireVersion(prompt: StoredPrompt, n: number): StoredVersion {
  const found = versionOf(prompt, n);
  if (found === undefined) throw hasNo(prompt, `version ${n}`);
  return found;
}

const addressOf = (prompt: StoredPrompt, { n }: Pick<Version, "n">) =>
  `${publicUrl}/api/v1/prompts/${refOf(prompt)}/versions/${n}`;

export const list: Handler<"prompts.versions.list"> = ({ params, query, caller, target: prompt }) => {
  const isOwner = caller?.id === prompt.owner.id;
  const shown = prompt.versions.filter(({ yanked }) => isOwner || yanked === null).toReversed();
  return pageOf(
    shown.map((version) => showSummary(prompt, version)),
    {
      list: ["prompts.versions.list", params],
      query,
      keyOf: ({ n }) => n,
      isAfter: ({ n }, key) => n < key,
    },
  );
};

export const create: Handler<"prompts.versions.create"> = ({ body, content, target: prompt, ...writing }) => {
  // No draft can be saved here, so there is none to commit.
  if (content === null) throw apiError("draft_required");
  const { baseVersionNumber: base = null, message = null } = body;
  const newest = prompt.versions.length;
  if (base !== null && base !== newest) {
    throw apiError("version_conflict", {
      message: `This was made from version ${base}, but the newest is ${newest}.`,
    });
  }
  const version = commit(writing, prompt, { content, message, origin: { type: "commit" } });
  labelNew(writing, prompt, { names: body.labels, versionNumber: version.n });
  return { status: 201, json: version, location: addressOf(prompt, version) };
};

export const get: Handler<"prompts.versions.get"> = ({ params: { n }, query, target: prompt }) => {
  const { files = "full" } = query;
  const found = requireVersion(prompt, n);
  return {
    status: 200,
    json: showVersion(found, files),
    etag: `${found.version.id}.${files}`,
    immutable: prompt.visibility === "public" ? "public" : "private",
  };
};

export const restore: Handler<"prompts.versions.restore"> = ({
  params: { n },
  body: { message = null },
  target: prompt,
  ...writing
}) => {
  const { version: old } = requireVersion(prompt, n);
  const origin = { type: "restore" as const, versionNumber: n };
  const version = addVersion(writing, prompt, { ...old, message, origin, warnings: [] });
  return { status: 201, json: version, location: addressOf(prompt, version) };
};

export const yank: Handler<"prompts.versions.yank"> = ({
  params: { n },
  body: { reason = null },
  caller,
  target: prompt,
  world,
}) => {
  const { yanked } = requireVersion(prompt, n);
  if (yanked === null) {
    const labels = [...prompt.labels.values()].filter(({ versionNumber }) => versionNumber === n);
    if (labels.length > 0) {
      const names = labels.map(({ name }) => name).sort();
      throw apiError("version_labelled", {
        message: `Version ${n} has the labels: ${names.join(", ")}. Move or delete them first.`,
      });
    }
    setYank(world, prompt, { n, yanked: { at: world.now(), reason, by: userRef(caller) } });
  }
  return { status: 200, json: showSummary(prompt, requireVersion(prompt, n)) };
};

export const unyank: Handler<"prompts.versions.unyank"> = ({ params: { n }, target: prompt, world }) => {
  if (requireVersion(prompt, n).yanked !== null) setYank(world, prompt, { n, yanked: null });
  return { status: 200, json: showSummary(prompt, requireVersion(prompt, n)) };
};

function setYank(
  world: World,
  prompt: StoredPrompt,
  { n, yanked }: { n: number } & Pick<StoredVersion, "yanked">,
): void {
  const versions = prompt.versions.map((one) => (one.version.n === n ? { ...one, yanked } : one));
  change(world, prompt, { versions });
}
