import { expect, test } from "vitest"
import { PATIENT_SWEEPS, SWEEPS } from "../../src/sweeps.ts"
import { read } from "./source.ts"

test("Each sweep either says when its work is due, or is listed as one that may wait", () => {
  const due = [...read("src/system/due-work.sql").matchAll(/\bselect '(\w+)'/g)].map(([, name]) => name)
  expect(due.length).toBeGreaterThan(10)
  expect([...due, ...PATIENT_SWEEPS].sort()).toEqual(Object.keys(SWEEPS).sort())
})
