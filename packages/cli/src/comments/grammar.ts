import type { CommentTarget, ListComments } from "@promptreg/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import { countOption, discussed, discussedArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { calling } from "../grammar/operation.ts";
import { addVoteCommand } from "../votes/index.ts";

const target = ["<target>", discussed, discussedArgument] as const;
const one = ["<comment>", "its id, such as cmt_01jd…", commentArgument] as const;
const text = ["<text>", "Markdown; - reads standard input"] as const;

function commentArgument(words: string): string {
  if (/^cmt_[0-9a-hjkmnp-tv-z]{26}$/.test(words)) return words;
  throw new InvalidArgumentError(
    "Write the id of a comment: cmt_ and 26 letters and digits. `promptreg comment list` shows it.",
  );
}

/** What is done with comments. */
export function addCommentCommands(program: Command, action: Action): void {
  const comments = program
    .command("comment")
    .description("Reads and writes comments on prompts, versions, change requests, makes and posts.");
  addReading(comments, action);
  addWriting(comments, action);
  addModerating(comments, action);
}

const orders: NonNullable<ListComments["sort"]>[] = ["oldest", "newest", "top"];

function addReading(comments: Command, action: Action): void {
  example(
    comments.command("list"),
    "promptreg comment list ada/support-reply --sort top\npromptreg comment list ada/support-reply@3\npromptreg comment list --mine",
  )
    .description("Shows comments and the first replies to each.")
    .argument("[target]", discussed, discussedArgument)
    .addOption(
      new Option("--mine", "all comments that you wrote, the newest first").conflicts(["sort", "thread"]),
    )
    .addOption(new Option("--sort <order>", "the order").choices(orders))
    .option("--thread <comment>", "all replies to this comment instead", commentArgument)
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(action(async () => (await import("./list.ts")).listComments));

  addVoteCommand(comments, action, { type: "comment", id: "cmt_01jd…", one });
}

function addWriting(comments: Command, action: Action): void {
  example(
    comments.command("add"),
    "promptreg comment add ada/support-reply 'Works well in German, too.'\npromptreg comment add 'ada/support-reply!12' - < review.md",
  )
    .description("Comments on something. @handle mentions an account.")
    .argument(...target)
    .argument(...text)
    .action(action(async () => (await import("./write.ts")).addComment));

  example(comments.command("reply"), "promptreg comment reply ada/support-reply cmt_01jd… 'Thanks, fixed.'")
    .description("Replies to a comment.")
    .argument(...target)
    .argument(...one)
    .argument(...text)
    .action(action(async () => (await import("./write.ts")).replyToComment));

  example(comments.command("edit"), "promptreg comment edit cmt_01jd… 'Works well in German and Dutch.'")
    .description("Changes your comment, within 24 hours.")
    .argument(...one)
    .argument(...text)
    .action(action(async () => (await import("./write.ts")).editComment));

  example(comments.command("delete"), "promptreg comment delete cmt_01jd…")
    .description("Deletes a comment, after asking. Replies to it stay.")
    .argument(...one)
    .action(action(async () => (await import("./write.ts")).deleteComment));
}

function addModerating(comments: Command, action: Action): void {
  example(comments.command("held"), "promptreg comment held")
    .description("Shows the comments that wait for a moderator, the oldest first. For moderators.")
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(action(async () => (await import("./list.ts")).listHeld));

  example(comments.command("hide"), "promptreg comment hide cmt_01jd… --reason 'Insults somebody'")
    .description("Hides a comment and its replies. For moderators.")
    .argument(...one)
    .option("--reason <text>", "the reason, for the audit log")
    .action(
      action(
        calling(
          "comments.hide",
          (id: string, { reason }: { reason?: string }) => ({ id, body: { reason } }),
          (_, id) => `${id} is hidden`,
        ),
      ),
    );

  example(comments.command("unhide"), "promptreg comment unhide cmt_01jd…")
    .description("Shows a comment that is hidden, or that waits for a moderator. For moderators.")
    .argument(...one)
    .action(
      action(
        calling(
          "comments.unhide",
          (id: string) => ({ id }),
          (_, id) => `${id} is visible`,
        ),
      ),
    );

  for (const [verb, locked] of [
    ["lock", true],
    ["unlock", false],
  ] as const)
    example(comments.command(verb), `promptreg comment ${verb} ada/support-reply`)
      .description(
        locked
          ? "Lets only moderators comment on something of yours, and on its versions and change requests."
          : "Lets everybody comment on it again.",
      )
      .argument(...target)
      .option("--reason <text>", "the reason, for the audit log")
      .action(
        action(async () => {
          const { lockComments } = await import("./write.ts");
          return (context, of: CommentTarget, { reason }: { reason?: string }) =>
            lockComments(context, { target: of, locked, reason });
        }),
      );
}
