import { ADTS, FilePathSource, FLAC, Input, MATROSKA, MP3, MP4, OGG, QTFF, WAVE, WEBM } from "mediabunny";
import { asSent, MediaError, type Processed, type Task } from "./task.ts";

/**
 * Reads how long a video or a sound is, and how large. It stays as it was sent.
 * @throws {MediaError} if it is none.
 */
export async function processRecording(task: Task): Promise<Processed> {
  const formats = [MP4, QTFF, MATROSKA, WEBM, WAVE, OGG, MP3, FLAC, ADTS];
  const input = new Input({ formats, source: new FilePathSource(task.path) });
  try {
    const format = await input.getFormat();
    const video = await input.getPrimaryVideoTrack();
    if (video === null && (await input.getPrimaryAudioTrack()) === null) throw new MediaError(unreadable);
    const seconds = await input.computeDuration();
    const kind = video ? "video" : "audio";
    return {
      ...asSent(task),
      kind,
      mediaType: typeOf(format.mimeType, kind),
      width: video?.displayWidth ?? null,
      height: video?.displayHeight ?? null,
      durationMs: Number.isFinite(seconds)
        ? Math.min(Math.round(seconds * 1000), Number.MAX_SAFE_INTEGER)
        : null,
    };
  } catch (error) {
    throw error instanceof MediaError ? error : new MediaError(unreadable);
  } finally {
    input.dispose();
  }
}

const unreadable = "This is no video and no sound, or a damaged one.";

/** A container has one type for both. */
const typeOf = (container: string, kind: "video" | "audio"): string =>
  `${kind}/${container.slice(container.indexOf("/") + 1)}`;
