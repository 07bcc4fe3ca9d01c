import type { Prompt } from "@promptreg/client";
import type { PromptRecord } from "@promptreg/core/account";
import { checkFiles, contentHash, type FileInput } from "@promptreg/core/content";
import { type PromptHead, wasOpen } from "./read-unit.ts";
import { attempt, change, type Importing, leaveOut, leaveTaken, tally, whyClosed } from "./run.ts";
import { type Present, sendYanks, yankFor } from "./yanks.ts";

/** A prompt that is being brought, part by part. */
export class PromptImport {
  readonly slug: string;
  readonly record: PromptRecord;
  readonly run: Importing;
  readonly #manifest: PromptHead["manifest"];
  /** By number, from 1. */
  readonly versions: Present[] = [];
  /** Why nothing more of it is brought; null as long as it goes on. */
  #stop: string | null = null;
  #isNew = true;
  /** Whether it is here, or would be. */
  #isBrought = false;
  #hasDraft = false;

  constructor(run: Importing, { slug, manifest, record }: PromptHead) {
    this.run = run;
    this.slug = slug;
    this.record = record;
    this.#manifest = manifest;
  }

  get address(): { owner: string; slug: string } {
    return { owner: this.run.me.handle, slug: this.slug };
  }
  get ref(): string {
    return `${this.run.me.handle}/${this.slug}`;
  }
  /** Whether parts of it are brought. */
  get isOpen(): boolean {
    return this.#stop === null;
  }
  /** Whether it is at the registry: not if it would only be created. */
  get isThere(): boolean {
    return !this.#isNew;
  }

  /** Finds out what is here at its address. */
  async begin(): Promise<void> {
    this.run.doing(this.ref);
    const there = await find(this);
    if (there === "deleted") return this.#take("a prompt with this address was deleted here");
    if (there === null) return;
    if (there.slug !== this.slug) return this.#take(`the address leads to ${there.ref}`);
    this.#isNew = false;
    this.#isBrought = true;
    const query = { limit: 100 };
    for await (const { n, contentHash, yanked } of this.run.client.prompts.versions.list({
      ...this.address,
      query,
    }))
      this.versions[n - 1] = { contentHash, isYanked: yanked !== null };
    if (this.versions.length === 0) this.#hasDraft = true;
    const wanted = this.record.versions;
    const isSame = this.versions.every(
      ({ contentHash }, at) => at >= wanted.length || wanted[at]?.contentHash === contentHash,
    );
    const isDraft = wanted.length === 0;
    if (!isSame || isDraft !== (this.versions.length === 0))
      return this.#take("another prompt has this address");
    const isPrivate = there.visibility === "private" || there.status === "draft";
    const isClosed =
      !isPrivate && !(this.run.publish && wasOpen({ manifest: this.#manifest, record: this.record }));
    if (isClosed) this.run.closed.add(`prompt:${this.slug}`);
    if (isClosed && this.versions.length < wanted.length) return this.#end(whyClosed(this.run));
    if (!isDraft) tally(this.run, "prompts", "there");
    this.run.brought.prompts.add(this.slug);
    // It is opened at the very end: nothing of it is missing.
    if (isClosed) this.#stop = "";
  }

  #take(why: string): void {
    this.#stop = why;
    this.run.taken.prompts.add(this.slug);
    leaveTaken(this.run, `the prompt ${this.slug}`, why);
  }

  #end(why: string): void {
    this.#stop = why;
    leaveOut(this.run, `what is missing of the prompt ${this.slug}`, why);
  }

  /** Commits a version, if it is not here yet. */
  async version(files: FileInput[], record: PromptRecord["versions"][number]): Promise<void> {
    const { n, message, contentHash } = record;
    if (!this.isOpen) return;
    if (this.versions.length >= n) return tally(this.run, "versions", "there");
    const { run, address } = this;
    const committed = await attempt(
      run,
      `version ${n} of the prompt ${this.slug}, and all after it`,
      async () => {
        if (this.#isNew && n === 1) {
          await this.#create(files, message, true);
          tally(run, "versions", "created");
        } else {
          await yankFor(this, contentHash);
          const body = { files, message, baseVersionNumber: n - 1 };
          await change(run, "versions", () => run.client.prompts.versions.create({ ...address, body }));
        }
        return true;
      },
    );
    if (!committed) this.#stop = "";
    else this.versions.push({ contentHash, isYanked: false });
  }

  async #create(files: FileInput[], message: string | null, publish: boolean): Promise<void> {
    const { kind, title, summary, tags, license, rating } = this.#manifest;
    const about = { kind, title, summary, tags, license, rating };
    const body = { slug: this.slug, ...about, visibility: "private" as const, files, message, publish };
    const { run } = this;
    if ((await change(run, "prompts", () => run.client.prompts.create({ body }))) !== undefined)
      this.#isNew = false;
    this.#isBrought = true;
  }

