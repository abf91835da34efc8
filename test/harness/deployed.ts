import { deriveRing } from "../../src/base/key-ring.ts"
import { createWorker } from "../../src/http/app.ts"
import { WORKER_ACCESS } from "../../src/ops/worker-access.ts"
import { account } from "../../src/routes/account/group.ts"
import { admin } from "../../src/routes/admin/group.ts"
import { all } from "../../src/routes/all.ts"
import { auth } from "../../src/routes/auth/group.ts"
import { callbacks } from "../../src/routes/callbacks/group.ts"
import { v1 } from "../../src/routes/v1/group.ts"

const GROUPS = { v1, auth, account, admin, callbacks, all }

type Bindings = Record<string, unknown>
type Worker = ReturnType<typeof createWorker>

const isGroup = (name: string | undefined): name is keyof typeof GROUPS =>
  name !== undefined && Object.hasOwn(GROUPS, name)

/**
 * The service as deployed: each group of routes is a worker with its own database role and only the
 * keys that it needs. One worker with all keys serves the paths that belong to no group.
 */
export function deployWorkers(
  overrides: Parameters<typeof createWorker>[1],
  { workerUrls, ownerUrl }: { workerUrls: Record<string, string>; ownerUrl: string },
) {
  // Workers are built on their first call: a test needs few of them, and mounting all operations
  // takes a tenth of a second.
  const workers = new Map<string, Worker>()
  function workerOf(name: keyof typeof GROUPS): Worker {
    const worker = workers.get(name) ?? createWorker(GROUPS[name], overrides)
    workers.set(name, worker)
    return worker
  }
  const known = new WeakMap<Bindings, Map<string, Promise<Bindings>>>()

  /** Returns the same object for the same worker, since workers cache by the identity of their bindings. */
  function bindingsOf(name: string, env: Bindings): Promise<Bindings> {
    const made = known.get(env) ?? new Map<string, Promise<Bindings>>()
    known.set(env, made)
    const found = made.get(name) ?? own(name, env)
    made.set(name, found)
    return found
  }

  async function own(name: string, env: Bindings): Promise<Bindings> {
    const url = env.DATABASE_URL === ownerUrl ? workerUrls[name] : env.DATABASE_URL
    const ring = env.SECRETS_KEYS as string
    const keys = await deriveRing(ring, WORKER_ACCESS[name]?.purposes ?? []).catch(() => ring)
    return { ...env, DATABASE_URL: url, SECRETS_KEYS: keys }
  }

  return {
    async fetch(request: Request, env: Bindings, execution: ExecutionContext): Promise<Response> {
      const [, first, second] = new URL(request.url).pathname.split("/")
      // The worker of /v1 also serves the portal.
      const name = first === "api" ? second : first === "portal" ? "v1" : first
      const isOwn = isGroup(name) && (first === "api") !== (name === "v1" || name === "callbacks")
      if (!isOwn || name === "all") return workerOf("all").fetch(request, env, execution)
      return workerOf(name).fetch(request, await bindingsOf(name, env), execution)
    },
    async scheduled(env: Bindings, execution: ExecutionContext): Promise<void> {
      await workerOf("callbacks").scheduled({}, await bindingsOf("callbacks", env), execution)
    },
  }
}
