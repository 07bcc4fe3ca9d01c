import type { Handler } from "../../kernel/handler.ts";
import { placed, requireStart, store } from "./chunk.ts";
import { otherState } from "./imports.ts";
import { selectImport } from "./imports.sql.ts";

export const uploadChunk: Handler<"imports.uploadChunk"> = async ({
  headers,
  body: bytes,
  target,
  sql,
  server,
}) => {
  const { id: importId, status, upload: begun } = target;
  if (begun === null || status === "cancelled" || status === "expired")
    throw otherState(status, "takes no chunks");
  const chunk = placed(headers["content-range"], bytes, begun.size);
  requireStart(chunk, begun.received);
  await store({ sql, server }, { importId, received: begun.received, chunk });
  return { status: 202, json: await selectImport(sql, importId) };
};
