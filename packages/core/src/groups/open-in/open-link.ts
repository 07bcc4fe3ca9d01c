import type { PromptKind } from "../../content/kinds.ts";
import { maxOpenUrlLength, modeOfTool, type OpenMode, type OpenTargetId, openTool } from "./open-targets.ts";

/** What a link is made of. */
export interface Openable {
  kind: PromptKind;
  slug: string;
  text: string;
  /** The URL of a file in a format, for tools that install it. */
  fileUrl: (format: string) => string;
}

/** The link to a prompt in a tool that takes its kind. If the link would be too long: the page where the text is pasted. */
export function linkTo(
  id: OpenTargetId,
  { kind, slug, text, fileUrl }: Openable,
): { mode: OpenMode; url: string } {
  const tool = openTool(id);
  const { page, links, formats, maxTextLength = maxOpenUrlLength } = tool;
  const template = links?.[kind];
  const format = formats?.[kind];
  const carried = format === undefined ? text : fileUrl(format);
  // Encoding makes no text shorter, so that a huge one need not be encoded.
  if (template !== undefined && carried.length <= maxTextLength) {
    const begin = template.replace(/\{(text|file)\}/, "").replace("{slug}", slug);
    const url = `${begin}${encode(carried)}`;
    if (url.length <= maxOpenUrlLength) return { mode: modeOfTool(tool), url };
  }
  return { mode: "copy", url: page };
}

/** A `+` would stay one in tools that read percent-encoding alone. Half a character cannot be encoded. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed());

/**
 * Whether a URL is one that this table makes for a tool: whatever opens links of a registry must not follow others. Nothing but
 * the prompt is free in it, so that no further parameter can be added.
 */
export function isLinkTo(id: OpenTargetId, url: string): boolean {
  const { page, links = {} } = openTool(id);
  const isMade = (template: string) => url.length <= maxOpenUrlLength && patternOf(template).test(url);
  return url === page || Object.values(links).some(isMade);
}

const patternOf = (template: string) =>
  new RegExp(
    `^${template
      .replace(/[^\w{}]/g, "\\$&")
      .replace("{slug}", "[a-z0-9-]{1,64}")
      .replace(/\{(text|file)\}/, "(?:[\\w.!~*'()-]|%[0-9A-F]{2})*")}$`,
  );
