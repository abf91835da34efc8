import "./loopback.ts"
import { join } from "node:path"
import { runService } from "./run-service.ts"

/** The program of the published local service, which `dev` of the command line runs. Everything is built already. */
const root = join(import.meta.dirname, "../..")
runService({
  root,
  prepareWorker: async () => join(root, "worker.js"),
  prepareStaticFiles: async () => false,
  hasContainer: false,
})
