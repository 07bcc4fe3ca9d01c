import type { CommittedVersion, MadeSuggestions, SuggestedTexts } from "@promptreg/client";
import type { Client } from "../../requests/client.ts";
import type { MetadataChanges, Exposure } from "../../prompts/index.ts";
import type { Onto } from "../compare/base.ts";
import type { LocalDiff } from "../compare/latest.ts";
import type { LocalPrompt } from "../local/read-prompt.ts";
import type { LeftBehind } from "../local/read-folder.ts";

/** What is said on the command line of a push. */
export interface PushOptions {
  message?: string;
  label?: string[];
  dryRun?: boolean;
  /** Fills in what the manifests lack, and the message. */
  suggest?: boolean;
  /** Sends what looks like a secret. */
  allowSecrets?: boolean;
  /** Whose prompts they are to be, whatever the manifests say. */
  owner?: string;
  /** The version that is meant to be replaced, whatever the folder came from. */
  onto?: Onto;
}

/** What became of one folder; of a dry run, what would. */
export interface Pushed {
  folder: string;
  ref: string;
  /** `edited`: changed beside its files. */
  status: "created" | "committed" | "edited" | "unchanged";
  /** Null where a dry run cannot know it. */
  versionNumber: number | null;
  contentHash: string;
  /** The paths of what was sent, or would be; empty where the registry has the files. */
  files: string[];
  /** What changes beside the files; empty for what is created. */
  about: MetadataChanges;
  /** What only the registry changed since the last push or pull, and stays as it is there: from that to what is said here. */
  aboutLeft: MetadataChanges;
  /** What others become able to read. */
  opens: Exposure | null;
  /** Those that now point to the version and did not before. */
  labels: string[];
  /** Those that were moved away from this version since it got them, and stay where they are. */
  labelsLeft: string[];
  warnings: CommittedVersion["warnings"];
  /** The names of the variables of what was sent; empty where the registry has the files. */
  variables: string[];
  /** What is in the folder and was not sent. */
  leftBehind: LeftBehind[];
  /** Whether its manifest, which named no owner, does so now. */
  ownerWritten?: boolean;
  /** What the registry suggested and was taken over, and who made it. */
  suggested?: Suggested;
  /** Of a dry run: what would change in the latest version. */
  diff?: LocalDiff | null;
}

/** Suggestions for one folder. */
export type Suggested = SuggestedTexts & Pick<MadeSuggestions, "provider" | "model">;

/** What a push works with. */
export interface Pushing {
  client: Client;
  /** Suggests the message of a commit that has none; absent if nobody asked for that. */
  suggestMessage?: ((local: LocalPrompt, ref: string) => Promise<string | undefined>) | undefined;
  /** The registry's, by which folders keep their states. */
  origin: string;
  options: PushOptions;
}

/** What a push would do for one folder, and how it does it. */
export interface Plan {
  pushed: Pushed;
  send: () => Promise<Pushed>;
  /** What was sent already, for whoever hears that the rest was not. */
  sent: string[];
}
