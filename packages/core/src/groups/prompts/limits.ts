/** The largest numbers of prompts, versions and labels. */
export const promptLimits = {
  promptsPerAccount: 5_000,
  versionsPerPrompt: 10_000,
  labelsPerPrompt: 50,
} as const;
