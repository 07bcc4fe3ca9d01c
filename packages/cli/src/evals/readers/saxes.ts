// Saxes is CommonJS. Imported as a whole when it is needed, its names would be missing in the bundle.
export { SaxesParser } from "saxes";
