import { join } from "node:path";
import type { Sharp } from "sharp";
import { asSent, MediaError, type Processed, type Task } from "./task.ts";

/** The formats that are read, each with its loader. No other loader of the library runs: some read other files, or fonts. */
const loaders = {
  jpeg: "VipsForeignLoadJpegFile",
  png: "VipsForeignLoadPngFile",
  webp: "VipsForeignLoadWebpFile",
  gif: "VipsForeignLoadNsgifFile",
  heif: "VipsForeignLoadHeifFile",
};

const thumbnailPixels = 480;

/**
 * Writes a picture anew: without metadata, turned as it is to be seen, in sRGB. JPEG and PNG stay what they are, all else becomes WebP,
 * and an animation stays one.
 * @throws {MediaError} if it is no picture, or too large.
 */
export async function processImage(task: Task): Promise<Processed> {
  const { maxPixels, maxFrames } = task.images;
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: Object.values(loaders) });
  const open = (pages: number) =>
    sharp(task.path, {
      pages,
      failOn: "error",
      // Over all pictures of an animation, and before any is decoded.
      limitInputPixels: maxPixels,
      sequentialRead: true,
    });
  try {
    const { format, pages: contained = 1 } = await open(1).metadata();
    // An AVIF can have several pictures of any size. One of them is to be seen, and is opened: they are no animation.
    const pages = format === "heif" ? 1 : contained;
    if (!Object.hasOwn(loaders, format)) throw new MediaError(unreadable);
    if (pages > maxFrames)
      throw new MediaError(`The animation has ${pages} pictures. It can have ${maxFrames}.`);
    const type = format === "jpeg" || format === "png" ? format : "webp";
    const whole = join(task.folder, "whole");
    const {
      width,
      height,
      pageHeight = height,
    } = await written(open(pages).autoOrient(), type).toFile(whole);
    const thumbnail = join(task.folder, "thumbnail");
    const inside = { width: thumbnailPixels, height: thumbnailPixels, fit: "inside" as const };
    await open(1)
      .autoOrient()
      .resize({ ...inside, withoutEnlargement: true })
      .webp({ quality: 75 })
      .toFile(thumbnail);
    return { ...asSent(task), mediaType: `image/${type}`, width, height: pageHeight, whole, thumbnail };
  } catch (error) {
    throw error instanceof MediaError ? error : new MediaError(reasonOf(error as Error, maxPixels));
  }
}

function written(image: Sharp, type: "jpeg" | "png" | "webp"): Sharp {
  if (type === "jpeg") return image.jpeg({ quality: 90 });
  return type === "png" ? image.png() : image.webp({ quality: 85 });
}

const unreadable = "This is no picture, or a damaged one.";

const reasonOf = ({ message }: Error, maxPixels: number): string =>
  message.includes("pixel limit")
    ? `The picture is too large. It can have ${maxPixels / 1e6} million pixels, over all pictures of an animation.`
    : unreadable;
