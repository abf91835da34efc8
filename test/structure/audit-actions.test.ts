import { expect, test } from "vitest"
import { AUDIT_WORDS } from "../../dashboard/src/api/action-words.ts"
import { procedures, read, source } from "./source.ts"

/** Names of actions where they are recorded: in procedures, and as an argument `action` in TypeScript. */
function notedActions(): string[] {
  const inSql = procedures.flatMap(({ text }) => [
    ...text.matchAll(/note_(?:change|own_change|act)\([^;]*?'([a-z_]+\.[a-z_]+)'/g),
  ])
  const inTypeScript = source.flatMap((path) => [...read(path).matchAll(/\baction: "([a-z_]+\.[a-z_]+)"/g)])
  const ofCommands = [...read("src/ops/admin.ts").matchAll(/"(cli\.[a-z_]+)"/g)]
  return [...inSql, ...inTypeScript, ...ofCommands].map(([, action]) => action as string)
}

test("Every action that is audited has words, which the filter of the audit page offers", () => {
  const noted = new Set(notedActions())
  expect(noted.size).toBeGreaterThan(30)
  expect([...noted].filter((action) => !(action in AUDIT_WORDS))).toEqual([])
})
