import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./examples.ts";
import { exampleTarget } from "./target.ts";

export const examples = { handlers, targets: { example: exampleTarget } } satisfies ServerGroup<"examples">;
export { shownByExample } from "./target.ts";
