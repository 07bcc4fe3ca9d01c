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
      license: "An SPDX expression, exactly as prompts say it.",
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
    summary: "Creates a prompt with a published version 1, or, with `publish: false`, as a draft.",
  },
  "prompts.get": {
    summary: "Gets a prompt at its latest version, at a pinned one or at a label.",
    params: {
      owner: "The handle of the account that owns it.",
      slug: "Its name below that account.",
    },
    query: {
      view: "`version` answers only what an application polls for.",
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
  "prompts.versions.create": {
    summary: "Commits a new immutable version from the files sent, or from the saved draft when none are.",
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
  "webhooks.create": {
    summary: "Creates a webhook.",
    description: "The answer holds its signing secret, this once.",
  },
  "webhooks.events": {
    summary: "Lists the events that can be received, with their descriptions and an example of each.",
  },
  "evals.runs.create": {
    summary: "Creates a run for a version of a prompt.",
    description: "The same `externalId` answers the run that exists already.",
  },
  "evals.runs.update": {
    summary: "Finishes a run, or pins or unpins its verdict.",
  },
  "evals.runs.appendResults": {
    summary: "Appends up to 1000 results.",
    description: "A result with the same `caseKey` and `attempt` replaces the earlier one.",
  },
  "users.me.get": {
    summary: "Gets the account behind the token, with what the token may do.",
    description: "Any valid token will do, so that CI can check its own.",
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
      visibility: "`public` when absent.",
      rating: "`general` when absent.",
      publish: "False keeps the files as a working draft, without a version or an event.",
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
      events: "All that can be subscribed, when absent.",
      prompts: "1 to 50 prompts, each owned or watched by the account.",
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
  EventPrompt: {
    description: "The prompt an event is about.",
    fields: {
      ref: "`owner/slug` at the time of the event.",
    },
  },
  File: {
    description: "A file of a version. `content` is left out of the answers to writes and of `files=meta`.",
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
  Me: {
    description: "The account behind a token, and what the token may do.",
    fields: {
      counts: "Public things this account made.",
      features: "What this server has switched on.",
      quotas: "How many of each there are, and may be.",
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
  Origin: {
    description: "Where a version came from.",
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
      viewer: "What the caller is to this prompt; only with a token.",
    },
  },
  ResolvedVersion: {
    description:
      "Only what an application needs at run time; its ETag changes with a move, a commit or a yank and nothing else.",
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
      verdictSource: "Whether the verdict was worked out here or reported by the tool that ran the evals.",
      threshold: "The pass rate (0 to 1) from which a run passes.",
      source: "Null for all but the prompt's owner, unless the dataset is public.",
    },
  },
  RunSource: {
    description: "Where a run was made.",
  },
  RunSummary: {
    description: "What a run came to. Counts are of results; `passRate` leaves skipped ones out.",
    fields: {
      passRate: "0 to 1; null while nothing counts.",
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
  Version: {
    description: "An immutable version. Nothing in it can change, so it can be kept for ever.",
    fields: {
      entry: "The path of the entry file.",
      contentHash: "`sha256:` over path, mode and digest of every file.",
      tokenEstimate: "Tokens of the entry file, estimated; a model's own count will differ.",
    },
  },
  Warning: {
    description:
      "One thing that was wrong: `path` is a JSON Pointer into the request, `code` names the rule it broke.",
  },
  Webhook: {
    description: "Where events of an account are sent.",
    fields: {
      events: "Null means all that can be subscribed, future ones included.",
      prompts: "`owner/slug` of each; null means no filter.",
      secretHint: "The last four characters of the secret.",
      secret: "The signing secret; shown in the answer that made it, and never again.",
    },
  },
};
