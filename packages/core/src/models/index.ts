export { catalogue } from "./catalogue.ts";
export { modelIdOf } from "./model-id.ts";
