import { heuristic, type SuggestionProvider } from "@promptreg/core/suggestions";
import type { ServerGroup } from "../../kernel/group.ts";
import { create } from "./create.ts";
import { type ModelConfig, openModel } from "./model.ts";

export const suggestions = { handlers: { create } } satisfies ServerGroup<"suggestions">;

/** Who makes suggestions beside the server's own rules. */
export interface SuggestionsConfig {
  /** Null: nobody. Nothing leaves this machine. */
  model: ModelConfig | null;
}

/** Who is asked for suggestions, in this order. The rules are last, and answer if a model does not. */
export const openSuggestions = (config: SuggestionsConfig | null): SuggestionProvider[] =>
  config === null ? [] : [...(config.model === null ? [] : [openModel(config.model)]), heuristic];
