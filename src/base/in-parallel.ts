/** A worker may have six open connections. */
const AT_ONCE = 6

/** Runs `work` for each item, with as many calls at a time as a worker may have connections. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  const worker = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
