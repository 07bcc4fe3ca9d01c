/** Who may read what evals say of a prompt that a query names. */
export const readOfPrompt = {
  auth: "optional",
  scope: "read",
  on: { prompt: "viewers" },
  from: "query.prompt",
  restricted: {},
} as const;
