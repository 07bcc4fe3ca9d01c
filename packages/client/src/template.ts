/**
 * Filling in without a client, and the `RenderError` of `compile`. A door of its own, so that what is loaded by the first
 * `compile` is not loaded by whoever imports the client.
 */
export * from "@promptreg/core/template";
