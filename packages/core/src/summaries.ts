import type { OperationId } from "./contract.ts";

/** The documentation of an operation and its parameters. */
export interface OperationNotes {
  /** The first sentence. */
  summary: string;
  /** What follows it. */
  description?: string;
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
}
/** The documentation of a named schema and its fields. */
export interface SchemaNotes {
  description?: string;
  fields?: Readonly<Record<string, string>>;
}

/** What the comments in the contract say about every operation. Written by `npm run generate`. */
export const summaries = {
  "prompts.list": {
    summary: "Lists and searches the public prompts, or, with `owner=me`, all of one's own.",
    query: {
      q: 'Words to look for, as in a web search: `"exact phrase"`, `-not`, `or`.',
      kind: "One of these kinds.",
      tag: "All of these tags.",
      owner: "The handle of an account; `me` lists all that is the caller's, whoever else may see it.",
      license: "An SPDX expression: the whole of what a prompt says, in any case.",
      visibility: "With `owner=me` only: others are shown what is public.",
      status: "With `owner=me` only: others are shown what is published.",
      rating: "`mature` ones are shown to those who ask for them, here or in their preferences.",
      hasEvals: "Whether an eval run of it has ended.",
      forkOf: "Forks of this prompt, `owner/slug`.",
      updatedSince: "Updated at this time or later: ISO 8601 with an offset.",
      sort: "`trending` when absent, or `relevance` where there is a `q`.",
      limit: "How many items at most; 30 when absent.",
      cursor: "The `nextCursor` of the part before; it fits the same filters and order only.",
    },
  },
  "prompts.create": {
    summary:
      "Creates a prompt with a published version 1 and the labels sent, or, with `publish: false`, as a draft.",
  },
  "prompts.get": {
    summary:
      "Gets a prompt at its latest version, at a pinned one, or where a label points or pointed at a moment.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
    query: {
      view: "`version` answers only what an application polls for.",
      at: "A moment of the past: the version that `label` pointed to then.",
      version: "A version's number; excludes `label`.",
      label: "A label's name; excludes `version`.",
    },
  },
  "prompts.update": {
    summary: "Edits what a prompt says of itself.",
    description:
      "Answers with its latest version, the files without content. A moderator may change the rating of others' prompts, and nothing else.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.delete": {
    summary: "Deletes a prompt.",
    description: "Its address answers 410 from then on and is never given to another one.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.draft.get": {
    summary: "Gets the working draft of a prompt; `draft` is null when there is none.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.draft.put": {
    summary: "Saves the working draft of a prompt, in place of the one before.",
    description:
      "Only paths, sizes and content are checked now; whatever else a commit would refuse is told in `problems`. `If-Match` takes the tag of the draft, not of the prompt.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.draft.delete": {
    summary:
      "Discards the working draft of a prompt, unless the prompt has no version and the draft is all there is of it.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.versions.list": {
    summary: "Lists the versions of a prompt, newest first.",
    description: "Yanked ones are shown to the owner only.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
    query: {
      limit: "How many items at most; 30 when absent.",
      cursor: "The `nextCursor` of the part before; it fits the same filters and order only.",
    },
  },
  "prompts.versions.create": {
    summary:
      "Commits a new immutable version from the files sent, or from the saved draft when none are, which takes a token that may read too.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.versions.get": {
    summary: "Gets one version with its files.",
    description: "The answer never changes and may be kept for a year.",
    params: {
      n: "The number of the version.",
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
    query: {
      files: "`meta` leaves the files' contents out.",
    },
  },
  "prompts.versions.restore": {
    summary: "Restores an old version as the next one.",
    description:
      "Its files are checked already, so there are no warnings; a yanked version can be restored too.",
    params: {
      n: "The number of the version.",
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.versions.yank": {
    summary:
      "Yanks a version: it leaves the lists of all but the owner and cannot be labelled, but is still served to those who pinned it.",
    description:
      "The owner moves the labels that point to it first; a moderator's yank deletes them, and only a moderator takes it back.",
    params: {
      n: "The number of the version.",
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.versions.unyank": {
    summary: "Takes a yank back: the owner takes back their own, and a moderator that of a moderator.",
    params: {
      n: "The number of the version.",
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.labels.list": {
    summary: "Lists the labels of a prompt by name, the computed `latest` among them.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
    query: {
      limit: "How many items at most; 30 when absent.",
      cursor: "The `nextCursor` of the part before; it fits the same filters and order only.",
    },
  },
  "prompts.labels.put": {
    summary: "Creates a label, or moves it to another version.",
    params: {
      name: "Of the label; `latest` and `draft` are reserved.",
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.labels.delete": {
    summary: "Deletes a label.",
    description: "Its history stays, and the deletion is its last entry.",
    params: {
      name: "Of the label; `latest` and `draft` are reserved.",
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "prompts.labels.history": {
    summary: "Lists the moves of a label, newest first, also of one that was deleted.",
    description: "`latest` has no history: it follows the versions.",
    params: {
      name: "Of the label; `latest` and `draft` are reserved.",
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
    query: {
      limit: "How many items at most; 30 when absent.",
      cursor: "The `nextCursor` of the part before; it fits the same filters and order only.",
    },
  },
  "prompts.raw.get": {
    summary: "Gets the entry file, or the one at `path`, as text.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
    query: {
      path: "The file wanted; the entry file when absent.",
      version: "A version's number; excludes `label`.",
      label: "A label's name; excludes `version`.",
    },
  },
  "prompts.raw.getFile": {
    summary: "Gets a file as text, at an address that ends in its path.",
    params: {
      path: "Of the file, relative to the prompt's root; its slashes may stand as they are.",
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
    query: {
      version: "A version's number; excludes `label`.",
      label: "A label's name; excludes `version`.",
    },
  },
  "prompts.diff": {
    summary: "Compares two versions: their files line by line, their variables and their settings.",
    description:
      "With `Accept: text/x-diff` it answers a patch, with which `git apply` turns the files of the first into those of the second, to the byte and binary ones included; after `context=0` Git asks for `--unidiff-zero`.",
    params: {
      range: "`a..b`, each the number of a version or a label, `latest` included.",
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
    query: {
      path: "Compares this file alone, by its old or its new path.",
      context: "How many unchanged lines to show around a change, 0 to 20; 3 when absent.",
    },
  },
  "webhooks.list": {
    summary: "Lists your webhooks, newest first.",
    query: {
      limit: "How many items at most; 30 when absent.",
      cursor: "The `nextCursor` of the part before; it fits the same filters and order only.",
    },
  },
  "webhooks.create": {
    summary: "Creates a webhook.",
    description: "The answer holds its signing secret, this once.",
  },
  "webhooks.events": {
    summary: "Lists the events that can be received, with their descriptions and an example of each.",
  },
  "webhooks.get": {
    summary: "Gets a webhook, without its secret.",
  },
  "webhooks.update": {
    summary:
      "Updates a webhook, enables or disables it, or replaces its secret, which the answer then holds, this once.",
  },
  "webhooks.delete": {
    summary: "Deletes a webhook with its delivery log.",
  },
  "webhooks.test": {
    summary: "Queues a test delivery, sent once, even to a disabled webhook.",
    description: "Its failure never counts.",
  },
  "webhooks.deliveries.list": {
    summary: "Lists the deliveries of a webhook, newest first, of the last 30 days.",
    query: {
      status: "Only those that stand so.",
      event: "Only those of this event.",
      after:
        "The id of a delivery: only newer ones. Asked with the last id seen, it follows the log and misses nothing.",
      order: "By time: `desc` when absent, but `asc` with `after`.",
      include: "Each with what was sent.",
      limit: "How many items at most; 30 when absent.",
      cursor: "The `nextCursor` of the part before; it fits the same filters and order only.",
    },
  },
  "webhooks.deliveries.get": {
    summary: "Gets a delivery with what was sent and how each attempt went.",
  },
  "webhooks.deliveries.redeliver": {
    summary: "Sends the same envelope again as a new delivery.",
    description:
      "Of one that is still pending it replaces the remaining attempts. To send a test again counts as a test. An event of somebody else's prompt that turned private or was deleted since is not sent again.",
  },
  "evals.runs.list": {
    summary: "Lists the runs of a prompt, newest first.",
    description:
      "Its newest 5,000 runs are kept, and of older ones those that are pinned or still running. A page ends early when its runs come to about 8 MiB.",
    query: {
      prompt: "`owner/slug`.",
      version: "Only those of this version.",
      model: "Only those that asked this model.",
      status: "Only those that stand so.",
      verdict: "Only those that ended so.",
      limit: "How many items at most; 30 when absent.",
      cursor: "The `nextCursor` of the part before; it fits the same filters and order only.",
    },
  },
  "evals.runs.create": {
    summary: "Creates a run for a version of a prompt.",
    description: "The same `externalId` answers the run that exists already.",
  },
  "evals.runs.get": {
    summary: "Gets a run.",
    description: "Its tag serves as `If-Match` of an update: every batch of results changes it.",
  },
  "evals.runs.update": {
    summary: "Finishes a run, or pins or unpins its verdict.",
  },
  "evals.runs.results": {
    summary:
      "Lists the results of a run in report order: by `index`, and where it is the same, as they first came.",
    description:
      "A result that replaced another has its id, and its place too unless its `index` is a different one. A page ends early when its results come to about 8 MiB.",
    query: {
      status: "Only those that ended so.",
      limit: "How many items at most; 30 when absent.",
      cursor: "The `nextCursor` of the part before; it fits the same filters and order only.",
    },
  },
  "evals.runs.appendResults": {
    summary: "Appends up to 1000 results.",
    description: "A result with the same `caseKey` and `attempt` replaces the earlier one.",
  },
  "users.get": {
    summary: "Gets an account as everybody sees it.",
  },
  "users.me.get": {
    summary: "Gets the account behind the token, with what the token may do.",
    description: "Any valid token will do, so that CI can check its own.",
  },
  "users.me.update": {
    summary: "Changes what the account behind the token says of itself, and its preferences.",
  },
  "watch.get": {
    summary: "Gets how the caller follows a prompt.",
    description: "One's own are followed at `all` until that is changed.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "watch.put": {
    summary: "Follows a prompt, or changes how closely.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "watch.delete": {
    summary: "Stops following a prompt; one's own goes back to `all`.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
  },
  "watch.list": {
    summary: "Lists the prompts that the caller follows, newest first.",
    description: "Those that the caller cannot see now are left out.",
    query: {
      level: "Only those at this level.",
      limit: "How many items at most; 30 when absent.",
      cursor: "The `nextCursor` of the part before; it fits the same filters and order only.",
    },
  },
  "notifications.list": {
    summary: "Lists the caller's notifications, newest first.",
    description:
      "They are kept for 180 days. Those about a prompt that the caller cannot see now are left out; where many are, a page can be short, or empty, though the list goes on.",
    query: {
      unread: "True for those that were not read, false for those that were.",
      type: "Only those of this type.",
      limit: "How many items at most; 30 when absent.",
      cursor: "The `nextCursor` of the part before; it fits the same filters and order only.",
    },
  },
  "notifications.count": {
    summary: "Counts the unread notifications of the caller, up to 1,000.",
    description: "It is 0 for whoever is signed out.",
  },
  "notifications.markRead": {
    summary: "Marks notifications as read, or as unread.",
    description:
      "Of more than 100,000 the newest are marked: ask again for the rest, as long as some are unread.",
  },
  "notifications.unsubscribePage": {
    summary: "Shows the page to which mails link, where one can unsubscribe.",
    description: "Opening it changes nothing.",
    query: {
      t: "The token of the link, which says whose mail about what is to stop.",
    },
  },
  "notifications.unsubscribe": {
    summary: "Ends mail about one type of notification, in one click (RFC 8058).",
    description: "Once more says the same.",
    query: {
      t: "The token of the link, which says whose mail about what is to stop.",
    },
  },
} as const satisfies Record<OperationId, OperationNotes>;

/** What the comments on the types of named schemas say, by the schema's id. Written by `npm run generate`. */
export const schemaNotes: Readonly<Record<string, SchemaNotes>> = {
  AppendedResults: {
    fields: {
      appended: "How many of this batch were new or replaced.",
      total: "How many the run holds now.",
    },
  },
  CommitVersion: {
    description: "The files of a new version.",
    fields: {
      files: "The whole content of the version; the saved draft is committed, and cleared, when absent.",
      baseVersionNumber: "The version this one was made from: refused when another one came in between.",
      labels: "Labels to create or move to the new version in the same breath.",
    },
  },
  CommittedVersion: {
    description: "The answer to a commit: files come without their content.",
    fields: {
      warnings:
        "None where an answer over 64 KiB is repeated under its `Idempotency-Key`: it is read again then.",
      entry: "The path of the entry file.",
      contentHash: "`sha256:` over path, mode and digest of every file.",
      tokenEstimate: "Tokens of the entry file, estimated; a model's own count will differ.",
    },
  },
  CreatePrompt: {
    description: "A new prompt with the files of its first version.",
    fields: {
      slug: "Made from the title when absent.",
      license: "An SPDX expression.",
      visibility: "`private` when absent: publishing is a decision.",
      rating: "`general` when absent.",
      labels: "Labels that point to version 1 from the start.",
      publish:
        "False keeps the files as a working draft, without a version or an event, and takes no labels.",
    },
  },
  CreateRun: {
    description: "A run to be reported: of a version, or of the one a label points to now.",
    fields: {
      prompt: "`owner/slug`.",
      model: "Free text, so that an unknown model never breaks a report.",
      threshold: "0 to 1; 1 when absent.",
      externalId: "The reporter's own id: a second creation with it answers the run that exists.",
    },
  },
  CreateWebhook: {
    fields: {
      url: "https, on the public internet, without credentials.",
      events: "All that can be subscribed, when absent or null.",
      prompts: "1 to 50 prompts, each owned or watched by the account; no filter, when absent or null.",
      active: "True when absent.",
    },
  },
  CreatedPrompt: {
    description: "The answer to a creation; `version` is null for a draft.",
    fields: {
      ref: "`owner/slug`.",
      kind: "Fixed when the prompt is created: it decides the entry file.",
      license: "An SPDX expression; null means all rights reserved.",
      latestVersion: "The highest version that is not yanked; null when there is none.",
      labels: "Version numbers by label, without the computed `latest`.",
      viewer: "What the caller is to this prompt; only with a token.",
    },
  },
  CurrentDraft: {
    description: "The draft of a prompt, which may have none.",
  },
  CurrentWatch: {
    description: "How the caller follows a prompt; null when not at all.",
  },
  Delivery: {
    description: "A delivery with what is sent and how each attempt went, the first one first.",
    fields: {
      payload: "The envelope as it is sent; lists hold it with `include=payload`.",
      id: "What the header `Service-Delivery` says.",
      eventId: "The `id` of the envelope: the same in every redelivery.",
      responseExcerpt: "The first 2 KB of the answer's body; what is no text in UTF-8 shows as U+FFFD.",
      redeliveryOf: "The delivery that this one repeats.",
    },
  },
  DeliverySummary: {
    description:
      "An event on its way to a webhook, and what became of it; the response is that of the last attempt.",
    fields: {
      id: "What the header `Service-Delivery` says.",
      eventId: "The `id` of the envelope: the same in every redelivery.",
      responseExcerpt: "The first 2 KB of the answer's body; what is no text in UTF-8 shows as U+FFFD.",
      redeliveryOf: "The delivery that this one repeats.",
      payload: "The envelope as it is sent; lists hold it with `include=payload`.",
    },
  },
  Diff: {
    description: "What changed from one version to another.",
    fields: {
      files: "The files that differ, in the order of their paths.",
      config: "The names of the settings that differ.",
    },
  },
  DiffHunk: {
    description:
      "A run of changed lines with what surrounds them. Starts count from 1; of a side without lines, it is the line before.",
  },
  DiffLine: {
    description: "One line of a hunk.",
    fields: {
      text: "The line without its line feed; the carriage return of a CRLF is part of it.",
      noNewline: "Set, to true, on the last line of a file that does not end in a line feed.",
    },
  },
  DiffStats: {
    description: "What all changes come to.",
    fields: {
      files: "How many files changed.",
    },
  },
  Draft: {
    description: "What its owner works on between two versions of a prompt.",
    fields: {
      baseVersionNumber: "The version it was made from.",
      size: "In bytes, over all files.",
      problems: "What a commit would refuse; empty when these files can become a version.",
    },
  },
  DraftFile: {
    fields: {
      path: "`/`-separated, relative to the prompt's root.",
      content: "Text as it is, or bytes in base64, as `encoding` says.",
      encoding: "How `content` is written; `utf8` when absent.",
      mode: "As in Git; `100755`, executable, only with a `#!` line or under `scripts/`. `100644` when absent.",
    },
  },
  EventPrompt: {
    description: "The prompt an event is about.",
    fields: {
      ref: "`owner/slug` at the time of the event.",
    },
  },
  File: {
    description: "A file of a version. `content` is left out of the answers to writes and of `files=meta`.",
  },
  FileDiff: {
    description: "How one file changed.",
    fields: {
      binary: "True where either side is binary; then no lines are counted or shown.",
      modeChanged: "Whether it became executable, or ceased to be.",
      additions: "The number of new lines.",
      deletions: "The number of old lines that are gone.",
      truncated:
        "The file was too large to compare, or too much was compared before: all lines count as replaced, none is shown.",
      path: "Where the new version has it; of a removed one, where the old version did.",
      oldPath: "Where the old version had it, if it was renamed.",
    },
  },
  FileInput: {
    description: "A file as a caller sends it.",
    fields: {
      path: "`/`-separated, relative to the prompt's root.",
      content: "Text as it is, or bytes in base64, as `encoding` says.",
      encoding: "How `content` is written; `utf8` when absent.",
      mode: "As in Git; `100755`, executable, only with a `#!` line or under `scripts/`. `100644` when absent.",
    },
  },
  Label: {
    description: "A name that points to a version and can be moved.",
    fields: {
      system: "True for the computed label `latest`.",
    },
  },
  LabelMove: {
    description: "One entry of a label's history.",
    fields: {
      fromVersionNumber: "Null where the label was created.",
      toVersionNumber: "Null where the label was deleted, or its version yanked by a moderator.",
    },
  },
  Manifest: {
    description:
      "The file that makes a folder a prompt. It says what the prompt is, and is no part of its versions.",
    fields: {
      $schema: "Where an editor finds this schema.",
      prompt: "Its address, `owner/slug`; a slug alone is one of the account whose token pushes it.",
      kind: "Decides which file is the prompt itself, and stays for ever.",
      title: "How people call it.",
      summary: "What it is for, in a sentence or two.",
      tags: "Words to find it by: lower-case letters, digits and hyphens.",
      license: "An SPDX expression, such as `MIT`; null means all rights reserved.",
      visibility:
        "Who may read it: `private` for its owner alone, `unlisted` for whoever has the address, `public` for everybody.",
      rating: "Whom its content suits.",
    },
  },
  MarkNotifications: {
    description: "Which notifications are read, or unread again: either these, or all.",
    fields: {
      before: "Of all, only those that were created before this moment.",
      read: "True when absent; false makes them unread again.",
    },
  },
  MarkedNotifications: {
    description: "What was marked.",
    fields: {
      updated: "How many changed; those of other accounts never do.",
      unread: "Of the newest 1,000 that are unread.",
    },
  },
  Me: {
    description: "The account behind a token, and what the token may do.",
    fields: {
      token:
        "`role` is the one in which it acts: that which it was made with, as long as the account holds it.",
      features: "What this server has switched on.",
      quotas: "How many of each there are, and may be.",
      counts: "Public things this account made.",
    },
  },
  MoveLabel: {
    description: "Where a label goes, and why.",
    fields: {
      reason: "Shown in the label's history and in the event.",
      expectedVersionNumber:
        "Compare-and-set: the version it must be at now; null means that it must not exist.",
    },
  },
  Notification: {
    description: "Something that happened, told to one account.",
    fields: {
      actor: "Who did it; null where the system acted.",
      target: "What it is about, by the address that it had then.",
      createdAt: "When it happened.",
    },
  },
  Origin: {
    description: "Where a version came from.",
  },
  Problem: {
    description:
      "Why files cannot become a version: what the API answers with, and one item of its `details`.",
  },
  Prompt: {
    fields: {
      ref: "`owner/slug`.",
      kind: "Fixed when the prompt is created: it decides the entry file.",
      license: "An SPDX expression; null means all rights reserved.",
      latestVersion: "The highest version that is not yanked; null when there is none.",
      labels: "Version numbers by label, without the computed `latest`.",
      viewer: "What the caller is to this prompt; only with a token.",
    },
  },
  PromptSummary: {
    description: "A prompt as lists show it.",
    fields: {
      latest:
        "The latest version's number and content hash: enough to tell whether files at hand differ from it.",
      ref: "`owner/slug`.",
      kind: "Fixed when the prompt is created: it decides the entry file.",
      license: "An SPDX expression; null means all rights reserved.",
      latestVersion: "The highest version that is not yanked; null when there is none.",
      labels: "Version numbers by label, without the computed `latest`.",
      viewer: "What the caller is to this prompt; only with a token.",
    },
  },
  PutWatch: {
    description: "How closely a prompt is to be followed.",
    fields: {
      level: "`releases` hears of versions and labels, `all` of what people do with the prompt as well.",
    },
  },
  ResolvedVersion: {
    description:
      "Only what an application needs at run time; its ETag changes with a move, a commit or a yank and nothing else.",
  },
  RestoreVersion: {
    description: "What a restored version says of itself.",
  },
  Result: {
    description: "One case of a run as it is kept.",
    fields: {
      index: "The place in the report, from 0.",
      caseId: "The case in the dataset, where the run has one.",
      outputTruncated: "Whether the output was longer than the 64 KiB that are kept.",
    },
  },
  ResultInput: {
    description: "One case as it came out.",
    fields: {
      index: "The place in the report, from 0.",
      caseKey: "Names the case; runs are compared by it.",
      attempt: "1 when absent.",
      score: "0 to 1.",
      output: "What the model said; kept up to 64 KiB, the rest is cut.",
    },
  },
  Run: {
    description: "One report of how a version did.",
    fields: {
      modelId: "The model's entry in the catalogue, where it has one.",
      params: "Null for all but the prompt's owner, as `source`.",
      verdictSource: "Whether the verdict was worked out here or reported by the tool that ran the evals.",
      threshold: "The pass rate (0 to 1) from which a run passes.",
      summary: "What the results come to; of a running run, those that are there so far.",
      error: "Null for all but the prompt's owner, as `source`.",
      source: "Null for all but the prompt's owner, unless the dataset is public.",
      externalId: "Null for all but the prompt's owner, as `source`.",
    },
  },
  RunSource: {
    description: "Where a run was made.",
  },
  RunSummary: {
    description: "What a run came to. Counts are of results; `passRate` leaves skipped ones out.",
    fields: {
      passRate: "0 to 1; null while nothing counts.",
      score: "The mean of the results that have one.",
      latencyMsP50: "Half of the results took no longer; null until the run ends.",
      latencyMsP95: "Nineteen of twenty took no longer; null until the run ends.",
    },
  },
  SaveDraft: {
    description: "The files to keep, and what their commit will say.",
    fields: {
      files: "The whole content of the draft; none at all is a draft too.",
      baseVersionNumber:
        "The version this was made from: its commit is refused when another one came in between.",
    },
  },
  SavedDraft: {
    description: "The draft of a prompt, just saved.",
  },
  SavedWatch: {
    description: "How the caller follows a prompt from now on.",
  },
  UnreadCount: {
    description: "How much there is to read.",
    fields: {
      unread: "Of the newest 1,000 that are unread.",
    },
  },
  UpdateMe: {
    description: "What an account says of itself: what is absent stays, null clears.",
    fields: {
      website: "http or https.",
    },
  },
  UpdatePrompt: {
    description: "What a prompt says of itself. Fields that are absent stay as they are.",
    fields: {
      summary: "Null clears it.",
      license: "An SPDX expression; null means all rights reserved.",
      slug: "The old address leads to the new one for good, and stays taken.",
    },
  },
  UpdateRun: {
    description: "How a run ends; or, later, whether its verdict is pinned.",
    fields: {
      verdict: "The tool's own verdict; worked out from the results when absent.",
      pinned: "Needs the scope `write`.",
    },
  },
  UpdateWebhook: {
    description: "What changes; what is absent stays.",
    fields: {
      active:
        "False cancels what waits. True enables a disabled webhook and clears its failures; what was cancelled stays so.",
      rotateSecret: "True replaces the secret; the old one stops working at once.",
      url: "https, on the public internet, without credentials.",
      events: "All that can be subscribed, when absent or null.",
      prompts: "1 to 50 prompts, each owned or watched by the account; no filter, when absent or null.",
    },
  },
  User: {
    description: "An account as everybody sees it.",
    fields: {
      counts: "Public things this account made.",
    },
  },
  UserRef: {
    description: "A person as others see them beside what they did.",
  },
  Variable: {
    description: "What a prompt asks to be filled in.",
    fields: {
      name: "A letter or `_`, then letters, digits and `_`: at most 64 characters.",
      type: "`multiline` is text that deserves a larger field; `json` takes anything and prints it compactly.",
      description: "For the person who fills it in.",
      required: "Whether rendering needs a value, from the caller or from `default`.",
      default: "Stands in where no value is given; null means that there is none.",
      options: "The values that an `enum` takes.",
      minLength: "The least UTF-16 units of a text.",
      maxLength: "The most UTF-16 units of a text.",
      min: "The least number, itself allowed.",
      max: "The greatest number, itself allowed.",
      example: "Shown to the person who fills it in, never used.",
    },
  },
  VariableChanges: {
    description:
      "What changed between two versions for those who fill them in; names in the order of the versions.",
    fields: {
      breaking: "Whether values that were right before can now be refused by a strict rendering.",
    },
  },
  Version: {
    description: "An immutable version. Nothing in it can change, so it can be kept for ever.",
    fields: {
      entry: "The path of the entry file.",
      contentHash: "`sha256:` over path, mode and digest of every file.",
      tokenEstimate: "Tokens of the entry file, estimated; a model's own count will differ.",
    },
  },
  VersionSummary: {
    description: "A version as lists show it: without its files, but with what can change.",
    fields: {
      yanked:
        "Since when it is hidden from lists and cannot be labelled; null for a version that can be used.",
      labels: "The labels that point to it, by name, without the computed `latest`.",
      contentHash: "`sha256:` over path, mode and digest of every file.",
      entry: "The path of the entry file.",
      tokenEstimate: "Tokens of the entry file, estimated; a model's own count will differ.",
    },
  },
  Warning: {
    description:
      "One thing that was wrong: `path` is a JSON Pointer into the request, `code` names the rule it broke.",
  },
  Watch: {
    description: "That an account follows a prompt.",
    fields: {
      watchedAt: "Since when, whatever the level was; for a prompt of one's own, since it was made.",
    },
  },
  WatchLevel: {
    description: "How closely an account follows a prompt; with `ignore` it hears of nothing.",
  },
  WatchedPrompt: {
    description: "A prompt that the caller follows.",
    fields: {
      watchedAt: "Since when, whatever the level was; for a prompt of one's own, since it was made.",
    },
  },
  Webhook: {
    description: "Where events of an account are sent.",
    fields: {
      events: "Null means all that can be subscribed, future ones included.",
      prompts: "`owner/slug`, as it is now, of each that the account can still see; null means no filter.",
      secretHint: "The last four characters of the secret.",
      secret: "The signing secret; shown in the answer that made it, and never again.",
    },
  },
  YankVersion: {
    description: "Why a version should not be used.",
    fields: {
      reason: "Shown to the owner, in the list of versions.",
    },
  },
};
