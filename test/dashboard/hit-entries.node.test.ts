import { expect, test } from "vitest"
import type { SearchHit } from "../../dashboard/src/api/operations.ts"
import { entriesOfHits } from "../../dashboard/src/app/hit-entries.ts"

const hit = (kind: SearchHit["kind"], id: string, title: string, detail: string | null = null): SearchHit => ({
  ...{ kind, id, title, detail },
  at: null,
})

test("A user and the webhooks of this account are all found, although they lead to one page", () => {
  const all = [
    hit("user", "17", "Ada"),
    hit("webhook", "whk_1", "https://ada.example/a · Ada", "17"),
    hit("webhook", "whk_2", "https://ada.example/b · Ada", "17"),
    // It cannot be told from the one before.
    hit("webhook", "whk_3", "https://ada.example/b · Ada", "17"),
  ]
  const entries = entriesOfHits([], all, true)
  expect(entries.map(({ label }) => label)).toEqual(["Ada", ...all.slice(1, 3).map(({ title }) => title)])
  expect(new Set(entries.map(({ href }) => href))).toEqual(new Set(["/operator/users/17"]))
})

test("A turn of an operator's own account leads to both of its pages, first to that of the area", () => {
  const turn = hit("turn", "turn_1", "done")
  const hrefs = ["/turns/turn_1", "/operator/turns/turn_1"]
  expect(entriesOfHits([turn], [turn], false).map(({ href }) => href)).toEqual(hrefs)
  expect(entriesOfHits([turn], [turn], true).map(({ href }) => href)).toEqual(hrefs.toReversed())
})

test("End users of the same reference in two accounts are two rows", () => {
  const all = [hit("end_user", "acme", "acme · Ada", "17"), hit("end_user", "acme", "acme · Ben", "18")]
  expect(entriesOfHits([hit("end_user", "acme", "acme")], all, false)).toHaveLength(3)
})
