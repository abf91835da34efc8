import { createEdge, PEAKS_PATH } from "../src/local/edge-limits.ts"

/** Before the worker's own code is loaded, which may keep the global fetch. */
const edge = createEdge()
globalThis.fetch = edge.boundFetch(globalThis.fetch)

type Bindings = Record<string, unknown>

interface Worker {
  fetch(request: Request, env: Bindings, execution: ExecutionContext): Promise<Response>
  scheduled?(event: unknown, env: Bindings, execution: ExecutionContext): Promise<void>
}

/** Runs the worker under the limits of the platform. Bindings keep their identity, because the worker caches by it. */
export function limitedWorker(worker: Worker): Worker {
  const known = new WeakMap<Bindings, Bindings>()
  const bindingsOf = (env: Bindings) => {
    const bound = known.get(env) ?? { ...env, ...(env.FILES ? { FILES: edge.boundBucket(env.FILES) } : {}) }
    known.set(env, bound)
    return bound
  }
  return {
    fetch: (request, env, execution) =>
      request.url.endsWith(PEAKS_PATH)
        ? Promise.resolve(Response.json(edge.peaks))
        : edge.run(() => worker.fetch(request, bindingsOf(env), execution)),
    ...(worker.scheduled && {
      scheduled: (event: unknown, env: Bindings, execution: ExecutionContext) =>
        edge.run(() => worker.scheduled?.(event, bindingsOf(env), execution) ?? Promise.resolve()),
    }),
  }
}
