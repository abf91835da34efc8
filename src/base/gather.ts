interface Waiting<Item, Answer> {
  item: Item
  resolve(answer: Answer | Promise<Answer>): void
  reject(error: unknown): void
}

/**
 * Batches items that arrive while earlier batches are in flight. A single item is sent at once. `send` returns
 * answers in the order of its items; an answer may be a promise. If it throws, all items of the batch fail.
 */
export class Gather<Item, Answer> {
  private readonly send: (items: Item[]) => Promise<(Answer | Promise<Answer>)[]>
  private readonly limits: { most: number; atOnce: number }
  private waiting: Waiting<Item, Answer>[] = []
  private underWay = 0

  constructor(
    send: (items: Item[]) => Promise<(Answer | Promise<Answer>)[]>,
    limits: { most: number; atOnce: number },
  ) {
    this.send = send
    this.limits = limits
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject })
      // Waits for items that other turns add in the same tick.
      queueMicrotask(() => this.flush())
    })
  }

  private flush(): void {
    while (this.waiting.length > 0 && this.underWay < this.limits.atOnce) {
      const group = this.waiting.splice(0, this.limits.most)
      this.underWay++
      void this.sendGroup(group).finally(() => {
        this.underWay--
        this.flush()
      })
    }
  }

  private async sendGroup(group: Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.send(group.map(({ item }) => item))
      for (const [nth, { resolve }] of group.entries()) resolve(answers[nth] as Answer)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
}
