import {
  each,
  expectDone,
  type GroupScenes,
  type Stage,
  type Thing,
  nextNumber,
} from "../../../test/scenes.ts";

/** Text that nobody has written yet: repeated ones are held. */
const newText = () => `Said ${nextNumber()}`;

/** A thing as bodies of requests name it, by its address. */
const targetOf = ({ address }: Pick<Thing, "address">) => ({
  type: address.includes("!")
    ? "change_request"
    : address.includes("@")
      ? "version"
      : address.includes("/")
        ? "prompt"
        : address.startsWith("pst_")
          ? "post"
          : "make",
  id: address,
});

type Who = Stage["owner"];
const say = (
  who: Who,
  on: Pick<Thing, "address">,
  body = newText(),
  parentId?: string,
): Promise<{ id: string }> =>
  expectDone(who, "POST /comments", {
    target: targetOf(on),
    body,
    ...(parentId !== undefined && { parentId }),
  });

async function moderate({ server }: Stage, route: string): Promise<void> {
  const moderator = await server.join("moderates-comments", { role: "moderator" });
  await expectDone(moderator, route, route.startsWith("POST") ? {} : undefined);
}
const hide = (stage: Stage, { address }: Thing) => moderate(stage, `POST /comments/${address}/hide`);
const unhide = (stage: Stage, { address }: Thing) => moderate(stage, `DELETE /comments/${address}/hide`);

const firstOf = async (owner: Who, { address }: Thing): Promise<Thing> => {
  const { items } = await expectDone(owner, `GET /comments?target=prompt:${address}`);
  return { params: {}, address: items[0].id };
};

export const scenes: GroupScenes<"comments"> = {
  kinds: {
    comment: {
      below: "prompt",
      make: async ({ owner }, { above }) => {
        const { id } = await say(owner, above);
        return { params: { id }, address: id, as: { author: owner } };
      },
    },
  },
  operations: {
    list: {
      query: () => ({ target: "prompt:nobody/nothing" }),
      fill: async ({ owner }, thing) => {
        for (const _ of [1, 2]) await say(owner, thing);
      },
      list: {
        path: "/comments",
        queries: [
          "target=prompt:bench/large",
          ...each("target=prompt:bench/large&sort", "oldest newest top"),
          "target=version:bench/large@1",
          "target=change_request:bench/large!1",
          "target=make:make-1",
          "author=me",
        ],
        moderated: ["status=held"],
      },
    },
    create: {
      body: {
        get body() {
          return newText();
        },
      },
    },
    update: {
      body: {
        get body() {
          return newText();
        },
      },
    },
    delete: {},
    hide: { isAudited: true },
    unhide: {
      // One's own is for another moderator to show.
      prepare: async ({ server }, { address }) => {
        const { id } = await server.join("contributor");
        await server.sql`update comments set author_id = ${id}, status = 'hidden' where id = ${address}`;
      },
    },
    lock: { isEchoing: true, body: { locked: true } },
    mentions: { etag: "printed", query: () => ({ q: "a", target: "prompt:nobody/nothing" }) },
  },
  shows: async ({ owner, viewer }, { address, word, isDraft }) => {
    if (isDraft) return {};
    const { id } = await say(owner, { address }, `${word} of the owner`);
    await say(viewer, { address }, word, id);
    for (const below of ["@1", "!1"]) await say(owner, { address: `${address}${below}` }, word + below);
    return { comment: { params: { id }, address: id } };
  },
  counts: {
    "make.comments": {
      changes: {
        "a comment": [1, ({ viewer }, make) => say(viewer, make)],
        "a comment that is held": [
          0,
          ({ viewer }, make) =>
            say(viewer, make, "See https://d.example, https://e.example and https://f.example"),
        ],
        "the deletion of a comment": [
          -1,
          async ({ viewer }, { address }) => {
            const { items } = await expectDone(viewer, `GET /comments?target=make:${address}`);
            await expectDone(viewer, `DELETE /comments/${items[0].id}`);
          },
        ],
      },
    },
    "post.commentCount": {
      changes: {
        "a comment": [1, ({ viewer }, post) => say(viewer, post)],
        "the deletion of a comment": [
          -1,
          async ({ viewer }, { address }) => {
            const { items } = await expectDone(viewer, `GET /comments?target=post:${address}`);
            await expectDone(viewer, `DELETE /comments/${items[0].id}`);
          },
        ],
      },
    },
    "prompt.comments": {
      changes: {
        "a comment": [1, ({ viewer }, prompt) => say(viewer, prompt)],
        "a reply": [
          1,
          async (stage, prompt) =>
            say(stage.owner, prompt, newText(), (await firstOf(stage.owner, prompt)).address),
        ],
        "a comment that is held": [
          0,
          ({ viewer }, prompt) =>
            say(viewer, prompt, "See https://a.example, https://b.example and https://c.example"),
        ],
        "a comment on a version": [0, ({ viewer }, { address }) => say(viewer, { address: `${address}@1` })],
        "the hiding of a thread": [
          -2,
          async (stage, prompt) => hide(stage, await firstOf(stage.owner, prompt)),
        ],
        "that a moderator shows it again": [
          2,
          async (stage, prompt) => {
            const [hidden] = await stage.server.sql<{ id: string }[]>`
              select c.id from comments c join prompts p on p.id = c.target
              where p.slug = ${String(prompt.params["slug"])} and c.status = 'hidden'`;
            await unhide(stage, { params: {}, address: hidden?.id ?? "" });
          },
        ],
        "the deletion of what was replied to": [
          -1,
          async (stage, prompt) =>
            expectDone(stage.viewer, `DELETE /comments/${(await firstOf(stage.owner, prompt)).address}`),
        ],
      },
    },
  },
  changes: {
    "a comment on a make": ({ viewer }, { make }) => say(viewer, make),
    "a comment on a post": ({ viewer }, { post }) => say(viewer, post),
    "a comment": ({ viewer }, { prompt }) => say(viewer, prompt),
    "a comment on a version": ({ owner }, { version }) => say(owner, version),
    "a reply": ({ owner }, { prompt, comment }) => say(owner, prompt, newText(), comment.address),
    "an edit of a comment": ({ owner }, { comment }) =>
      expectDone(owner, `PATCH /comments/${comment.address}`, { body: newText() }),
    "that a comment is hidden": (stage, { comment }) => hide(stage, comment),
    "that a comment is shown again": (stage, { comment }) => unhide(stage, comment),
    "a lock of comments": ({ owner }, { prompt }) =>
      expectDone(owner, "PUT /comments/lock", { target: targetOf(prompt), locked: true }),
    "the end of a lock of comments": ({ owner }, { prompt }) =>
      expectDone(owner, "PUT /comments/lock", { target: targetOf(prompt), locked: false }),
    "the deletion of a comment": ({ owner }, { comment }) =>
      expectDone(owner, `DELETE /comments/${comment.address}`),
  },
};
