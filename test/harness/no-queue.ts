import type { Queue } from "../../src/platform/queue.ts"

/** A queue that takes everything and delivers nothing. */
export const noQueue: Queue = {
  publish: async () => {},
  publishAll: async (messages) => messages.map(() => true),
}
