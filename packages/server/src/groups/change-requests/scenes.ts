import {
  each,
  expectDone,
  type Act,
  type GroupScenes,
  type Stage,
  type Thing,
  nextNumber,
} from "../../../test/scenes.ts";

const files = (said: string) => [{ path: "PROMPT.md", content: `${said} {{name}}` }];

/** The fork of each staged change request. */
const forks = new WeakMap<Thing, string>();

/** Forks a prompt of the owner's, and gives the address. Its second version changes the entry. */
async function fork({ owner }: Stage, address: string): Promise<string> {
  const { ref } = await expectDone(owner, `POST /prompts/${address}/forks`, {});
  await expectDone(owner, `POST /prompts/${ref}/versions`, { files: files("Forked") });
  return ref;
}

/** Proposes a change to a prompt, and gives the number. */
async function propose(stage: Stage, address: string): Promise<{ n: number; ref: string }> {
  const ref = await fork(stage, address);
  const body = { source: { ref }, title: "A change" };
  const { n } = await expectDone(stage.owner, `POST /prompts/${address}/change-requests`, body);
  return { n, ref };
}

const pathOf = ({ params }: Thing) =>
  `/prompts/${String(params["owner"])}/${String(params["slug"])}/change-requests/${String(params["n"])}`;
const update =
  (body: object): Act =>
  ({ owner }, { change_request: request }) =>
    expectDone(owner, `PATCH ${pathOf(request)}`, body);

/** Opens or closes the first change request of a prompt. */
const turn = ({ owner }: Stage, { address }: Thing, state: string) =>
  expectDone(owner, `PATCH /prompts/${address}/change-requests/1`, { state });

export const scenes: GroupScenes<"changeRequests"> = {
  kinds: {
    change_request: {
      below: "prompt",
      make: async (stage, { above }) => {
        const { n, ref } = await propose(stage, above.address);
        const { owner, slug } = above.params;
        const thing = {
          params: { owner, slug, n },
          address: `${above.address}!${n}`,
          as: { author: stage.owner },
        };
        forks.set(thing, ref);
        return thing;
      },
    },
  },
  operations: {
    list: {
      fill: async (stage, { address }) => {
        for (const _ of [1, 2]) await propose(stage, address);
      },
      list: async (sql) => {
        const [author] = await sql<{ handle: string }[]>`
          select u.handle from change_requests c join users u on u.id = c.author_id join prompts p on p.id = c.target_id
          where p.slug = 'large' order by c.n limit 1`;
        return {
          path: "/prompts/bench/large/change-requests",
          queries: [
            "",
            ...each("state", "open closed merged all all&sort=updated"),
            ...each("author", `${author?.handle} ${author?.handle}&state=all&sort=updated`),
            ...each("sort", "newest updated"),
          ],
        };
      },
    },
    create: {
      prepare: ({ server }, target, source) => server.sql`
        update prompts p set forked_from_id = t.id, forked_from_n = 1 from prompts t
        where p.slug = ${String(source?.params["slug"])} and t.slug = ${String(target?.params["slug"])}`,
    },
    get: {},
    update: {},
    diff: {},
    merge: {},
  },
  shows: async ({ viewer }, { word, address, params, isDraft }) => {
    if (isDraft) return {};
    // The fork is the viewer's own, so that it says nothing of the prompt by itself.
    const own = { slug: `mine-${nextNumber()}`, visibility: "private" };
    const { ref } = await expectDone(viewer, `POST /prompts/${address}/forks`, own);
    await expectDone(viewer, `PATCH /prompts/${ref}`, { title: "Mine", summary: null, tags: [] });
    await expectDone(viewer, `POST /prompts/${ref}/versions`, { files: files("Mine") });
    const proposal = { source: { ref }, title: word, body: word };
    const { n } = await expectDone(viewer, `POST /prompts/${address}/change-requests`, proposal);
    return { change_request: { params: { ...params, n }, address: `${address}!${n}` } };
  },
  counts: {
    "prompt.openChangeRequests": {
      list: ({ address }) => `/prompts/${address}/change-requests`,
      changes: {
        "a change request": [1, (stage, { address }) => propose(stage, address)],
        "a closed change request": [-1, (stage, prompt) => turn(stage, prompt, "closed")],
        "one that is open again": [1, (stage, prompt) => turn(stage, prompt, "open")],
        "a merge": [
          -1,
          ({ owner }, { address }) =>
            expectDone(owner, `POST /prompts/${address}/change-requests/1/merge`, { strategy: "theirs" }),
        ],
      },
    },
  },
  changes: {
    "another title of a change request": update({ title: "Another", body: "Why" }),
    "a body that another renderer has rendered": ({ server }) => server.sql`
      update change_requests set body_html = '<p>Anew</p>', body_renderer = body_renderer + 1 where body is not null`,
    "another proposed version": async (stage, things) => {
      const ref = forks.get(things.change_request);
      await expectDone(stage.owner, `POST /prompts/${ref}/versions`, { files: files("Forked again") });
      await update({ versionNumber: 3 })(stage, things);
    },
    "a closed change request": update({ state: "closed" }),
    "a change request that is open again": update({ state: "open" }),
    "that the proposed version is yanked": ({ owner }, things) =>
      expectDone(owner, `POST /prompts/${forks.get(things.change_request)}/versions/3/yank`, {}),
    "that the proposed version can be used again": ({ owner }, things) =>
      expectDone(owner, `DELETE /prompts/${forks.get(things.change_request)}/versions/3/yank`),
    "a new address of a fork": async ({ owner }, { change_request: request }) => {
      const { ref } = await expectDone(owner, `PATCH /prompts/${forks.get(request)}`, { slug: "a-fork" });
      forks.set(request, ref);
    },
    "that a fork turns private": ({ owner }, { change_request: request }) =>
      expectDone(owner, `PATCH /prompts/${forks.get(request)}`, { visibility: "private" }),
    "a merge": ({ owner }, { change_request: request }) =>
      expectDone(owner, `POST ${pathOf(request)}/merge`, { strategy: "theirs" }),
  },
};
