const REFUND_INPUT = {
  type: "object",
  properties: { order: { type: "string" }, amount: { type: "number" } },
  required: ["order", "amount"],
  additionalProperties: false,
}

/** A tool whose calls above 50 USD wait for a decision. */
export const refundTool = (overrides: object = {}) => ({
  name: "refund",
  description: "Refunds an amount.",
  input_schema: REFUND_INPUT,
  request: { method: "POST", url: "https://api.customer.com/refunds" },
  approval: { when: { properties: { amount: { exclusiveMinimum: 50 } }, required: ["amount"] } },
  ...overrides,
})

/** A text whose turn calls that tool. */
export const refundText = (amount: number) => `[call refund {"order":"A-1","amount":${amount}}]`

/** Reads a turn until it waits. Throws if it ends before. */
export async function readUntilItWaits(read: () => Promise<Record<string, unknown>>): Promise<Record<string, unknown>> {
  for (;;) {
    const turn = await read()
    if (turn.waiting !== null) return turn
    if (turn.finished_at !== null) throw new Error(`The turn ended before it waited: ${JSON.stringify(turn)}`)
  }
}
