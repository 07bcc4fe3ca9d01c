import { signedBy } from "../../../test/discord.ts";
import type { Person } from "../../../test/harness.ts";
import { expectDone, type GroupScenes, type Stage } from "../../../test/scenes.ts";
import { hashOf } from "./answers.ts";

const code = "2345ABCD";
const ping = '{"type":1}';

/** Lets somebody in Discord have a code, as `/link` does. */
const offer = ({ server: { sql, context } }: Stage) => sql`
  insert into discord_codes (discord_id, username, interaction_id, code_hash, expires_at)
  values ('80351110224678912', 'ada.l', 1, ${hashOf(code, context)}, clock() + interval '10 minutes')
  on conflict (discord_id) do update set used_by_id = null, expires_at = excluded.expires_at`;

const linkOf = async (stage: Stage, who: Person) => {
  await offer(stage);
  await expectDone(who, "PUT /me/discord", { code });
};

export const scenes: GroupScenes<"discord"> = {
  operations: {
    "interactions.receive": { text: ping, headers: () => signedBy(ping), isEchoing: true },
    "link.put": { body: { code }, prepare: offer, isAudited: true },
    "link.delete": { prepare: (stage) => linkOf(stage, stage.owner) },
  },
  changes: {
    "a link with Discord": (stage) => linkOf(stage, stage.viewer),
    "the end of a link with Discord": ({ viewer }) => expectDone(viewer, "DELETE /me/discord"),
  },
};
