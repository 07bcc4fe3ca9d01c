import { isDeepStrictEqual } from "node:util";
import type { MakeSummary } from "@promptreg/core";
import { invalid } from "@promptreg/core/errors";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { type Rendered, render } from "../../kernel/markdown/rendered.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { created, createMake, showMake, slugTaken } from "./create.ts";
import { countListed, followLinks, isListed } from "./follow.ts";
import { findPrompts, link } from "./link.ts";
import { settleLinks } from "./links.sql.ts";
import { selectMakes } from "./list.sql.ts";
import {
  type About,
  deleteMake,
  hasGallery,
  hideMediaOf,
  selectAbout,
  takeSlug,
  updateMake,
} from "./makes.sql.ts";
import { selectMake } from "./shown.sql.ts";

export { familyTree, gallery, inbox } from "./prompt-makes.ts";

export const list: Handler<"makes.list"> = async ({ query, caller, page, sql, server }) =>
  page.reply<MakeSummary>(await selectMakes(sql, { query, page, ...lookingOf(caller, server) }));

/** @throws {ApiError} `validation_failed` if there is nothing to publish. */
function requireContent(hasContent: boolean): void {
  if (!hasContent)
    throw invalid(
      "/body",
      "A make that is published needs a body or something in its gallery. Add one of them first.",
    );
}

export const create: HandlerWith<"makes.create", { prepared: Rendered }> = {
  prepare: ({ body }) => render(body.body ?? ""),

  async handle(context) {
    const { body, caller, prepared, sql, server } = context;
    const { prompts = [], publish = false, slug, body: text = "", ...about } = body;
    if (publish) requireContent(text.trim() !== "");
    // Prompts before the account, as those who comment on a prompt or watch it lock both.
    const found = await findPrompts(sql, caller, prompts);
    const make = await createMake(sql, caller, { ...about, slug, body: prepared });
    for (const one of found) await link(sql, make, one);
    if (publish) {
      const published: About = { ...(await selectAbout(sql, make.id)), status: "published" };
      await updateMake(sql, { id: make.id, about: published, body: null, text });
      const after = { ...make, ...published };
      const { tags } = published;
      await countListed(sql, make, {
        before: { tags, isListed: false },
        after: { tags, isListed: isListed(after) },
      });
      await followLinks(context, after);
    }
    return created(sql, make, caller, server);
  },

  replay: ({ caller, sql, server, subject }) => showMake(sql, { id: subject.id, caller, server }),
};

export const get: Handler<"makes.get"> = async ({ caller, target: make, sql, server }) => ({
  status: 200,
  ...(await selectMake(sql, { id: make.id, ...lookingOf(caller, server) })),
  traffic: [{ act: "view", subject: make }],
});

export const update: HandlerWith<"makes.update", { prepared: Rendered | null }> = {
  prepare: async ({ body: { body } }) => (body === undefined ? null : render(body)),

  async handle(context) {
    const { body, caller, target: make, prepared, sql, audit, server } = context;
    const before = await selectAbout(sql, make.id);
    const after = { ...before, ...body };
    const changed = (Object.keys(body) as (keyof typeof body)[]).filter(
      (field) => !isDeepStrictEqual(before[field], after[field]),
    );
    if (changed.length > 0) {
      if (after.status === "published" && (changed.includes("status") || changed.includes("body")))
        requireContent(after.body.trim() !== "" || (await hasGallery(sql, make.id)));
      if (changed.includes("slug") && !(await takeSlug(sql, { makeId: make.id, slug: after.slug })))
        throw slugTaken(after.slug);
      const isRewritten = changed.includes("body");
      await updateMake(sql, {
        id: make.id,
        about: after,
        body: isRewritten ? prepared : null,
        text: after.body,
      });
      await countListed(sql, make, {
        before: { tags: before.tags, isListed: isListed(before) },
        after: { tags: after.tags, isListed: isListed(after) },
      });
      await followLinks(context, { ...make, ...after });
      if (!owns(caller, make)) await audit("make.moderate", make.id, { changed });
      else if (changed.includes("visibility"))
        await audit("make.visibility", make.id, {
          from: { visibility: before.visibility },
          to: { visibility: after.visibility },
        });
    }
    return { status: 200, ...(await selectMake(sql, { id: make.id, ...lookingOf(caller, server) })) };
  },
};

const remove: Handler<"makes.delete"> = async ({ target: make, sql, audit }) => {
  const { tags } = await selectAbout(sql, make.id);
  await hideMediaOf(sql, make.id);
  await deleteMake(sql, make.id);
  await countListed(sql, make, {
    before: { tags, isListed: isListed(make) },
    after: { tags, isListed: false },
  });
  await settleLinks(sql, make.id);
  await audit("make.delete", make.id, { slug: make.slug });
  return { status: 204 };
};
export { remove as delete };
