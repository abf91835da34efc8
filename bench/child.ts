import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

const END_MS = 5_000

export interface Child {
  pid: number
  /** Sends a question and returns its answer. Only one question can be open. */
  ask<Reply>(question: object): Promise<Reply>
  stop(): Promise<void>
}

/** Runs a script of this folder in its own process, so that its CPU is measured separately. */
export function startChild(script: string, env: Record<string, string | undefined>): Child {
  const child = fork(join(import.meta.dirname, script), {
    env: { ...process.env, ...env },
    // Its own process group, so that Ctrl-C reaches only the bench, which then stops the others in order.
    detached: true,
  })
  const ended = new Promise<void>((done) => child.once("exit", () => done()))
  const died = ended.then(() => {
    throw new Error(`${script} ended.`)
  })
  died.catch(() => {})
  return {
    pid: child.pid as number,
    async ask<Reply>(question: object) {
      child.send(question)
      const [{ reply, error }] = (await Promise.race([once(child, "message"), died])) as [Message]
      if (error !== undefined) throw new Error(`${script}: ${error}`)
      return reply as Reply
    },
    async stop() {
      if (child.connected) child.disconnect()
      // Its data is temporary. It may wait for a connection whose worker was killed under attack.
      const late = setTimeout(() => child.kill("SIGKILL"), END_MS)
      await ended
      clearTimeout(late)
    },
  }
}

interface Message {
  reply?: unknown
  error?: string
}

/** Runs in the child: answers the bench's questions, and exits when the bench ends. */
export function answerBench<Question>(answer: (question: Question) => Promise<unknown>, end: () => Promise<unknown>) {
  process.on("message", async (question: Question) => {
    const message: Message = await answer(question).then(
      (reply) => ({ reply }),
      (error: unknown) => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
    process.send?.(message)
  })
  process.once("disconnect", async () => {
    await end().catch((error: unknown) => console.error(error))
    process.exit(0)
  })
}
