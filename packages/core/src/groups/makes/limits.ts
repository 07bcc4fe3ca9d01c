/** How much a make can have. */
export const makeLimits = {
  makesPerAccount: 1_000,
  filesPerMake: 20,
  galleryItemsPerMake: 30,
  partsPerMake: 200,
  linksPerMake: 20,
  pinsPerPrompt: 6,
  /** What a family tree shows at most. */
  familyNodes: 500,
} as const;
