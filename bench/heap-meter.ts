const MiB = 1024 * 1024

/** The memory of an isolate in MiB: the JavaScript heap, including garbage that was not collected yet, and buffers. */
export interface Heap {
  heap: number
  buffers: number
}

interface Usage {
  usedSize: number
  backingStorageSize?: number
  embedderHeapUsedSize?: number
}

/** Reads the memory use of a worker's isolate from its inspector. */
export async function openHeapMeter(url: string) {
  const socket = new WebSocket(url)
  await new Promise((done, fail) => {
    socket.addEventListener("open", done, { once: true })
    socket.addEventListener("error", () => fail(new Error("The inspector does not respond.")), { once: true })
  })
  const waiting = new Map<number, (result: unknown) => void>()
  let asked = 0
  let isClosed = false
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
    waiting.delete(id ?? 0)
  })
  socket.addEventListener("close", () => {
    isClosed = true
    for (const done of waiting.values()) done(null)
  })
  const ask = <Result>(method: string) => {
    const id = ++asked
    return new Promise<Result | null>((done) => {
      if (isClosed) return done(null)
      waiting.set(id, done as (result: unknown) => void)
      socket.send(JSON.stringify({ id, method }))
    })
  }
  return {
    /** Null if the worker has ended. */
    async read(): Promise<Heap | null> {
      const usage = await ask<Usage>("Runtime.getHeapUsage")
      if (!usage) return null
      const { usedSize, backingStorageSize = 0, embedderHeapUsedSize = 0 } = usage
      return { heap: (usedSize + embedderHeapUsedSize) / MiB, buffers: backingStorageSize / MiB }
    },
    /** Starts a garbage collection. workerd sends no response to this command. */
    collect: () => void ask("HeapProfiler.collectGarbage"),
    close: () => socket.close(),
  }
}

export type HeapMeter = Awaited<ReturnType<typeof openHeapMeter>>
