import "./loopback.ts"
import { join } from "node:path"
import { runService } from "./run-service.ts"

/** The program of the published package, which `dev` of the command line runs. Its worker is built already. */
const root = join(import.meta.dirname, "../..")
runService({ root, prepareWorker: async () => join(root, "worker.js"), hasContainer: false })
