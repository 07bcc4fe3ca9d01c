// A door of its own: the documentation of all schemas is behind it.
export { manifestSchema } from "@promptreg/core/summaries";
