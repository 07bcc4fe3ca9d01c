import type { ErrorDetail } from "../catalogue/errors.ts";

/** Why files cannot become a version: the error of the API, and one item of its `details`. */
export interface Problem extends ErrorDetail {
  code: "invalid_file" | "invalid_entry" | "invalid_variables" | "payload_too_large";
}

/** Content that is accepted, but is probably not what the author meant. */
export interface Warning extends ErrorDetail {
  code:
    | "unknown_key"
    | "unused_variable"
    | "not_a_variable"
    | "foreign_template"
    | "unclosed_frontmatter"
    | "skill_name"
    | "skill_metadata"
    | "skill_length";
}
