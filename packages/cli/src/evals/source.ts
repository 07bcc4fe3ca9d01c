import type { RunSource } from "@promptreg/core";
import { isGithub } from "./github.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Says which tool wrote the results, and where they were reported, from the variables that GitHub Actions sets. */
export function sourceOf(env: Env, tools: readonly string[]): RunSource {
  const tool = tools.join(", ") || null;
  if (!isGithub(env)) return { tool };
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = env;
  const isLinked = GITHUB_SERVER_URL && GITHUB_REPOSITORY && GITHUB_RUN_ID;
  return {
    provider: "github-actions",
    url: isLinked ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}` : null,
    commit: env.GITHUB_SHA ?? null,
    // Of a pull request the branch it comes from; the other names its merge.
    branch: env.GITHUB_HEAD_REF || (env.GITHUB_REF_NAME ?? null),
    tool,
  };
}
