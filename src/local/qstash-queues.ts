import { QstashRefusal } from "./qstash-headers.ts"
import type { QstashMessage } from "./qstash-message.ts"

interface Queue {
  name: string
  parallelism: number
  /** In order of arrival, not yet admitted. */
  waiting: QstashMessage[]
  /** How many are admitted and not over, retries and callbacks included: these block the rest. */
  admitted: number
}

/** FIFO queues: at most `parallelism` messages are admitted, and each keeps its position until it is over. */
export class Queues {
  private readonly queues = new Map<string, Queue>()
  private readonly admit: (message: QstashMessage) => void

  /** `admit` receives a message whose turn has come; its own time may still lie ahead. */
  constructor(admit: (message: QstashMessage) => void) {
    this.admit = admit
  }

  upsert(name: string, parallelism: number): void {
    const queue = this.ensure(name)
    queue.parallelism = parallelism
    this.advance(queue)
  }

  add(name: string, message: QstashMessage): void {
    const queue = this.ensure(name)
    queue.waiting.push(message)
    this.advance(queue)
  }

  /** The message is over, and its callbacks are. */
  release({ queueName }: QstashMessage): void {
    const queue = queueName === undefined ? undefined : this.queues.get(queueName)
    if (!queue) return
    queue.admitted--
    this.advance(queue)
  }

  get(name: string): Record<string, unknown> {
    const queue = this.queues.get(name)
    if (!queue) throw new QstashRefusal(404, `queue ${name} not found`)
    return { name, parallelism: queue.parallelism, paused: false, lag: queue.waiting.length + queue.admitted }
  }

  private advance(queue: Queue): void {
    while (queue.admitted < queue.parallelism) {
      const next = queue.waiting.shift()
      if (!next) return
      queue.admitted++
      this.admit(next)
    }
  }

  private ensure(name: string): Queue {
    const known = this.queues.get(name)
    if (known) return known
    const queue: Queue = { name, parallelism: 1, waiting: [], admitted: 0 }
    this.queues.set(name, queue)
    return queue
  }
}
