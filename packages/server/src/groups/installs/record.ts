import { apiError } from "@promptreg/core/errors";
import type { HandlerWith } from "../../kernel/handler.ts";
import { hasNo } from "../prompts/index.ts";
import { countInstall, insertInstaller, selectInstalled, upsertInstall } from "./installs.sql.ts";

export const record: HandlerWith<"installs.record", {}> = {
  lock: "share",

  async handle({ body, caller, target: prompt, sql, server }) {
    if (prompt.status === "draft") throw apiError("prompt_not_published");
    const { versionNumber, label, target, client = null, installationId } = body;
    const installed = await selectInstalled(sql, prompt.id, { version: versionNumber, label });
    if (installed === null) throw hasNo(prompt, label === undefined ? "such version" : `label ${label}`);
    const { n, versionId } = installed;
    const isNew = await upsertInstall(sql, {
      promptId: prompt.id,
      target,
      installation: server.secrets.viewers.digest(`installation ${installationId}`),
      n,
      client,
      userId: caller?.id ?? null,
    });
    if (isNew) {
      await countInstall(sql, { promptId: prompt.id, target, n });
      if (caller !== null) await insertInstaller(sql, { promptId: prompt.id, userId: caller.id });
    }
    const traffic = [{ act: "install" as const, subject: prompt, versionId, target }];
    return { status: 202, json: { recorded: isNew }, ...(isNew && { traffic }) };
  },
};
