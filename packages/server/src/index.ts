export { type Config, readConfig } from "./config.ts";
export { type Duties, type RunningServer, startServer } from "./server.ts";
