import type { ServerGroup } from "../../kernel/group.ts";
import { commit } from "./commit.ts";
import { create } from "./create.ts";
import { cancel, get, list } from "./imports.ts";
import { importTarget } from "./target.ts";
import { upload } from "./upload.ts";
import { uploadChunk } from "./upload-chunk.ts";
import { workOnImports } from "./work.ts";

export const imports = {
  handlers: { list, create, upload, get, cancel, commit, uploadChunk },
  targets: { import: importTarget },
  work: workOnImports,
} satisfies ServerGroup<"imports">;
