import type { ErrorTable } from "../../language/group.ts";

/** The errors that only prompts have. */
export const promptErrors = {
  slug_taken: { status: 409, message: "You have already used this slug. Choose another one." },
  version_conflict: {
    status: 409,
    message: "Someone else committed a version first. Read the latest version and try again.",
  },
  no_changes: { status: 409, message: "The files are the same as in the latest version." },
  prompt_not_published: {
    status: 409,
    message: "This prompt is a draft and has no version yet. Commit a version first.",
  },
  draft_required: {
    status: 409,
    message: "No files were sent, and there is no saved draft to commit. Send files.",
  },
  version_yanked: {
    status: 409,
    message: "This version was yanked and cannot be used for anything new. Choose another version.",
  },
  version_labelled: {
    status: 409,
    message: "A label points to this version. Move or delete the label first.",
  },
  label_conflict: {
    status: 409,
    message: "The label does not point to the version that you expected. Read it and try again.",
  },
  not_text: { status: 415, message: "This file is binary and cannot be read as text." },
  invalid_file: { status: 422, message: "A file breaks the rules for paths, sizes or content." },
  invalid_entry: {
    status: 422,
    message: "The entry file is missing or does not fit the kind of the prompt.",
  },
  format_not_supported: { status: 422, message: "This format cannot express a prompt of this kind." },
  format_too_large: { status: 422, message: "This prompt is longer than the tool of this format allows." },
  format_unsafe: {
    status: 422,
    message: "In this format, the text would run commands or read files. Choose another format.",
  },
  invalid_variables: { status: 422, message: "The declared variables are not valid." },
} as const satisfies ErrorTable;
