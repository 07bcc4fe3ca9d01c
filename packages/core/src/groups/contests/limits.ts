/** How much a contest can have. */
export const contestLimits = {
  criteriaPerContest: 20,
  judgesPerContest: 50,
  votesPerUser: 100,
  entriesPerUser: 100,
} as const;
