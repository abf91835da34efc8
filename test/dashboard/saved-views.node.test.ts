import { expect, test } from "vitest"
import { viewOf, viewsIn, withView } from "../../dashboard/src/ui/saved-views.ts"

const FAILED = { title: "Failed", search: "range=7d&state=failed" }

test("A view keeps the filters and the order of a URL, and neither its page nor the kind of data", () => {
  const search = { state: "failed", range: "7d", model: undefined, offset: 50, cursor: "x", test: true, entry: 3 }
  expect(viewOf(search)).toBe(FAILED.search)
  expect(viewOf({ range: "7d", state: "failed" })).toBe(FAILED.search)
  expect(viewOf({ q: "a&b = c", min_cost_usd: 0.5 })).toBe("min_cost_usd=0.5&q=a%26b+%3D+c")
  expect(viewOf({})).toBe("")
})

test.each([null, "", "null", "{}", "7", '[null,7,{"title":"Failed"},{"search":""}]', "["])(
  "A kept text without views gives none: %s",
  (text) => expect(viewsIn(text)).toEqual([]),
)

test("A view of a title that exists replaces it at its place", () => {
  const slow = { title: "Slow", search: "min_seconds=60" }
  const views = withView(withView([], FAILED), slow)
  expect(viewsIn(JSON.stringify(views))).toEqual([FAILED, slow])
  const changed = { ...FAILED, search: "state=failed" }
  expect(withView(views, changed)).toEqual([changed, slow])
})

test("A removed view returns to its place in the list as it is then", () => {
  const [slow, costly] = [
    { title: "Slow", search: "min_seconds=60" },
    { title: "Costly", search: "sort=cost" },
  ]
  expect(withView([slow, costly], FAILED, 0)).toEqual([FAILED, slow, costly])
  expect(withView([], FAILED, 1)).toEqual([FAILED])
})
