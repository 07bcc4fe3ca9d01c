export const exampleLimits = {
  approvedExamplesPerPrompt: 100,
  pendingExamplesPerAuthor: 20,
  mediaPerExample: 10,
} as const;
