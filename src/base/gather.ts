interface Waiting<Item, Answer> {
  item: Item
  resolve(answer: Answer | Promise<Answer>): void
  reject(error: unknown): void
}

/**
 * Sends items together that come while what was sent before is under way: one alone is sent at once, and the busier it is, the larger the
 * groups. `send` answers in the order of its items, each by itself if need be; when it throws, each item of its group gets that error.
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
      // What other turns add in this same moment goes along.
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
