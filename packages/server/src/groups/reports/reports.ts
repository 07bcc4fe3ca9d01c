import { limits, type Report } from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Handler } from "../../kernel/handler.ts";
import { requireVisible } from "../comments/index.ts";
import { notifyAccounts } from "../notifications/index.ts";
import { act } from "./act.ts";
import {
  closeReports,
  countOpen,
  countReports,
  insertReport,
  selectReport,
  selectReports,
} from "./reports.sql.ts";
import { subjectOf } from "./subject.ts";

export const create: Handler<"reports.create"> = async ({ body, caller, target, sql, server }) => {
  const { reason, details = null } = body;
  if (reason === "other" && !details?.trim()) throw invalid("/details", "Say what is wrong with it.");
  if (target.type === "comment") requireVisible(target);
  const subject = subjectOf(target);
  // Its owner would show it to moderators, who never see a draft.
  if (subject.isDraft && (target.type === "make" || target.type === "post"))
    throw invalid("/target", `This ${target.type} is a draft, which only you see.`);
  if (subject.isDraft) throw apiError("prompt_not_published");
  if ((await countOpen(sql, caller.id)) >= limits.openReportsPerAccount) {
    throw apiError("quota_exceeded", {
      message: `You can have ${limits.openReportsPerAccount} open reports. Wait until a moderator has decided on some.`,
    });
  }
  const id = await insertReport(sql, { reporterId: caller.id, subject, reason, details });
  if (id === null) throw apiError("report_exists");
  await countReports(sql, { promptId: subject.promptId, subjectId: subject.id }, 1);
  const { publicUrl } = server;
  return { status: 201, json: await selectReport(sql, { id, caller, publicUrl }) };
};

export const list: Handler<"reports.list"> = async ({ query, caller, page, sql, server }) =>
  page.reply<Report>(await selectReports(sql, { query, page, caller, publicUrl: server.publicUrl }));

export const update: Handler<"reports.update"> = async (context) => {
  const { body, caller, target: report, sql, server, audit } = context;
  const { status, action = "none", note = null } = body;
  if (owns(caller, report))
    throw apiError("forbidden", {
      message: "This is about what is yours. Another moderator can decide on it.",
    });
  if (report.status !== "open") throw apiError("report_closed");
  if (action !== "none") {
    if (status === "dismissed")
      throw invalid("/action", "A dismissed report changes nothing. To do something, resolve it.");
    await act(context, action, note);
  }
  const { id, kind: type, address, promptId, subjectId, ownerId, ownerHandle } = report;
  const closed = await closeReports(sql, report, { status, action, note, callerId: caller.id });
  await countReports(sql, { promptId, subjectId }, -closed.length);
  await audit("report.update", id, { on: subjectId, status, action, note, closed: closed.length });
  const { publicUrl } = server;
  const decision = { status, action, note };
  const url = `${publicUrl}/api/v1/reports?mine=true&status=${status}`;
  const told = closed.map((one) => ({
    userId: one.reporterId,
    data: { ...decision, id: one.id, own: null, url },
  }));
  const own = { target: { type, id: address }, handle: ownerHandle };
  const toOwner = { userId: ownerId, data: { ...decision, id, own, url: `${publicUrl}/${ownerHandle}` } };
  await notifyAccounts(sql, server, "report.handled", action === "none" ? told : [...told, toOwner]);
  return { status: 200, json: await selectReport(sql, { id, caller, publicUrl }) };
};
