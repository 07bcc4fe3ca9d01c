import { piece } from "../../database/columns.ts";

/**
 * The content of `version_files f`, as a table. `offset 0` lets it be found by its digest. Otherwise a planner that expects a
 * version with very many files reads all contents there are.
 */
export const blobOfFile = piece`(select content from blobs where sha256 = f.sha256 offset 0)`;
