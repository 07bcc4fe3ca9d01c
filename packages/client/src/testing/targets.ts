import { type About, apiError, kindsOf, onlyFor, parseRef } from "@promptreg/core";
import { isOpen, promptOf } from "./evals/show.ts";
import type { StoredCase, StoredDataset, StoredRun } from "./evals/stored.ts";
import type { Caller, StoredPrompt, Stored, World } from "./world.ts";

/** The targets of operations, as their handlers get them. */
export interface Targets {
  prompt: StoredPrompt;
  /** Its prompt. */
  version: StoredPrompt;
  run: StoredRun;
  dataset: StoredDataset;
  case: StoredCase;
}

/** What a request is about. */
export interface Found {
  /** What the handler gets. */
  target: Targets[keyof Targets];
  /** The copy that it changes. */
  copy: Stored;
  /** Decides who sees it. */
  prompt: StoredPrompt;
  /** Only the owner of the prompt sees it. */
  isPrivate?: boolean;
  isDeleted?: boolean;
  /** Whoever sees it is a reader. */
  isOpen?: boolean;
}

type Find<Address> = (world: World, address: Address) => Found | undefined;

const findPrompt: Find<{ owner: string; slug: string }> = (world, { owner, slug }) => {
  const found = world.find(owner, slug);
  const copy = found && { ...found };
  return copy && { target: copy, copy, prompt: copy };
};

const findDataset: Find<{ id: string }> = (world, { id }) => {
  const found = world.datasets.get(id);
  if (found === undefined) return undefined;
  const copy = { ...found };
  const isPrivate = found.visibility === "private";
  return { target: copy, copy, prompt: promptOf(world, copy), isPrivate, isDeleted: copy.isDeleted };
};

const kinds: Readonly<Record<string, Find<never>>> = {
  prompt: findPrompt,
  version: findPrompt,
  dataset: findDataset,
  case: ((world, { id, caseId }) => {
    const found = findDataset(world, { id });
    const dataset = found?.copy as StoredDataset;
    return found && dataset.cases.has(caseId) ? { ...found, target: { id: caseId, dataset } } : undefined;
  }) satisfies Find<{ id: string; caseId: string }>,
  run: ((world, { id }) => {
    const found = world.runs.get(id);
    if (found === undefined || found.isDeleted) return undefined;
    const copy = { ...found };
    return { target: copy, copy, prompt: promptOf(world, copy), isOpen: isOpen(world, copy) };
  }) satisfies Find<{ id: string }>,
};

/** What a request names: its path, or a field such as `query.a` or `body.prompt`. */
function addressOf(kind: string, { from }: About, input: { params: unknown; query: unknown; body: unknown }) {
  if (from === undefined) return input.params;
  const [part, name] = from.split(".") as ["query" | "body", string];
  const text = (input[part] as Record<string, string>)[name] ?? "";
  return kind === "prompt" ? parseRef(text) : { id: text };
}

/**
 * Finds a target that the caller may act on.
 * @throws {ApiError} `not_found`, `gone` or `forbidden`.
 */
export function findTarget(
  world: World,
  about: About,
  { caller, ...input }: { params: unknown; query: unknown; body: unknown; caller: Caller | null },
): Found {
  const [kind = "prompt"] = kindsOf(about);
  const allowed: "viewers" | readonly string[] = about.on[kind] ?? "viewers";
  const found = kinds[kind]?.(world, addressOf(kind, about, input) as never);
  const isOwner = found !== undefined && caller?.id === found.prompt.owner.id;
  if (found === undefined || (!isOwner && (found.isPrivate || found.prompt.visibility === "private")))
    throw apiError("not_found");
  if (found.isDeleted || found.prompt.isDeleted) throw apiError("gone");
  const isReader = found.isOpen === true && allowed.includes("reader");
  if (allowed !== "viewers" && !isOwner && !isReader)
    throw apiError("forbidden", { message: onlyFor(kind, allowed) });
  return found;
}
