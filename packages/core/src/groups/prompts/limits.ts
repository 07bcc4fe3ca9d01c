/** How many prompts, versions and labels there may be. */
export const promptLimits = {
  promptsPerAccount: 5_000,
  versionsPerPrompt: 10_000,
  labelsPerPrompt: 50,
} as const;
