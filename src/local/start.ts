import "./loopback.ts"
import { enableCompileCache } from "node:module"
import { join } from "node:path"

/** `npm start`: builds the worker and the static files if their sources have changed, and runs the service. */
const root = process.cwd()
// Node compiles our code once, also for the processes that we start.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/compiled")
enableCompileCache(process.env.NODE_COMPILE_CACHE)

// Imported only now, so that the cache is used.
const [{ runService }, { buildStaticFiles, workerOfSources }, { timed }] = await Promise.all([
  import("./run-service.ts"),
  import("./build-worker.ts"),
  import("./lifecycle.ts"),
])
runService({
  root,
  async prepareWorker() {
    const { script } = await timed("built the worker", workerOfSources(root), ({ isNew }) => isNew)
    return script
  },
  prepareStaticFiles: () => timed("built the web app and the reference", buildStaticFiles(root), Boolean),
  hasContainer: true,
})
