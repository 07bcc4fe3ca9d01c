import type { Detector } from "../detector.ts";

/** Every detector. The first one that finds a prompt in a file has it, so the most specific ones come first. */
export const detectors: readonly Detector[] = [];
