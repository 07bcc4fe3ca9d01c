/** What a token may do. Scopes do not imply each other; `write` also meets `evals:write`. */
export type Scope = "read" | "write" | "evals:write";
