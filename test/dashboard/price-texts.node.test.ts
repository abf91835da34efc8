import { expect, test } from "vitest"
import type { ModelCatalogRow } from "../../dashboard/src/api/operations.ts"
import { MODEL_PRICES } from "../../dashboard/src/api/prices.ts"
import {
  type Kind,
  pricesAreWhole,
  pricesOf,
  requestOf,
  rowPricesOf,
  textsOf,
} from "../../dashboard/src/catalog/catalog-price-texts.ts"
import { catalogRowSchema } from "../../src/catalog/admin-models.ts"
import { COMPONENT_NAMES } from "../../src/catalog/price-components.ts"
import { modelPricesSchema } from "../../src/catalog/source-schemas.ts"

/** A different price for each component. */
const textOf = (kind: Kind) => Object.fromEntries(pricesOf(kind).map(({ name }, at) => [name, String(at + 1.5)]))

test("The forms of the web app have every declared price", () => {
  expect(MODEL_PRICES).toHaveLength(COMPONENT_NAMES.length)
})

test.each(["chat", "image"] as const)(
  "A form of the kind %s sets each price that a row of the catalog shows",
  (kind) => {
    const text = textOf(kind)
    const row = { kind, ...rowPricesOf(text, kind) } as ModelCatalogRow
    expect(textsOf(row)).toEqual(text)
    const request = requestOf(text, kind)
    const terms = kind === "image" ? {} : { tiers: [], modifiers: {} }
    expect(modelPricesSchema.parse({ ...request, ...terms }), "the request is valid, and no field is unknown").toEqual({
      ...request,
      ...terms,
    })
    const fields = Object.keys(rowPricesOf(text, kind))
    expect(Object.keys(catalogRowSchema.shape)).toEqual(expect.arrayContaining(fields))
  },
)

test("A form without an optional price sends null, and one without a required price is not sent", () => {
  const { input, cached, output } = textOf("chat")
  expect(pricesAreWhole({ input, cached, output }, "chat")).toBe(true)
  expect(requestOf({ input, cached, output }, "chat")).toMatchObject({ input: 1.5, cache_write: null })
  expect(pricesAreWhole({ input, cached }, "chat")).toBe(false)
  expect(pricesAreWhole({ input: "x", cached, output }, "chat")).toBe(false)
  expect(pricesAreWhole({}, "image")).toBe(false)
})
