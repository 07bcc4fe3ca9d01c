import type { GroupScenes } from "../../../test/scenes.ts";

export const scenes: GroupScenes<"votes"> = {
  operations: {
    put: {
      isEchoing: true,
      // Its owner's examples are the owner's own content.
      prepare: async ({ server }, { address }) => {
        const { id } = await server.join("contributor");
        await server.sql`update examples set author_id = ${id} where id = ${address}`;
      },
    },
    delete: { isEchoing: true, isAudited: false },
  },
  keeps: {
    "a vote": ({ viewer }, { example }) =>
      viewer.request("PUT /votes", { body: { target: { type: "example", id: example.address }, value: 1 } }),
  },
};
