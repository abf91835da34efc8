import { QstashRefusal } from "./qstash-errors.ts"
import type { Message } from "./qstash-message.ts"

interface Queue {
  name: string
  createdAt: number
  updatedAt: number
  parallelism: number
  isPaused: boolean
  /** In order of arrival, not yet admitted. */
  waiting: Set<Message>
  /** Admitted and not over, retries and callbacks included: these block the rest. */
  holders: Set<Message>
  /** Admitted ones that fell due while the queue was paused. */
  parked: Set<Message>
}

/** FIFO queues: at most `parallelism` messages are admitted, and each keeps its place until it is over. */
export class Queues {
  private readonly queues = new Map<string, Queue>()
  private readonly admit: (message: Message) => void

  /** `admit` receives a message whose turn has come; its own time may still lie ahead. */
  constructor(admit: (message: Message) => void) {
    this.admit = admit
  }

  upsert(name: string, settings: { parallelism?: number; isPaused?: boolean }, now: number): void {
    const queue = this.ensure(name, now)
    queue.parallelism = settings.parallelism ?? queue.parallelism
    queue.isPaused = settings.isPaused ?? queue.isPaused
    queue.updatedAt = now
    this.advance(queue)
  }

  add(name: string, message: Message, now: number): void {
    const queue = this.ensure(name, now)
    message.place = "queued"
    queue.waiting.add(message)
    this.advance(queue)
  }

  /** True when the message fell due while its queue is paused: it then waits here for the queue to resume. */
  park(message: Message): boolean {
    const queue = this.of(message)
    if (!queue?.isPaused) return false
    queue.parked.add(message)
    message.place = "queued"
    return true
  }

  release(message: Message): void {
    const queue = this.of(message)
    if (!queue) return
    queue.waiting.delete(message)
    queue.parked.delete(message)
    queue.holders.delete(message)
    this.advance(queue)
  }

  /** Deletes the queue and returns the messages that were in it. */
  delete(name: string): Message[] {
    const queue = this.queues.get(name)
    this.queues.delete(name)
    return queue ? [...queue.holders, ...queue.waiting] : []
  }

  list(): Record<string, unknown>[] {
    return [...this.queues.values()].map(serializeQueue)
  }

  get(name: string): Record<string, unknown> {
    const queue = this.queues.get(name)
    if (!queue) throw new QstashRefusal(404, `queue ${name} not found`)
    return serializeQueue(queue)
  }

  private of(message: Message): Queue | undefined {
    return message.queueName === undefined ? undefined : this.queues.get(message.queueName)
  }

  private advance(queue: Queue): void {
    if (queue.isPaused) return
    for (const message of queue.parked) this.admit(message)
    queue.parked.clear()
    for (const message of queue.waiting) {
      if (queue.holders.size >= queue.parallelism) return
      queue.waiting.delete(message)
      queue.holders.add(message)
      this.admit(message)
    }
  }

  private ensure(name: string, now: number): Queue {
    const known = this.queues.get(name)
    if (known) return known
    const queue: Queue = {
      name,
      createdAt: now,
      updatedAt: now,
      parallelism: 1,
      isPaused: false,
      waiting: new Set(),
      holders: new Set(),
      parked: new Set(),
    }
    this.queues.set(name, queue)
    return queue
  }
}

function serializeQueue(queue: Queue): Record<string, unknown> {
  return {
    name: queue.name,
    createdAt: queue.createdAt,
    updatedAt: queue.updatedAt,
    parallelism: queue.parallelism,
    paused: queue.isPaused,
    lag: queue.waiting.size + queue.holders.size,
  }
}
