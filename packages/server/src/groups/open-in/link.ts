import { entryFiles } from "@promptreg/core/content";
import { apiError } from "@promptreg/core/errors";
import { kindsOfTool, linkTo, openTool } from "@promptreg/core/formats";
import { RenderError, renderVersion } from "@promptreg/core/template";
import type { HandlerWith } from "../../kernel/handler.ts";
import { allYanked, loadResolved } from "../prompts/index.ts";
import { opened, type OpenedRow } from "./link.sql.ts";

export const link: HandlerWith<"openIn.link", { target: OpenedRow }> = {
  load: (sql, request) => loadResolved(sql, request, request.query, opened(sql)),

  async handle({ params: { target: id }, query, target: prompt, server }) {
    if (prompt.status === "draft") throw apiError("prompt_not_published");
    checkTool(id, prompt);
    const { ownerHandle, slug, kind, n } = prompt;
    const { text, missing } = fillIn(prompt, query.vars);
    const download = `${server.publicUrl}/api/v1/prompts/${ownerHandle}/${slug}/download`;
    const fileUrl = (format: string) => `${download}?format=${format}&unwrap=true&version=${n}`;
    const { mode, url } = linkTo(id, { kind, slug, text, fileUrl });
    const isRedirect = query.redirect === true;
    if (isRedirect && !url.startsWith("https://")) {
      throw apiError("redirect_refused", { details: [{ path: "url", code: "custom", message: url }] });
    }
    const traffic = [{ act: "open" as const, subject: prompt, versionId: prompt.versionId, target: id }];
    if (isRedirect) return { status: 302, location: url, traffic };
    return { status: 200, json: { target: id, mode, url, text, truncated: false, missing }, traffic };
  },
};

function checkTool(id: Parameters<typeof openTool>[0], { kind, visibility }: OpenedRow): void {
  const tool = openTool(id);
  const kinds = kindsOfTool(tool);
  if (!kinds.includes(kind)) {
    const message = `${id} cannot open a prompt of kind ${kind}. It is for ${kinds.join(", ")}.`;
    throw apiError("format_not_supported", { message });
  }
  if (tool.formats !== undefined && visibility !== "public") throw apiError("prompt_not_public");
}

/** Far more than any link takes, in UTF-16 units: what cannot open may still be copied. */
const maxLength = 1024 * 1024;

/** The text of the entry file. What has no value stays as `{{name}}`. */
function fillIn(prompt: OpenedRow, vars = "{}") {
  const { kind, file, variables } = prompt;
  if (typeof file?.text !== "string") throw allYanked(prompt);
  const entry = entryFiles[kind];
  const files = [{ path: entry, encoding: "utf8" as const, content: file.text }];
  try {
    const version = { entry, files, variables: variables ?? [] };
    return renderVersion(version, JSON.parse(vars), { strict: false, maxLength });
  } catch (error) {
    if (error instanceof RenderError && error.code === "payload_too_large") {
      throw apiError("payload_too_large", { message: error.message });
    }
    throw error;
  }
}
