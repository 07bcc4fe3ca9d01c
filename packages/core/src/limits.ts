/** How many there may be of what grows. */
export const limits = {
  promptsPerAccount: 5_000,
  versionsPerPrompt: 10_000,
  labelsPerPrompt: 50,
  webhooksPerAccount: 20,
  watchesPerAccount: 5_000,
} as const;
