/** How much there can be. */
export const evalLimits = { datasetsPerPrompt: 50, casesPerDataset: 10_000, resultsPerRun: 250_000 } as const;
