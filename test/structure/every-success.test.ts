import { expect, test } from "vitest"
import { isSuccess } from "../harness/declared.ts"
import { successGaps } from "../harness/every-success.ts"

test("A run names the documented operations without a success, and the exceptions that are not needed", () => {
  const documented = ["v1 getMe", "v1 getTurn", "dashboard getTurn"]
  const reason = "It needs a server."
  expect(successGaps(documented, new Set(documented), {})).toEqual([])
  expect(successGaps(documented, new Set(["v1 getMe", "v1 getTurn"]), { "dashboard getTurn": reason })).toEqual([])
  expect(successGaps(documented, new Set(["v1 getTurn"]), { "v1 getTurn": reason, "v1 gone": reason })).toEqual([
    "No test of the project workers has a success of these documented operations: v1 getMe, dashboard getTurn.",
    "Remove these operations from CANNOT_SUCCEED, since they succeed or do not exist: v1 getTurn, v1 gone.",
  ])
})

test("A success is a 2xx or a redirect with its whole answer", () => {
  const answers: [string, number][] = [
    ["POST", 201],
    ["GET", 302],
    ["GET", 304],
    ["HEAD", 200],
    ["GET", 400],
    ["GET", 503],
  ]
  expect(answers.map(([method, status]) => isSuccess(method, status))).toEqual([true, true, false, false, false, false])
})
