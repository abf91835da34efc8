import { expect, test } from "vitest"
import type { Statement, UsageReport } from "../../dashboard/src/api/operations.ts"
import { PARTS, partOf } from "../../dashboard/src/usage/statement-parts.ts"
import { isShowable, type PrintedStatement, pdfOf } from "../../dashboard/src/usage/statement-pdf.ts"

const DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

const document = {
  document: "statement",
  version: 1,
  month: "2026-10",
  from: "2026-10-01T00:00:00.000Z",
  to: "2026-11-01T00:00:00.000Z",
  currency: "USD",
  receipts: { count: 1042, amount_usd: "1234.5000003", digest: DIGEST },
  days: [{ day: "2026-10-07", receipts: 1042, amount_usd: "1234.5000003", digest: DIGEST }],
  refunds: { count: 1, amount_usd: "0.1000000", digest: DIGEST },
  other_charges: { count: 2, amount_usd: "0.0000001" },
  total_usd: "1234.4000004",
} satisfies Statement

const groups = (...billed: number[]) =>
  ({ data: billed.map((billed_usd, at) => ({ group: `group-${at}`, turns: 1, billed_usd })) }) as UsageReport

const [byModel] = PARTS

function printed(details: Partial<PrintedStatement["details"]> = {}): PrintedStatement {
  return {
    document,
    digest: DIGEST,
    details: {
      company: "Example GmbH",
      address: "Friedrichstraße 1\nBerlin",
      tax_number: "DE1",
      updated_at: null,
      ...details,
    },
    account: "Ada (7)",
    parts: [partOf(byModel, groups(1000.0000001, 234.4), document)].filter((part) => part !== null),
  }
}

/** The texts of a file's content, in order. */
function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content]
  if (Array.isArray(content)) return content.flatMap(textsOf)
  if (typeof content !== "object" || content === null) return []
  const { text, stack, columns, table } = content as Record<string, unknown> & { table?: { body: unknown } }
  return [text, stack, columns, table?.body].flatMap(textsOf)
}

test("The rest of the receipts that is in no group is exact, although the amounts are binary numbers", () => {
  expect(
    partOf(byModel, groups(0.1, 0.2), { receipts: { ...document.receipts, amount_usd: "0.3000000" } }),
  ).toMatchObject({
    restUsd: 0,
  })
  expect(partOf(byModel, groups(1000.0000001, 234.4), document)?.restUsd).toBe(0.1000002)
  expect(partOf(byModel, undefined, document)).toBeNull()
})

test("The file of a statement has the company, the exact sums and the digest", () => {
  const texts = textsOf(pdfOf(printed()).content)
  for (const text of ["Statement for October 2026", "Example GmbH", "Friedrichstraße 1", "Tax number: DE1", "Ada (7)"])
    expect(texts).toContain(text)
  const sums = texts.slice(texts.indexOf("Summary"))
  expect(sums.slice(4, 16)).toEqual([
    ...["Turns", "1,042", "1,234.5000003"],
    ...["Containers and storage", "2", "0.0000001"],
    ...["Refunds", "1", "-0.10"],
    ...["Total", "", "1,234.4000004"],
  ])
  const models = texts.slice(texts.indexOf("By model"), texts.indexOf("By day (UTC)"))
  expect(models.slice(-6)).toEqual([byModel.rest, "", "0.1000002", "Total", "", "1,234.5000003"])
  expect(texts.at(-2)).toContain(DIGEST)
})

test("An account without billing details is named by its own name", () => {
  const texts = textsOf(pdfOf(printed({ company: "", address: "", tax_number: "" })).content)
  expect(texts.filter((text) => text === "Ada (7)")).toHaveLength(2)
  expect(texts.join()).not.toContain("Tax number")
})

test("A file is made only if its font has all letters", () => {
  for (const company of ["Example GmbH", "Łódź Sp. z o.o.", "Пример ООО", "Παράδειγμα ΑΕ", "Công ty"])
    expect(isShowable(printed({ company })), company).toBe(true)
  for (const company of ["株式会社例", "مثال", "예시", "👋 Ltd"])
    expect(isShowable(printed({ company })), company).toBe(false)
})
