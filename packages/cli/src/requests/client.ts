/** A token of the command line may be one that writes and does not read: then it is not shown what it wrote. */
export type { WriteOnlyClient as Client } from "@promptreg/client";
