/** The original function, because a test may fake the global timers. */
const { setTimeout: wait } = globalThis

/** The calls of this process that are not answered yet. */
class OpenCalls {
  open = 0
  begun = 0
  /** True after a caller gave up waiting, until the stand-ins have no open call: the statement may still run. */
  isAborted = false
}

/** Calls of stand-ins, statements of a test, and the queue's deliveries. */
const STAND_IN = /^http:\/\/127\.0\.0\.1:\d+\/(\w+)\/(?:pg|redis|qstash|control\/sql|control\/qstash)\b/
const CONTROL = /^http:\/\/127\.0\.0\.1:\d+\/(?:\w+\/)?control\b/
/** Turns of the event loop after which an answer has reached the code that waits for it. */
const TURNS = 3
/** One look at the calls takes at least this time. */
const LOOK_MS = 3

const byNamespace = new Map<string, OpenCalls>()
/** Calls of third-party servers and of the bucket, since the newest world began. */
let others = new OpenCalls()
export const forgetOthers = () => {
  others = new OpenCalls()
}

function callsOf(namespace: string): OpenCalls {
  const known = byNamespace.get(namespace) ?? new OpenCalls()
  byNamespace.set(namespace, known)
  return known
}

async function count<T>(calls: OpenCalls, send: () => Promise<T>, signal?: AbortSignal | null): Promise<T> {
  calls.open++
  calls.begun++
  try {
    return await send()
  } finally {
    calls.open--
    if (signal?.aborted) calls.isAborted = true
  }
}

/** Sends a call to a server of this machine. The answer of a stand-in has arrived whole when it is returned. */
export function countedFetch(
  url: string,
  send: () => Promise<Response>,
  signal?: AbortSignal | null,
): Promise<Response> {
  const namespace = STAND_IN.exec(url)?.[1]
  if (!namespace && CONTROL.test(url)) return send()
  if (!namespace) return count(others, send, signal)
  const whole = async () => {
    const response = await send()
    // A subscription has no end.
    if (response.headers.get("content-type") === "text/event-stream") return response
    const body = await response.arrayBuffer()
    return new Response(body.byteLength > 0 ? body : null, response)
  }
  return count(callsOf(namespace), whole, signal)
}

/** The same bucket, with its calls counted. */
export function countedBucket<Bucket extends object>(bucket: Bucket): Bucket {
  return new Proxy(bucket, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== "function") return value
      return (...args: unknown[]) => {
        const answer: unknown = value.apply(target, args)
        return answer instanceof Promise ? count(others, () => answer) : answer
      }
    },
  })
}

/** The calls of a namespace that have reached its stand-ins. */
export interface RemoteCalls {
  open: number
  /** Calls that wait for the next fault plan. */
  held: number
  /** Sessions that wait for a lock, or sleep in a statement. */
  blocked: number
}

/**
 * Waits until no call of the namespace is under way, except those that a fault plan or a lock holds. A running
 * statement is waited for, however slow the machine is. False if a third-party server has not answered for
 * `patienceMs`.
 */
export async function untilCalm(
  namespace: string,
  patienceMs: number,
  remoteCalls: () => Promise<RemoteCalls>,
): Promise<boolean> {
  const own = callsOf(namespace)
  let looks = 0
  for (;;) {
    const [begun, elsewhere] = [own.begun, others.begun]
    if (own.open > 0 || own.isAborted) {
      const { open, held, blocked } = await remoteCalls()
      if (open > blocked || own.open > held + open) continue
      if (open === 0) own.isAborted = false
    }
    for (let turn = 0; turn < TURNS; turn++) await new Promise<void>((done) => void wait(done, 0))
    if (own.begun !== begun || others.begun !== elsewhere) continue
    if (others.open === 0) return true
    if (++looks >= patienceMs / LOOK_MS) return false
  }
}
