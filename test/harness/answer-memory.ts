import { vi } from "vitest"
import { MEMORY, MemoryBudget } from "../../src/platform/memory.ts"

/** Refuses all memory for large answers of servers, containers and models. `mockRestore` ends this. */
export function lendNoAnswerMemory() {
  const real = MemoryBudget.prototype.open
  return vi.spyOn(MemoryBudget.prototype, "open").mockImplementation(function (this: MemoryBudget, ...asked) {
    const loan = real.apply(this, asked)
    return asked[0] === MEMORY.shares.answer ? { ...loan, grow: () => false } : loan
  })
}
