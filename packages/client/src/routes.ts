// A door of its own: beside the client, some bundlers would load it at once.
export { routes } from "./generated/routes.ts";
