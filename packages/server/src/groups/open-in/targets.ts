import { kindsOfTool, maxOpenUrlLength, modeOfTool, openTargetIds, openTool } from "@promptreg/core/formats";
import type { Handler } from "../../kernel/handler.ts";

export const targets: Handler<"openIn.targets"> = async ({ query: { kind } }) => {
  const items = openTargetIds
    .map((id) => ({ id, tool: openTool(id) }))
    .map(({ id, tool }) => {
      const mode = modeOfTool(tool);
      const limit = mode === "copy" ? null : maxOpenUrlLength;
      const { name, platform } = tool;
      return { id, name, mode, kinds: kindsOfTool(tool), maxUrlLength: limit, platform };
    })
    .filter(({ kinds }) => kind === undefined || kinds.includes(kind));
  return { status: 200, json: { items, nextCursor: null } };
};
