import * as z from "zod";
import { jsonObject } from "../../language/fields.ts";
import { flag, type Page, pageOf } from "../../language/list.ts";
import { json, op, redirect } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { type PromptKind, promptKinds } from "../../content/kinds.ts";
import { type PromptPath, promptPath } from "../prompts/schemas.ts";
import { oneOfVersionAndLabel, type WhichVersion, whichVersion } from "../prompts/which-version.ts";
import {
  type OpenMode,
  openModes,
  type OpenPlatform,
  openPlatforms,
  type OpenTargetId,
  openTargetIds,
} from "./open-targets.ts";

const targetId = z.enum(openTargetIds);

/** A tool in which prompts can be opened. */
export interface OpenTarget {
  id: OpenTargetId;
  name: string;
  /** `prefill`: a link writes the text into an input. `install`: a link installs a file. `copy`: the text must be pasted. */
  mode: OpenMode;
  /** The kinds of prompts that it takes. */
  kinds: PromptKind[];
  /** The longest link, percent-encoded. A prompt that needs a longer one is to be pasted. Null without links. */
  maxUrlLength: number | null;
  platform: OpenPlatform;
}
const OpenTarget: Schema<OpenTarget> = z
  .strictObject({
    id: targetId,
    name: z.string(),
    mode: z.enum(openModes),
    kinds: z.array(z.enum(promptKinds)),
    maxUrlLength: z.int().nullable(),
    platform: z.enum(openPlatforms),
  })
  .meta({ id: "OpenTarget" });

/** Which tools to list. */
export interface ListOpenTargets {
  /** Only those that take this kind. */
  kind?: PromptKind;
}
const ListOpenTargets: Schema<ListOpenTargets> = z.strictObject({ kind: z.enum(promptKinds).optional() });

/** A prompt, and a tool to open it in. */
export interface OpenPath extends PromptPath {
  target: OpenTargetId;
}
const OpenPath: Schema<OpenPath> = z.strictObject({ ...promptPath, target: targetId });

/** What to open. */
export interface OpenPrompt extends WhichVersion {
  /** A JSON object with values of variables: `{"name":"Ada"}`. Names that the prompt does not use are ignored. */
  vars?: string;
  /** True: redirects to the link. Only if it begins with `https`. */
  redirect?: boolean;
}

const isObject = (text: string) => {
  try {
    return jsonObject.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
};
const OpenPrompt: Schema<OpenPrompt> = z
  .strictObject({
    ...whichVersion,
    vars: z
      .string()
      .max(8_192, { abort: true })
      .refine(isObject, { error: 'must be a JSON object, such as {"name":"Ada"}' })
      .optional(),
    redirect: flag.optional(),
  })
  .refine(oneOfVersionAndLabel.check, oneOfVersionAndLabel);

/** How a prompt is opened in a tool. */
export interface OpenLink {
  target: OpenTargetId;
  /** `copy` also if the link would be too long. */
  mode: OpenMode;
  /** The link. With `copy`, the page where the text is pasted. */
  url: string;
  /** The whole text, filled in. */
  text: string;
  /** Always false: nothing is cut. */
  truncated: boolean;
  /** Variables and places for messages that have no value. */
  missing: string[];
}
const OpenLink: Schema<OpenLink> = z
  .strictObject({
    target: targetId,
    mode: z.enum(openModes),
    url: z.string(),
    text: z.string(),
    truncated: z.boolean(),
    missing: z.array(z.string()),
  })
  .meta({ id: "OpenLink" });

export const openIn = {
  /** Lists the tools in which prompts can be opened. */
  targets: op({
    route: "GET /open-in",
    access: { auth: "optional", scope: "read" },
    query: ListOpenTargets,
    results: { 200: json<Page<OpenTarget>>(pageOf(OpenTarget)) },
  }),
  /**
   * Gets the link that opens a prompt in a tool, with its text. The link writes the text into an input and does not send it. A
   * tool that installs a file needs a public prompt.
   */
  link: op({
    route: "GET /prompts/{owner}/{slug}/open-in/{target}",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: OpenPath,
    query: OpenPrompt,
    results: { 200: json(OpenLink), 302: redirect() },
    errors: [
      "prompt_not_published",
      "prompt_not_public",
      "format_not_supported",
      "redirect_refused",
      "payload_too_large",
    ],
  }),
};
