import { each, type GroupScenes } from "../../../test/scenes.ts";

export const scenes: GroupScenes<"search"> = {
  operations: {
    query: {
      query: () => ({ q: "prompt" }),
      fill: async (stage) => {
        for (const _ of [1, 2]) await stage.make("prompt");
      },
      list: {
        path: "/search",
        queries: [
          ...each(
            "q",
            "check1500 check1500&sort=newest check1500&sort=stars check1500&type=user check1500&type=collection check1500&type=make check1500&type=post",
          ),
          ...each("q=check1500&kind", "text"),
          ...each("q=check1500&tag", "poem"),
          ...each("q=check1500&owner", "bench"),
          ...each("q=check1500&license", "MIT"),
          ...each("q=check1500&owner=bench&type", "collection make post"),
        ],
        broad: each(
          "q",
          "task task+plan+-law task&sort=newest task&type=user task&type=collection task&type=make task&type=post",
        ),
      },
    },
    suggest: { query: () => ({ q: "a prompt" }), etag: "none" },
  },
};
