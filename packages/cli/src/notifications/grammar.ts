import type { NotificationType } from "@promptreg/core";
import { type Command, InvalidArgumentError } from "commander";
import { UsageError } from "../errors.ts";
import { countOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { calling, listing } from "../grammar/operation.ts";

function idsArgument(words: string, earlier: string[] = []): string[] {
  if (/^ntf_[0-9a-hjkmnp-tv-z]{26}$/.test(words)) return [...earlier, words];
  throw new InvalidArgumentError(
    "Write ids of notifications: ntf_ and 26 letters and digits. `promptreg notification list` shows them.",
  );
}

/** What is done with notifications. */
export function addNotificationCommands(program: Command, action: Action): void {
  const notifications = program.command("notification").description("Shows what happened to what is yours.");
  example(
    notifications.command("list"),
    "promptreg notification list --unread\npromptreg notification list --type comment.mentioned",
  )
    .description("Lists your notifications, the newest first.")
    .option("--unread", "only unread ones")
    .option("--type <type>", "only those of this type, such as label.moved")
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(
      action(
        listing(
          "notifications.list",
          ({ unread, type }: { unread?: true; type?: string }) => ({
            // The registry knows its types, and names them to who asks for another.
            query: { unread, type: type as NotificationType | undefined },
          }),
          {
            columns: ["id", "title", "body", "url", "readAt", "createdAt"],
            none: "There are no notifications.",
          },
        ),
      ),
    );

  example(notifications.command("count"), "promptreg notification count --json")
    .description("Says how many notifications you have not read, up to 1,000.")
    .action(action(calling("notifications.count", () => ({}))));

  example(
    notifications.command("read"),
    "promptreg notification read ntf_01jd…\npromptreg notification read --all",
  )
    .description("Marks notifications as read.")
    .argument("[id...]", "their ids, such as ntf_01jd…", idsArgument)
    .option("--all", "all of yours")
    .action(
      action(
        calling("notifications.markRead", (ids: string[], { all }: { all?: true }) => {
          if ((ids.length === 0) !== (all === true))
            throw new UsageError("Name notifications, or write --all.");
          return { body: all ? { all } : { ids } };
        }),
      ),
    );
}
