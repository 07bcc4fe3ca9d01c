import type { ErrorTable } from "../../group.ts";

/** The errors that only imports have. */
export const importErrors = {
  import_state: { status: 409, message: "The import is in another state now. Read it, then decide again." },
  upload_offset_mismatch: {
    status: 409,
    message: "A part of the file is missing before this chunk. Send it from the offset in the details.",
  },
  url_refused: {
    status: 422,
    message:
      "Nothing is fetched from this address. Send one that begins with https:// and is on the public internet.",
  },
  archive_refused: { status: 422, message: "This file cannot be imported. Send a zip, a tar.gz, or a text." },
} as const satisfies ErrorTable;
