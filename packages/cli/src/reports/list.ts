import type { Report } from "@promptreg/client";
import type { ListReports, ReportTarget } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell, countOf, plain } from "../terminal/text.ts";

/** Which reports to list. */
export interface ListOptions extends Pick<ListReports, "status" | "reason" | "mine"> {
  on?: ReportTarget;
  limit: number;
}

export async function listReports(
  { connect, output }: Context,
  { status, reason, mine, on, limit }: ListOptions,
): Promise<void> {
  const client = await connect();
  const target = on && `${on.type}:${on.id}`;
  const query = { status, reason, mine, target, limit: Math.min(limit, 100) };
  const { items, hasMore } = await take(client.reports.list({ query }), limit);
  output.result({ items, hasMore }, () => items.map((one) => drawn(one, output)).join("\n\n"));
  if (output.isJson) return;
  if (items.length === 0) output.note(`There are no reports that are ${status}.`);
  output.more(hasMore);
}

/** All reports. Whoever is no moderator would be shown their own, as if there were no others. */
export async function listQueue(context: Context, options: ListOptions): Promise<void> {
  const { handle, token } = await (await context.connect()).users.me.get();
  if (token.role === "user")
    throw apiError("forbidden", {
      message: `Only moderators list all reports. If you are one, use a token with the role: \`promptreg-server token create --user ${handle} --role moderator\` makes it. \`promptreg report list\` lists your own.`,
    });
  await listReports(context, options);
  if (!context.output.isJson) await noteOthers(context);
}

/** What else waits for moderators: nobody is notified of it, as of reports. */
async function noteOthers({ connect, output }: Context): Promise<void> {
  const { comments, posts } = await connect();
  const [held, inReview] = await Promise.all([
    comments.list({ query: { status: "held", limit: 1 } }),
    posts.list({ query: { status: "in_review", limit: 1 } }),
  ]);
  if (held.items.length > 0) output.note("Comments wait, too: `promptreg comment held` lists them.");
  if (inReview.items.length > 0)
    output.note("Posts wait, too: `promptreg post list --in-review` lists them.");
}

function drawn(report: Report, { colors, moment }: Output): string {
  const { id, target, reason, details, status, action, note, reporter, owner, excerpt, openReports } = report;
  const what = target
    ? `${target.type.replaceAll("_", " ")} ${target.id}`
    : "something that you cannot see any more";
  const head = [
    colors.bold(id),
    colors.yellow(reason),
    cell(what),
    owner && `of ${owner.handle}`,
    openReports !== null && openReports > 1 && `${countOf(openReports, "report")} on it`,
    moment(report.createdAt),
    status !== "open" && `${status}${action === "none" ? "" : `: ${action}`}`,
  ];
  const quote = excerpt
    ? plain(excerpt)
        .split("\n")
        .map((line) => colors.dim(`> ${line}`))
    : [];
  const said = [
    details !== null && `${reporter ? `${reporter.handle}: ` : ""}${cell(details)}`,
    details === null && reporter && `reported by ${reporter.handle}`,
    note !== null && `decision: ${cell(note)}`,
  ];
  return [
    head.filter(Boolean).join("  "),
    ...[...quote, ...said.filter(Boolean)].map((line) => `  ${line}`),
  ].join("\n");
}