  /** Saves the working draft; of a prompt without versions it is all there is. */
  async draft(files: FileInput[]): Promise<void> {
    const { record, run, address } = this;
    const { message = null, baseVersionNumber = null } = record.draft ?? {};
    if (!this.isOpen) return;
    await attempt(run, `the draft of ${this.slug}`, async () => {
      if (record.versions.length === 0 && this.#isNew) {
        await this.#create(files, message, false);
        return;
      }
      const { draft } = this.isThere ? await run.client.prompts.draft.get(address) : { draft: null };
      if (draft !== null) {
        const isSame = (await hashOf(draft.files)) === (await hashOf(files));
        if (isSame) tally(run, record.versions.length === 0 ? "prompts" : "drafts", "there");
        else if (this.#hasDraft) this.#take("another draft has this address");
        else leaveTaken(run, `the draft of ${this.slug}`, "there is another draft here");
        return;
      }
      const body = { files, message, baseVersionNumber };
      await change(run, "drafts", () => run.client.prompts.draft.put({ ...address, body }));
    });
  }

  /** Brings yanks, then labels, and opens it at the very end. */
  async end(): Promise<void> {
    const { run, address } = this;
    if (!this.isOpen) return;
    if (!this.#isBrought)
      return leaveOut(run, `the prompt ${this.slug}`, "it is a draft without files, which cannot be created");
    run.brought.prompts.add(this.slug);
    await attempt(run, `the yanks of ${this.slug}`, () => sendYanks(this));
    await attempt(run, `the labels of ${this.slug}`, () => this.#labels());
    const { visibility = "private" } = this.#manifest;
    if (!run.publish || visibility === "private") return;
    await attempt(run, `the visibility of ${this.slug}`, async () => {
      const there = await find(this);
      if (there !== null && there !== "deleted" && there.visibility !== "private") return;
      await change(
        run,
        "prompts",
        () => run.client.prompts.update({ ...address, body: { visibility } }),
        "opened",
      );
    });
  }

  async #labels(): Promise<void> {
    const { run, record, address } = this;
    const there = new Set<string>();
    if (this.isThere && record.labels.length > 0)
      for await (const { name } of run.client.prompts.labels.list({ ...address, query: { limit: 100 } }))
        there.add(name);
    for (const { name, versionNumber, reason } of record.labels) {
      // Somebody may have moved it since.
      if (there.has(name)) tally(run, "labels", "there");
      else {
        const body = { versionNumber, reason, expectedVersionNumber: null };
        await change(run, "labels", () => run.client.prompts.labels.put({ ...address, name, body }));
      }
    }
  }
}

async function find({ run, address }: PromptImport): Promise<Prompt | "deleted" | null> {
  try {
    return await run.client.prompts.get(address);
  } catch (error) {
    const { status } = error as { status?: unknown };
    if (status === 410) return "deleted";
    if (status === 404) return null;
    throw error;
  }
}

const hashOf = async (files: FileInput[]): Promise<string> => contentHash((await checkFiles(files)).files);
