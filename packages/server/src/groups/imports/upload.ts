import { apiError, invalid } from "@promptreg/core/errors";
import type { Handler } from "../../kernel/handler.ts";
import { placed, requireStart, store } from "./chunk.ts";
import { writeImport } from "./create.ts";
import { selectImport } from "./imports.sql.ts";

export const upload: Handler<"imports.upload"> = async ({
  query,
  headers,
  body: bytes,
  caller,
  sql,
  server,
}) => {
  const { filename: label, size, sha256 } = query;
  if (bytes.length === 0) throw invalid("", "The body is empty. Send the first bytes of the file.");
  const chunk = placed(headers["content-range"] ?? `bytes 0-${bytes.length - 1}/${size}`, bytes, size);
  requireStart(chunk, 0);
  const source = { type: typeOf(bytes), label } as const;
  const id = await writeImport(sql, { userId: caller.id, source, upload: { size, sha256 } });
  await store({ sql, server }, { importId: id, received: 0, chunk });
  const location = `${server.publicUrl}/api/v1/imports/${id}`;
  return { status: 202, json: await selectImport(sql, id), location };
};

/** What a zip, an empty zip and a gzip begin with. */
const archiveMarks = ["PK\x03\x04", "PK\x05\x06", "\x1f\x8b"];

/**
 * An archive, or a text such as the export of a chat.
 * @throws {ApiError} `archive_refused`.
 */
function typeOf(bytes: Buffer): "archive" | "chatExport" {
  const head = bytes.toString("latin1", 0, 4);
  if (archiveMarks.some((mark) => head.startsWith(mark))) return "archive";
  if (bytes.subarray(0, 8192).includes(0)) throw apiError("archive_refused");
  return "chatExport";
}
