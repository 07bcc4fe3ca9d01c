// A door of its own, because behind it are the readers of YAML and schemas, which take longer to load than all
// the rest, and only a dry run needs them.
export { readEntry } from "@promptreg/core";
