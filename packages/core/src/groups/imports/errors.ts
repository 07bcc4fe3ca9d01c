import type { ErrorTable } from "../../language/group.ts";

/** The errors that only imports have. */
export const importErrors = {
  invalid_range: {
    status: 400,
    message:
      "The Content-Range header cannot be read. Send the place of the chunk in the file, such as `bytes 0-8388607/20000000`.",
  },
  import_state: { status: 409, message: "The import is in another state now. Read it, then decide again." },
  upload_offset_mismatch: {
    status: 409,
    message: "A part of the file is missing before this chunk. Send it from the offset in the details.",
  },
  range_not_satisfiable: {
    status: 416,
    message:
      "The chunk ends after the announced end of the file. Send it without the rest, or begin a new upload with the right size.",
  },
  url_refused: {
    status: 422,
    message:
      "Nothing is fetched from this address. Send one that begins with https:// and is on the public internet.",
  },
  archive_refused: { status: 422, message: "This file cannot be imported. Send a zip, a tar.gz, or a text." },
} as const satisfies ErrorTable;
