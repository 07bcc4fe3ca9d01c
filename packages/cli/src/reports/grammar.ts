import type { ReportAction, ReportReason, ReportStatus, ReportTarget } from "@promptreg/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import { countOption, discussedArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { calling } from "../grammar/operation.ts";
import type { ListOptions } from "./list.ts";

// Core has these too, but beside its schemas: help does not wait for those to load. One that is missing here does not compile.
const reported: Record<ReportReason, true> = {
  spam: true,
  malware: true,
  prompt_injection: true,
  illegal: true,
  harassment: true,
  copyright: true,
  privacy: true,
  other: true,
};
const decided: Record<ReportStatus, true> = { open: true, resolved: true, dismissed: true };
const done: Record<ReportAction, true> = { hidden: true, removed: true, rated: true };
const reasons = Object.keys(reported);
const statuses = Object.keys(decided);
const actions = Object.keys(done);

const byPrefix = { cmt: "comment", exm: "example", col: "collection" } as const;

/** What is reported. */
function targetArgument(words: string): ReportTarget {
  const [, prefix] = /^(cmt|exm|col)_[0-9a-hjkmnp-tv-z]{26}$/.exec(words) ?? [];
  if (prefix !== undefined) return { type: byPrefix[prefix as keyof typeof byPrefix], id: words };
  const [, handle] = /^user:([a-z0-9]+(?:-[a-z0-9]+)*)$/.exec(words) ?? [];
  if (handle !== undefined) return { type: "user", id: handle };
  return discussedArgument(words);
}

function reportArgument(words: string): string {
  if (/^rpt_[0-9a-hjkmnp-tv-z]{26}$/.test(words)) return words;
  throw new InvalidArgumentError("Write the id of a report: rpt_ and 26 letters and digits.");
}

const target = [
  "<target>",
  "owner/slug, owner/slug@3, 'owner/slug!12', make:slug, post:pst_…, user:handle, or the id of a comment, an example or a collection",
  targetArgument,
] as const;
const one = ["<report>", "its id, such as rpt_01jd…", reportArgument] as const;
const limit = ["-n, --limit <count>", "the most to show", countOption, 30] as const;
const status = () => new Option("--status <status>", "their status").choices(statuses).default("open");

/** What people report, and what moderators do about it. */
export function addReportCommands(program: Command, action: Action): void {
  const reports = program.command("report").description("Tells moderators what should not be here.");
  example(
    reports.command("create"),
    "promptreg report create ada/support-reply --reason spam\npromptreg report create user:mallory --reason other --details 'Pretends to be me'",
  )
    .description("Reports something to moderators. They see what is private while a report on it is open.")
    .argument(...target)
    .addOption(
      new Option("--reason <reason>", "why; other needs --details").choices(reasons).makeOptionMandatory(),
    )
    .option("--details <text>", "what is wrong with it")
    .action(
      action(
        calling(
          "reports.create",
          (of: ReportTarget, { reason, details }: { reason: ReportReason; details?: string }) => ({
            body: { target: of, reason, details },
          }),
          (_, { type, id }) =>
            `${type.replaceAll("_", " ")} ${id} is reported. You are notified of the decision.`,
        ),
      ),
    );

  example(reports.command("list"), "promptreg report list --status resolved")
    .description("Lists your reports, and what became of them.")
    .addOption(status())
    .option(...limit)
    .action(
      action(async () => {
        const { listReports } = await import("./list.ts");
        return (context, options: ListOptions) => listReports(context, { ...options, mine: true });
      }),
    );
  addModerating(program, action);
}

function addModerating(program: Command, action: Action): void {
  const moderate = program
    .command("moderate")
    .description(
      "Decides on reports. For moderators. `promptreg comment held` and `promptreg post list --in-review` list what else waits for one.",
    );
  example(moderate.command("queue"), "promptreg moderate queue --reason malware")
    .description("Shows reports with what they are about, the oldest first, and says what else waits.")
    .addOption(status())
    .addOption(new Option("--reason <reason>", "only those with this reason").choices(reasons))
    .option("--on <target>", "only those on this", targetArgument)
    .option(...limit)
    .action(action(async () => (await import("./list.ts")).listQueue));

  example(
    moderate.command("resolve"),
    "promptreg moderate resolve rpt_01jd… --action hidden --note 'No advertising here.'",
  )
    .description(
      "Closes a report: what it says is right. With --action something is done, and all reports on the same thing are closed.",
    )
    .argument(...one)
    .addOption(new Option("--action <action>", "what becomes of it").choices(actions))
    .option("--note <text>", "why, for who reported it, and for its owner if something is done")
    .action(
      action(
        calling(
          "reports.update",
          (id: string, { action: done, note }: { action?: ReportAction; note?: string }) => ({
            id,
            body: { status: "resolved" as const, action: done, note },
          }),
          (_, id, { action: done }) => `${id} is resolved${done ? `: ${done}` : ""}`,
        ),
      ),
    );

  example(moderate.command("dismiss"), "promptreg moderate dismiss rpt_01jd… --note 'This is allowed here.'")
    .description("Closes a report: nothing is wrong.")
    .argument(...one)
    .option("--note <text>", "why, for who reported it")
    .action(
      action(
        calling(
          "reports.update",
          (id: string, { note }: { note?: string }) => ({ id, body: { status: "dismissed" as const, note } }),
          (_, id) => `${id} is dismissed`,
        ),
      ),
    );
}
