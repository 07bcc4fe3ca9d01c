/** How much an account can write. */
export const postLimits = {
  postsPerAccount: 5_000,
  seriesPerAccount: 200,
  postsPerSeries: 200,
  /** Older ones go, but those that were published. */
  revisionsPerPost: 100,
} as const;
