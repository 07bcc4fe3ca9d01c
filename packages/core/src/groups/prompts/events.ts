import * as z from "zod";
import { id, timestamp, versionNumber } from "../../language/fields.ts";
import { event } from "../../language/event.ts";
import { Origin } from "./schemas.ts";

/** The data of `prompt.version.created`. */
export interface VersionCreated {
  version: {
    id: string;
    versionNumber: number;
    message: string | null;
    contentHash: string;
    origin: Origin;
    url: string;
  };
}
/** The data of `prompt.label.moved`. */
export interface LabelMoved {
  label: { name: string; versionNumber: number; reason: string | null };
  previousVersionNumber: number | null;
}
/** The data of `prompt.published`. */
export interface PromptPublished {
  version: { id: string; versionNumber: number; url: string };
}
/** The data of `prompt.deleted`. */
export interface PromptDeleted {
  deletedAt: string;
}

const published = { id: id("ver"), versionNumber, url: z.string() };

export const promptEvents = {
  "prompt.version.created": event<VersionCreated>({
    description: "A new version was committed.",
    watchLevels: ["releases", "all"],
    data: z.strictObject({
      version: z.strictObject({
        ...published,
        message: z.string().nullable(),
        contentHash: z.string(),
        origin: Origin,
      }),
    }),
    example: {
      version: {
        id: "ver_01jd0000000000000000000000",
        versionNumber: 12,
        message: "Ask for a summary first",
        contentHash: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        origin: { type: "commit" },
        url: "https://prompts.example/alice/pr-review@12",
      },
    },
  }),
  "prompt.label.moved": event<LabelMoved>({
    description: "A label was created or moved to another version.",
    watchLevels: ["releases", "all"],
    data: z.strictObject({
      label: z.strictObject({ name: z.string(), versionNumber, reason: z.string().nullable() }),
      previousVersionNumber: versionNumber.nullable(),
    }),
    example: {
      label: { name: "production", versionNumber: 12, reason: "eval passed" },
      previousVersionNumber: 11,
    },
  }),
  "prompt.published": event<PromptPublished>({
    description: "A draft prompt was published.",
    watchLevels: [],
    data: z.strictObject({ version: z.strictObject(published) }),
    example: {
      version: {
        id: "ver_01jd0000000000000000000000",
        versionNumber: 1,
        url: "https://prompts.example/alice/pr-review@1",
      },
    },
  }),
  "prompt.deleted": event<PromptDeleted>({
    description: "A prompt was deleted.",
    watchLevels: [],
    data: z.strictObject({ deletedAt: timestamp }),
    example: { deletedAt: "2026-11-20T09:30:00.000Z" },
  }),
};
