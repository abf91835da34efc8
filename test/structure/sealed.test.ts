import { expect, test } from "vitest"
import { accessOf } from "../../src/ops/grants.ts"
import { SEALED_COLUMNS } from "../../src/ops/reseal.ts"

test("The command `npm run admin -- reseal` knows every table in which a worker seals a value", () => {
  const sealed = accessOf("all").purposes.flatMap((purpose) => /^seal-(\w+)$/.exec(purpose)?.[1] ?? [])
  // Redis keeps sealed values for minutes or an hour. Watch tokens, pushed text and internal calls are not stored at all.
  const elsewhere = ["internal_calls", "portal_sessions", "pushed_text", "redis", "watch_tokens"]
  expect([...new Set(SEALED_COLUMNS.map(({ table, sealedFor = table }) => sealedFor)), ...elsewhere].sort()).toEqual(
    [...sealed].sort(),
  )
})
