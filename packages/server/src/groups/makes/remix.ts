import type { HandlerWith } from "../../kernel/handler.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { link, lockPrompts } from "./link.ts";
import { selectShownLinks } from "./links.sql.ts";
import { created, createMake, showMake } from "./create.ts";
import { copyParts, selectAbout } from "./makes.sql.ts";

export const remix: HandlerWith<"makes.remix", {}> = {
  lock: "share",

  async handle({ body, caller, target: source, sql, server }) {
    const { body: text, rendered, title, summary, tags, license } = await selectAbout(sql, source.id);
    // What the remixer cannot see is left out. Prompts are locked before the account, as others lock both.
    const shown = await selectShownLinks(sql, source.id, lookingOf(caller, server));
    const found = await lockPrompts(sql, caller, shown);
    const make = await createMake(sql, caller, {
      title: body.title ?? title,
      slug: body.slug,
      summary,
      tags,
      license,
      body: { text, ...rendered },
      remixOfId: source.id,
    });
    await copyParts(sql, { from: source.id, to: make.id });
    for (const one of found) await link(sql, make, one);
    return created(sql, make, caller, server);
  },

  replay: ({ caller, sql, server, subject }) => showMake(sql, { id: subject.id, caller, server }),
};
