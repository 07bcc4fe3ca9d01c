import type { Comment, CommentTarget } from "@promptreg/client";
import type { CommentRecord } from "@promptreg/core/account";
import { absent } from "../../errors.ts";
import { createOnce } from "../../requests/create-once.ts";
import { attempt, change, type Importing, leaveOut, refHere, tally, whyClosed } from "./run.ts";

/** Comments of the archive, which come grouped by what they are on. */
export class CommentImport {
  readonly #run: Importing;
  /** The ids of comments here, by those in the archive; null for one that would be created. */
  readonly #ids = new Map<string, string | null>();
  /** What the account wrote on the present target, by parent and text: the ids, each of which stands for one comment at most. */
  #present = new Map<string, string[]>();
  #target = "";

  constructor(run: Importing) {
    this.#run = run;
  }

  async bring({ id, target, parentId, body }: CommentRecord): Promise<void> {
    const run = this.#run;
    const what = `the comment ${id} on ${target.type} ${target.id}`;
    if (!isOnOwn(run, target)) return leaveOut(run, what, "others made what it is on, or it is gone");
    const here = targetHere(run, target);
    if (here === null) return leaveOut(run, what, "what it is on is not here");
    if (["post", "make"].includes(target.type) && !run.published.has(target.id))
      return leaveOut(run, what, "what it is on is a draft here: run it again when that is published");
    const parent = parentId === null ? null : this.#ids.get(parentId);
    if (parent === undefined) return leaveOut(run, what, "what it replies to is not here");
    await attempt(run, what, async () => {
      const there = (await this.#on(here)).get(keyFor(parent, body))?.shift();
      if (there !== undefined) {
        this.#ids.set(id, there);
        return tally(run, "comments", "there");
      }
      if (run.closed.has(closedName(target))) return leaveOut(run, what, whyClosed(run));
      const made = await change(run, "comments", () =>
        createOnce(
          [run.head.id, id, here, parent],
          (options) =>
            run.client.comments.create({ body: { target: here, body, parentId: parent } }, options),
          async (made) => made,
        ),
      );
      this.#ids.set(id, made?.id ?? null);
    });
  }

  async #on(target: CommentTarget): Promise<Map<string, string[]>> {
    const { client, me } = this.#run;
    const named = `${target.type}:${target.id}`;
    if (named === this.#target) return this.#present;
    this.#target = named;
    this.#present = new Map();
    const keep = ({ id, parentId, author, body }: Comment) => {
      if (author?.handle !== me.handle || body === null) return;
      const key = keyFor(parentId, body);
      this.#present.set(key, [...(this.#present.get(key) ?? []), id]);
    };
    const list = (of: string) => client.comments.list({ query: { target: of, limit: 100 } });
    const look = async () => {
      for await (const thread of list(named)) {
        keep(thread);
        const isWhole = thread.replyCount <= thread.replies.length;
        for await (const reply of isWhole ? thread.replies : list(`comment:${thread.id}`)) keep(reply);
      }
    };
    // It may be that it would only be created.
    await look().catch(absent);
    return this.#present;
  }
}

const keyFor = (parentId: string | null, body: string): string => JSON.stringify([parentId, body]);

/** Whether a comment of the archive is on something of its account: an import writes nowhere else. */
export const isOnOwn = (
  { head, own }: Pick<Importing, "head" | "own">,
  { type, id }: CommentTarget,
): boolean => (type === "make" || type === "post" ? own.has(id) : id.startsWith(`${head.account.handle}/`));

/** What a comment is on, as `closed` has it: a version is of its prompt. */
function closedName({ type, id }: CommentTarget): string {
  if (type === "make" || type === "post") return `${type}:${id}`;
  return `prompt:${id.split("@")[0]?.split("/")[1]}`;
}

/** What a comment is on, as it is here; null if it is not. */
function targetHere(run: Importing, { type, id }: CommentTarget): CommentTarget | null {
  if (type === "change_request") return null;
  if (type === "post") {
    const here = run.ids.get(id);
    return here === undefined ? null : { type, id: here ?? id };
  }
  if (type === "make") return run.brought.makes.has(id) ? { type, id } : null;
  const [ref = "", n] = id.split("@");
  const { owner, slug } = refHere(run, ref);
  if (!run.brought.prompts.has(slug)) return null;
  return { type, id: `${owner}/${slug}${n === undefined ? "" : `@${n}`}` };
}
