import "./loopback.ts"
import { join } from "node:path"
import { buildWorker } from "./build-worker.ts"
import { step } from "./lifecycle.ts"
import { runService } from "./run-service.ts"
import { makeTemporaryDirectory } from "./temporary-directory.ts"

/** `npm start`: builds the worker of this checkout and runs the service. */
runService({
  root: process.cwd(),
  async prepareWorker() {
    step("building the worker, and the web app if its sources have changed …")
    const script = join(await makeTemporaryDirectory("worker"), "worker.js")
    await buildWorker(process.cwd(), script)
    return script
  },
  hasContainer: true,
})
