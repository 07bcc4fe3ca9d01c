import { limits, type OperationOf } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Context, Handler, HandlerWith, Replay } from "../../kernel/handler.ts";
import { eventMake, followLinks } from "./follow.ts";
import { link as addLink } from "./link.ts";
import { countPins, decideLink, pinLink, removeLink, settleLinks } from "./links.sql.ts";
import type { LinkRow } from "./link-target.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { touchMake } from "./makes.sql.ts";
import { selectLink } from "./shown.sql.ts";

/** The link that is shown again if the first response was too long to be kept. */
const replay = ({ caller, sql, server, subject }: Replay<unknown, unknown>) =>
  selectLink(sql, { id: subject.id, ...lookingOf(caller, server) });

type Deciding = Pick<Context<OperationOf<"makes.prompts.approve">>, "caller" | "audit" | "sql" | "server">;

/** Notes a decision about a link: in its make, and in the audit log if staff decided in place of the owner of the prompt. */
async function note(
  { caller, audit, sql }: Deciding,
  { make, prompt }: LinkRow,
  { action, reason }: { action: string; reason?: string | null },
): Promise<void> {
  await touchMake(sql, make.id);
  if (!owns(caller, prompt)) await audit(`make.${action}`, make.id, { promptId: prompt.id, reason });
}

/** The reply about a link. */
const shown = async ({ caller, sql, server }: Deciding, { id }: LinkRow) => ({
  status: 200 as const,
  json: await selectLink(sql, { id, ...lookingOf(caller, server) }),
  subject: { id },
});

export const link: HandlerWith<"makes.prompts.link", {}> = {
  async handle(context) {
    const { body, caller, target: make, others, sql, server } = context;
    const id = await addLink(sql, make, { ...body, prompt: others.prompt });
    await touchMake(sql, make.id);
    await followLinks(context, make);
    const json = await selectLink(sql, { id, ...lookingOf(caller, server) });
    return { status: 201, json, location: `${server.publicUrl}/api/v1/makes/${make.slug}`, subject: { id } };
  },
  replay,
};

export const unlink: Handler<"makes.prompts.unlink"> = async ({ caller, target, sql, audit }) => {
  const { id, make, prompt, versionNumber, status } = target;
  const isMakers = owns(caller, make);
  await removeLink(sql, { id, rejectedBy: isMakers ? null : caller.id });
  await touchMake(sql, make.id);
  await settleLinks(sql, make.id);
  await audit("make.unlink", make.id, { promptId: prompt.id, versionNumber, status });
  return { status: 204 };
};

export const approve: HandlerWith<"makes.prompts.approve", {}> = {
  async handle(context) {
    const { caller, target, sql } = context;
    if (target.status !== "approved") {
      await decideLink(sql, { id: target.id, status: "approved", by: caller.id });
      await note(context, target, { action: "approve" });
      await followLinks(context, target.make);
    }
    return shown(context, target);
  },
  replay,
};

export const pin: HandlerWith<"makes.prompts.pin", {}> = {
  async handle(context) {
    const { body, target, sql } = context;
    const { id, status, isPinned, prompt, make } = target;
    if (status !== "approved") throw apiError("link_not_approved");
    // It would take the place of one that everybody sees.
    if (body.pinned && make.visibility !== "public")
      throw apiError("link_not_approved", {
        message: "This make is unlisted: the gallery does not show it.",
      });
    if (body.pinned !== isPinned) {
      if (body.pinned && (await countPins(sql, prompt.id)) >= limits.pinsPerPrompt)
        throw apiError("pin_limit");
      await pinLink(sql, { id, isPinned: body.pinned });
      await note(context, target, { action: body.pinned ? "pin" : "unpin" });
    }
    return shown(context, target);
  },
  replay,
};

export const reject: HandlerWith<"makes.prompts.reject", {}> = {
  async handle(context) {
    const { body, caller, target, sql, server, notify } = context;
    const { id, make, prompt, versionNumber } = target;
    const reason = body.reason === undefined ? target.reason : body.reason || null;
    if (target.status !== "rejected" || reason !== target.reason) {
      await decideLink(sql, { id, status: "rejected", reason, by: caller.id });
      await note(context, target, { action: "reject", reason });
      await settleLinks(sql, make.id);
      const data = {
        make: eventMake(server.publicUrl, make),
        link: { id, versionNumber, status: "rejected" as const },
        reason,
      };
      await notify("make.rejected", { prompt, userId: make.ownerId }, data);
    }
    return shown(context, target);
  },
  replay,
};
