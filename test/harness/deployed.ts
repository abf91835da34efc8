import { deriveRing } from "../../src/base/key-ring.ts"
import { createWorker } from "../../src/http/app.ts"
import { WORKER_ACCESS } from "../../src/ops/worker-access.ts"
import { account } from "../../src/routes/account/group.ts"
import { admin } from "../../src/routes/admin/group.ts"
import { all } from "../../src/routes/all.ts"
import { auth } from "../../src/routes/auth/group.ts"
import { callbacks } from "../../src/routes/callbacks/group.ts"
import { v1 } from "../../src/routes/v1/group.ts"

const GROUPS = { v1, auth, account, admin, callbacks }

type Bindings = Record<string, unknown>

/**
 * The service as it is deployed: each group is a worker, with the role of that worker in the database and only the keys that it needs. Paths
 * of no group go to one worker with all of them.
 */
export function deployWorkers(
  overrides: Parameters<typeof createWorker>[1],
  { workerUrls, ownerUrl }: { workerUrls: Record<string, string>; ownerUrl: string },
) {
  const workers = new Map(Object.entries(GROUPS).map(([name, group]) => [name, createWorker(group, overrides)]))
  const whole = createWorker(all, overrides)
  const known = new WeakMap<Bindings, Map<string, Promise<Bindings>>>()

  /** One object for each, since workers keep what they make of their bindings by it. */
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
      const name = first === "api" ? second : first
      const worker =
        name && (first === "api") !== (name === "v1" || name === "callbacks") ? workers.get(name) : undefined
      if (!name || !worker) return whole.fetch(request, env, execution)
      return worker.fetch(request, await bindingsOf(name, env), execution)
    },
    async scheduled(env: Bindings, execution: ExecutionContext): Promise<void> {
      await workers.get("callbacks")?.scheduled({}, await bindingsOf("callbacks", env), execution)
    },
  }
}
