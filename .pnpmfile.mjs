export const hooks = {
  /**
   * Sources are for the checkout alone, so what is packed does not lead there.
   * @param {{ exports?: Record<string, unknown> }} manifest
   */
  beforePacking(manifest) {
    for (const entry of Object.values(manifest.exports ?? {}))
      if (typeof entry === "object" && entry !== null)
        delete (/** @type {Record<string, unknown>} */ (entry)["@promptreg/source"]);
    return manifest;
  },
};
