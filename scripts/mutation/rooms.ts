import { globSync } from "node:fs"

/** The sources and tests of each room. */
export const ROOMS: Record<string, { sources: string[]; tests: string[] }> = {
  billing: {
    sources: ["src/billing"],
    tests: [
      "test/billing/*",
      "test/v1/usage*",
      "test/turns/{cache-prices,paid,paid-model}*",
      "test/quotas/balance-events*",
      "test/admin/*",
      "test/v1/tenant-walls*",
    ],
  },
  quotas: {
    sources: ["src/quotas"],
    tests: ["test/quotas/*", "test/account/{answers,keys,chat}*", "test/v1/end-users*"],
  },
  turns: {
    sources: ["src/turns", "src/runs"],
    tests: [
      "test/turns/*",
      "test/v1/{turns,outcomes,tenant-walls}*",
      "test/quotas/first-call*",
      "test/account/{answers,chat}*",
    ],
  },
  webhooks: {
    sources: ["src/webhooks"],
    tests: [
      "test/webhooks/*",
      "test/v1/{idempotency-webhooks,tenant-walls}*",
      "test/account/answers*",
      "test/quotas/{balance-events,event-crash}*",
    ],
  },
  identity: {
    sources: ["src/actor", "src/keys", "src/sign-in", "src/users"],
    tests: ["test/auth/*", "test/account/*", "test/admin/*", "test/v1/{idempotency,tenant-walls}*"],
  },
}

/** The room of a source file. The folders of identity are one room. */
export function roomOf(source: string): string {
  const [room] =
    Object.entries(ROOMS).find(([, { sources }]) => sources.some((dir) => `${source}/`.startsWith(`${dir}/`))) ?? []
  if (!room) throw new Error(`No room has ${source}. Add its room and tests to scripts/mutation/rooms.ts.`)
  return room
}

/** The test files of a room. System tests are left out: they start servers with their own, unchanged procedures. */
export function testsOf(room: string): string[] {
  const files = ROOMS[room]?.tests.flatMap((pattern) => globSync(`${pattern}.test.ts`)) ?? []
  return [...new Set(files)].filter((file) => !file.endsWith(".system.test.ts")).sort()
}
