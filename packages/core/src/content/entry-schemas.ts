import * as z from "zod";
import { isCall, roles } from "../template/version.ts";
import { arrayOf } from "./entry-issues.ts";
import type { PromptKind } from "./kinds.ts";
import { isDeviceName } from "./paths.ts";

const text = z.string();
const texts = arrayOf(text);
/** Claude Code writes a list as one text with commas too. */
const textOrTexts = z.union([text, texts], { error: "must be a text or a list of texts" });

/** Settings for the model, as applications get them in a version's `config`. */
export const Config = z.looseObject({
  model: text.min(1).optional(),
  temperature: z.number().min(0).optional(),
  topP: z.number().min(0).max(1).optional(),
  maxTokens: z.int().min(1).optional(),
  stop: textOrTexts.optional(),
  responseFormat: z
    .union([text, z.record(z.string(), z.unknown())], { error: "must be a name or an object" })
    .optional(),
  modality: z.enum(["image", "video", "audio", "3d"]).optional(),
});

/** `variables` have rules of their own. */
const common = { variables: z.unknown().optional(), config: Config.nullish() };

/** SKILL.md, as the Agent Skills specification describes it (agentskills.io/specification). */
const Skill = z.looseObject({
  name: text
    .max(64, { abort: true })
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, {
      error: "must be lower-case letters and digits, joined by single hyphens",
    })
    // Archives and tools have a folder of this name.
    .refine((name) => !isDeviceName(name), {
      error: "is a name that Windows keeps for a device; choose another",
    }),
  description: text.max(1024).regex(/\S/, { error: "must say what the skill does and when to use it" }),
  license: text.optional(),
  compatibility: text.min(1).max(500).optional(),
  metadata: z
    .record(z.string(), z.union([text, z.number(), z.boolean()], { error: "must be text" }))
    .optional(),
  "allowed-tools": textOrTexts.optional(),
});

const Chat = z.looseObject({
  messages: z.array(z.unknown()).min(1).max(200),
  tools: arrayOf(z.looseObject({})).optional(),
  ...common,
});

const contentRule = 'must be a text, or a list of parts such as {"type": "text", "text": "…"}';

/** One message of CHAT.json. */
export const Message = z
  .looseObject({
    role: z.enum(roles),
    content: z
      .union([text, arrayOf(z.looseObject({ type: text, text: text.optional() }), { min: 1 })], {
        error: contentRule,
      })
      .nullish(),
    name: text.optional(),
  })
  .refine((message) => (message.content ?? null) !== null || isCall(message), {
    error: contentRule,
    path: ["content"],
  });

/** A placeholder in CHAT.json for messages of the caller. */
export const MessagePlaceholder = z.looseObject({
  type: z.literal("placeholder"),
  name: text.regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, { error: "must be a name as variables have" }),
});

/** The schema of the frontmatter of a Markdown entry, or of CHAT.json, for each kind. Unknown keys are valid. */
export const entrySchemas: Record<PromptKind, z.ZodObject> = {
  text: z.looseObject(common),
  media: z.looseObject(common),
  chat: Chat,
  skill: Skill,
  agent: z.looseObject({
    name: text.optional(),
    description: text.optional(),
    tools: textOrTexts.optional(),
    model: text.optional(),
    ...common,
  }),
  rule: z.looseObject({
    description: text.optional(),
    globs: texts.optional(),
    alwaysApply: z.boolean().optional(),
    ...common,
  }),
  command: z.looseObject({
    description: text.optional(),
    argumentHint: text.optional(),
    tools: textOrTexts.optional(),
    model: text.optional(),
    // The names of Claude Code for the same. In its own examples a hint in brackets is a list.
    "argument-hint": textOrTexts.optional(),
    "allowed-tools": textOrTexts.optional(),
    ...common,
  }),
};
