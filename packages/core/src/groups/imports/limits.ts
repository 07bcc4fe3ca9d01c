const mebibyte = 1024 * 1024;

export const importLimits = {
  /** Imports of an account that are neither finished nor cancelled. */
  openImports: 10,
  itemsPerImport: 500,
  filesPerImport: 2_000,
  uploadBytes: 200 * mebibyte,
  chunkBytes: 8 * mebibyte,
} as const;
