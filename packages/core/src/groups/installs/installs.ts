import * as z from "zod";
import { labelName, plainText, versionNumber } from "../../language/fields.ts";
import { json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { PromptPath } from "../prompts/schemas.ts";

/** What was installed, and where. */
export interface RecordInstall {
  /** Do not send it with `label`. Default: the latest version. */
  versionNumber?: number;
  /** The label that led to the version. Do not send it with `versionNumber`. */
  label?: string;
  /** The tool or format that it was installed for, such as `cursor-rule`. The registry need not know it. */
  target: string;
  /** The program that installed it. */
  client?: string;
  /** Any text that stays the same for one installation, such as a random UUID. Only a hash of it is stored. */
  installationId: string;
}
const RecordInstall: Schema<RecordInstall> = z
  .strictObject({
    versionNumber: versionNumber.optional(),
    label: labelName.optional(),
    target: z
      .string()
      .max(64, { abort: true })
      .regex(/^[a-z0-9]+([.-][a-z0-9]+)*$/, {
        error: "must be lower-case letters and digits, joined by single hyphens or dots",
      }),
    client: plainText({ min: 1, max: 64 }).optional(),
    installationId: plainText({ min: 1, max: 128 }),
  })
  .refine(({ versionNumber: n, label }) => n === undefined || label === undefined, {
    error: "versionNumber and label exclude each other",
  })
  .meta({ id: "RecordInstall" });

/** Whether an install was counted. */
export interface RecordedInstall {
  /** False: this installation was counted for the same prompt and target in the last 24 hours. */
  recorded: boolean;
}
const RecordedInstall: Schema<RecordedInstall> = z
  .strictObject({ recorded: z.boolean() })
  .meta({ id: "RecordedInstall" });

const windows = ["7d", "30d", "90d", "365d"] as const;
/** That many days in UTC, of which the last is today. */
export type InstallWindow = (typeof windows)[number];

/** Which days to sum up. */
export interface GetInstalls {
  /** Default: `30d`. */
  window?: InstallWindow;
}
const GetInstalls: Schema<GetInstalls> = z.strictObject({ window: z.enum(windows).optional() });

/** The installs for a tool. */
export interface InstallsOfTarget {
  target: string;
  count: number;
}
/** The installs of a version. */
export interface InstallsOfVersion {
  versionNumber: number;
  count: number;
}
/** The installs of a day. */
export interface InstallsOfDay {
  /** `2026-11-20`, in UTC. */
  date: string;
  count: number;
}

/** The installs of a prompt. They say nothing about who installed it. */
export interface InstallStats {
  window: InstallWindow;
  /** In the window. `counts.installs` of the prompt has those of all time. */
  total: number;
  /** The 50 largest. What is beyond 100 targets on one day counts for `other`. */
  byTarget: InstallsOfTarget[];
  /** The 50 largest. */
  byVersion: InstallsOfVersion[];
  /** The days with installs, oldest first. */
  trend: InstallsOfDay[];
}
const count = z.int();
const InstallStats: Schema<InstallStats> = z
  .strictObject({
    window: z.enum(windows),
    total: z.int(),
    byTarget: z.array(z.strictObject({ target: z.string(), count })),
    byVersion: z.array(z.strictObject({ versionNumber, count })),
    trend: z.array(z.strictObject({ date: z.iso.date(), count })),
  })
  .meta({ id: "InstallStats" });

export const installs = {
  /**
   * Records that a prompt was installed. It counts once for an installation, a prompt and a target in 24 hours. With a token
   * it also counts in `sort=installs`, once for each account.
   */
  record: op({
    route: "POST /prompts/{owner}/{slug}/installs",
    access: { auth: "optional", scope: "none", on: { prompt: "viewers" } },
    params: PromptPath,
    body: json(RecordInstall),
    results: { 202: json(RecordedInstall) },
    errors: ["prompt_not_published"],
  }),
  /** Gets how often a prompt was installed in a window, for which tools, at which versions and on which days. */
  stats: op({
    route: "GET /prompts/{owner}/{slug}/installs",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: PromptPath,
    query: GetInstalls,
    results: { 200: json(InstallStats) },
  }),
};
