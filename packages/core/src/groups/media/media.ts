import { empty, json, multipart, op } from "../../operations/operation.ts";
import { mediaLimits } from "./limits.ts";
import { CreateMedia, MediaDetails, MediaPath } from "./schemas.ts";

export const media = {
  /**
   * Uploads a picture, a video, a sound, a 3D model or a file. Get it until it is no longer `processing`. A picture has at most 10 MiB, a
   * sound 25 MiB, a model or a file 50 MiB, a video 100 MiB. Pictures are written anew, without their metadata, such as where they were
   * taken. Other kinds stay as they are: a video may say where it was filmed.
   */
  create: op({
    route: "POST /media",
    access: { auth: "required", scope: "write" },
    body: multipart(CreateMedia, { maxBytes: mediaLimits.videoBytes }),
    results: { 201: json(MediaDetails), 204: empty() },
    errors: ["quota_exceeded"],
    rate: { policy: "upload" },
  }),
  /** Gets media. Everybody who sees something that shows them sees them too; otherwise their owner does. */
  get: op({
    route: "GET /media/{id}",
    access: { auth: "optional", scope: "read", on: { media: "viewers" } },
    params: MediaPath,
    results: { 200: json(MediaDetails) },
  }),
  /** Deletes media that nothing shows. */
  delete: op({
    route: "DELETE /media/{id}",
    access: { auth: "required", scope: "write", on: { media: ["owner", "moderator"] } },
    params: MediaPath,
    results: { 204: empty() },
    errors: ["media_in_use"],
  }),
};
