import type { RunSource } from "@promptreg/core";

/** Says where a report was made, from the variables that GitHub Actions sets; null elsewhere. */
export function sourceOf(env: Readonly<Record<string, string | undefined>>): RunSource | null {
  if (env.GITHUB_ACTIONS !== "true") return null;
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = env;
  const isLinked = GITHUB_SERVER_URL && GITHUB_REPOSITORY && GITHUB_RUN_ID;
  return {
    provider: "github-actions",
    url: isLinked ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}` : null,
    commit: env.GITHUB_SHA ?? null,
    // Of a pull request the branch it comes from; the other names its merge.
    branch: env.GITHUB_HEAD_REF || (env.GITHUB_REF_NAME ?? null),
    tool: "promptreg",
  };
}
