import { each, expectDone, type GroupScenes, type Stage, type Thing } from "../../../test/scenes.ts";

const add = ({ owner }: Stage, { address }: Thing): Promise<{ id: string }> =>
  expectDone(owner, `POST /prompts/${address}/examples`, { output: "Hello", versionNumber: 1 });
const act =
  (verb: string, body?: object) =>
  ({ owner }: Stage, { example }: { example: Thing }) =>
    expectDone(owner, `POST /examples/${example.address}/${verb}`, body);
/** Decides about an example of a prompt that has this status. */
async function ofFirst(stage: Stage, { address }: Thing, status: string, verb: string): Promise<void> {
  const { items } = await expectDone(stage.owner, `GET /prompts/${address}/examples?status=${status}`);
  await act(verb)(stage, { example: { params: {}, address: items[0].id } });
}
/** The prompt with the most examples. */
const path = "/prompts/bench/large/examples";

export const scenes: GroupScenes<"examples"> = {
  kinds: {
    example: {
      below: "prompt",
      make: async (stage, { above }) => {
        const { id } = await add(stage, above);
        // It moves with its prompt.
        const params = {
          get owner() {
            return above.params["owner"];
          },
          get slug() {
            return above.params["slug"];
          },
          id,
        };
        return { params, address: id, as: { author: stage.owner } };
      },
    },
  },
  operations: {
    list: {
      fill: async (stage, thing) => {
        for (const _ of [1, 2]) await add(stage, thing);
      },
      list: {
        path,
        queries: [
          "",
          ...each("status", "approved pending rejected"),
          ...each("version", "1"),
          "version=1&status=rejected",
        ],
      },
    },
    create: { body: { output: "Hello" } },
    get: {},
    update: {},
    delete: {},
    reorder: { body: { ids: [] } },
    approve: { prepare: (stage, example) => act("reject")(stage, { example }) },
    reject: {},
  },
  shows: async ({ owner, viewer }, { address, params, word, isDraft }) => {
    const texts = { title: word, output: word, note: word };
    const { id } = await expectDone(owner, `POST /prompts/${address}/examples`, texts);
    if (!isDraft) await expectDone(viewer, `POST /prompts/${address}/examples`, { output: word });
    return { example: { params: { ...params, id }, address: id } };
  },
  counts: {
    "prompt.examples": {
      list: ({ address }) => `/prompts/${address}/examples`,
      changes: {
        "an example": [1, add],
        "an example that waits": [
          0,
          ({ viewer }, { address }) =>
            expectDone(viewer, `POST /prompts/${address}/examples`, { output: "Hi" }),
        ],
        "a rejection": [-1, (stage, prompt) => ofFirst(stage, prompt, "approved", "reject")],
        "an approval": [1, (stage, prompt) => ofFirst(stage, prompt, "rejected", "approve")],
        "the deletion of an example": [
          -1,
          async ({ owner }, { address }) => {
            const { items } = await expectDone(owner, `GET /prompts/${address}/examples`);
            await expectDone(owner, `DELETE /prompts/${address}/examples/${items[0].id}`);
          },
        ],
      },
    },
  },
  changes: {
    "an edit of an example": ({ owner }, { prompt, example }) =>
      expectDone(owner, `PATCH /prompts/${prompt.address}/examples/${example.address}`, {
        variables: { counts: { tone: "calm" }, votes: { up: 1 } },
      }),
    "an edit of values that are named like counts": ({ owner }, { prompt, example }) =>
      expectDone(owner, `PATCH /prompts/${prompt.address}/examples/${example.address}`, {
        variables: { counts: { tone: "rough" }, votes: { up: 2 } },
      }),
    "media of an example": ({ owner }, { prompt, example, media }) =>
      expectDone(owner, `PATCH /prompts/${prompt.address}/examples/${example.address}`, {
        mediaIds: [media.address],
      }),
    "one more example": (stage, { prompt }) => add(stage, prompt),
    "another order of examples": async ({ owner }, { prompt }) => {
      const { items } = await expectDone(owner, `GET /prompts/${prompt.address}/examples`);
      const ids = items.map(({ id }: { id: string }) => id).reverse();
      await expectDone(owner, `POST /prompts/${prompt.address}/examples/reorder`, { ids });
    },
    "the rejection of an example": act("reject", { reason: "Not yet" }),
    "the approval of an example": act("approve"),
  },
};
