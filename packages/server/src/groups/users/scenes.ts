import { expectDone, type GroupScenes } from "../../../test/scenes.ts";

export const scenes: GroupScenes<"users"> = {
  kinds: {
    user: {
      isAlwaysVisible: true,
      make: async ({ owner: { handle } }) => ({ params: { handle }, address: handle }),
    },
  },
  operations: {
    get: {},
    "me.get": {},
    "me.update": { isEchoing: true },
  },
  shows: async ({ owner: { handle } }) => ({ user: { params: { handle }, address: handle } }),
  changes: {
    "a name": ({ owner }) => expectDone(owner, "PATCH /me", { name: "Ada" }),
    "an edit of profiles": async ({ owner, viewer }) => {
      for (const one of [owner, viewer]) await expectDone(one, "PATCH /me", { bio: "Hi" });
    },
    "a preference": ({ viewer }) => expectDone(viewer, "PATCH /me", { preferences: { showMature: true } }),
    "a role": ({ server, owner }) => server.sql`update users set role = 'moderator' where id = ${owner.id}`,
    "the role of a token": ({ server, viewer }) =>
      server.sql`update users set role = 'user' where id = ${viewer.id}`,
    "the name of a token": ({ server, viewer }) =>
      server.sql`update tokens set name = 'new' where user_id = ${viewer.id}`,
  },
};
