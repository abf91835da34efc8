import { expect, test } from "vitest"
import { OPERATIONS } from "../../dashboard/src/api/operations.ts"
import { filesBelow, read } from "./source.ts"

/** The pages, without the frame, whose palette names the same operations. */
const texts = filesBelow("dashboard/src")
  .filter((path) => !/^dashboard\/src\/(api|app)\//.test(path))
  .map(read)

const found = (pattern: RegExp) =>
  new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1] as keyof typeof OPERATIONS)))

/** The operations that the pages call or link to, and the ones that a control or a page names. */
const called = found(/\b(?:useChange|send|call|addressOf)\(\s*"(\w+)"/g)
const named = found(/\b(?:does|edit|delete|rotate|revoke)(?:=|: )"(\w+)"/g)

const isForSome = (id: keyof typeof OPERATIONS) => !["read", undefined].includes(OPERATIONS[id].needs)

test("Every operation that some roles may not call is named by the control that leads to it", () => {
  const wanted = [...called].filter(isForSome)
  expect(wanted.length).toBeGreaterThan(40)
  // The estimate is on the page of the playground, which createChatTurn names.
  const ofPages = ["estimateChatTurn"]
  expect(wanted.filter((id) => !named.has(id) && !ofPages.includes(id))).toEqual([])
})
