export interface Due {
  notBefore: number
  sequence: number
  /** Position in the heap, -1 outside of it; kept so that a cancelled item leaves at once, with its body. */
  heapIndex: number
}

/** A binary heap by time, then by order of arrival, with removal from the middle. */
export class DueHeap<T extends Due> {
  private readonly items: T[] = []

  peek(): T | undefined {
    return this.items[0]
  }

  values(): T[] {
    return [...this.items]
  }

  push(item: T): void {
    item.heapIndex = this.items.length
    this.items.push(item)
    this.rise(item.heapIndex)
  }

  remove(item: T): void {
    const index = item.heapIndex
    if (index < 0) return
    item.heapIndex = -1
    const last = this.items.pop()
    if (last === undefined || last === item) return
    this.place(last, index)
    this.rise(index)
    this.sink(last.heapIndex)
  }

  private place(item: T, index: number): void {
    this.items[index] = item
    item.heapIndex = index
  }

  private rise(from: number): void {
    let index = from
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.swapIfEarlier(index, parent)) return
      index = parent
    }
  }

  private sink(from: number): void {
    let index = from
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2]
      const child = right < this.items.length && this.isEarlier(right, left) ? right : left
      if (child >= this.items.length || !this.swapIfEarlier(child, index)) return
      index = child
    }
  }

  private isEarlier(a: number, b: number): boolean {
    const [x, y] = [this.items[a] as T, this.items[b] as T]
    return x.notBefore === y.notBefore ? x.sequence < y.sequence : x.notBefore < y.notBefore
  }

  private swapIfEarlier(lower: number, upper: number): boolean {
    if (!this.isEarlier(lower, upper)) return false
    const [x, y] = [this.items[lower] as T, this.items[upper] as T]
    this.place(x, upper)
    this.place(y, lower)
    return true
  }
}
