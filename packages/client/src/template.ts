/**
 * Templates without a client, and the `RenderError` of `compile`. It is an entry point of its own, so that an import of the
 * client does not load the code that the first `compile` loads.
 */
export * from "@promptreg/core/template";
