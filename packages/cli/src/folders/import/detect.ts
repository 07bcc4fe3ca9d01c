// A door of its own, because behind it are all readers of other formats, which take longer to load than all the rest.
export { detect, parsePlace, PlaceError } from "@promptreg/core/imports";
