const mebibyte = 1024 * 1024;

/** What media may be. Files of `purpose=file` are stored as they are, of any type. */
export const mediaLimits = {
  imageBytes: 10 * mebibyte,
  audioBytes: 25 * mebibyte,
  videoBytes: 100 * mebibyte,
  modelBytes: 50 * mebibyte,
  fileBytes: 50 * mebibyte,
  /** Width times height, of all pictures of an animation together. */
  imagePixels: 50_000_000,
  animationFrames: 500,
  /** Things that can show the same media. */
  usesOfMedia: 100,
} as const;
