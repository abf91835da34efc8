import { expect, test } from "vitest"
import { PATIENT_SWEEPS } from "../../src/sweeps.ts"
import { read } from "./source.ts"

test("Each sweep either says when its work is due, or is listed as one that may wait", () => {
  const [, list = ""] = /const SWEEPS = \{([^}]+)\}/.exec(read("src/sweeps.ts")) ?? []
  const sweeps = [...list.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name)
  const due = [...read("src/system/due-work.sql").matchAll(/\bselect '(\w+)'/g)].map(([, name]) => name)
  expect(due.length).toBeGreaterThan(10)
  expect([...due, ...PATIENT_SWEEPS].sort()).toEqual(sweeps.sort())
})
