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
import {
  NO_TEXTS,
  pricesFrom,
  rowPricesFrom,
  type Source,
  sourceOf,
  textsAreWhole,
  textsOfMarkup,
} from "../../dashboard/src/catalog/catalog-sources.ts"
import { requestOfTerms, termsAreWhole, termsTextOf } from "../../dashboard/src/catalog/catalog-term-texts.ts"
import { catalogRowSchema, modelCatalogAddSchema } from "../../src/catalog/admin-models.ts"
import { COMPONENT_NAMES } from "../../src/catalog/price-components.ts"
import { modelPricesSchema, versionOfRequest, versionOfRow } from "../../src/catalog/source-schemas.ts"

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

test.each(["chat", "image"] as const)(
  "A form of the kind %s sets the provider's prices and ours in three ways",
  (kind) => {
    const [text, listed] = [textOf(kind), textOf(kind)]
    const terms = termsTextOf({ price_tiers: [], price_modifiers: {} })
    const markup = { percent: "12.5", usd: kind === "image" ? "0" : "0.1" }
    const texts = { text, listed, terms, listedTerms: terms, markup }
    const parsed = (source: Source) => modelPricesSchema.parse(pricesFrom(kind, { source, ...texts }))
    const theirs = { ...requestOf(listed, kind), ...(kind === "chat" && { tiers: [], modifiers: {} }) }
    expect(parsed("same")).toEqual(theirs)
    expect(parsed("own")).toEqual({ ...theirs, provider: theirs })
    expect(parsed("markup")).toEqual({
      provider: theirs,
      markup: { percent: 12.5, usd_per_million_tokens: Number(markup.usd) },
    })

    // The fields of a new model make the same prices.
    for (const source of ["same", "own", "markup"] as const) {
      const model = { engine: "openai", model: "m", label: "M", kind, ...rowPricesFrom(kind, { source, ...texts }) }
      expect(versionOfRow(modelCatalogAddSchema.parse(model)), source).toEqual(versionOfRequest(parsed(source)))
    }
    expect(textsAreWhole({ source: "markup", ...texts, text: {} }, kind), "our list is not sent").toBe(true)
    expect(textsAreWhole({ source: "markup", ...texts, listed: {} }, kind)).toBe(false)
    expect(textsAreWhole({ source: "own", ...texts, listed: {} }, kind)).toBe(false)
    expect(textsAreWhole({ source: "markup", ...texts, markup: { percent: "", usd: "0" } }, kind)).toBe(false)
    expect(textsAreWhole(NO_TEXTS, kind)).toBe(false)
  },
)

test("A form begins with the prices that a row has", () => {
  const row = { provider_prices: null, markup: null } as ModelCatalogRow
  expect(sourceOf(row)).toBe("same")
  expect(sourceOf({ ...row, provider_prices: {} } as ModelCatalogRow)).toBe("own")
  const markup = { percent: 7.5, usd_per_million_tokens: 0.25 }
  const marked = { ...row, provider_prices: {}, markup } as ModelCatalogRow
  expect([sourceOf(marked), textsOfMarkup(marked)]).toEqual(["markup", { percent: "7.5", usd: "0.25" }])
})

test("A form of tiers and factors sends each that a row shows, and not one that is unfinished or named twice", () => {
  const row = {
    price_tiers: [{ above_input_tokens: 272_000, input: 5, cached: 0.5, output: 22.5, cache_write: null }],
    price_modifiers: { flex: 0.5, priority: 2 },
  } as unknown as ModelCatalogRow
  const text = termsTextOf(row)
  expect(text.tiers).toMatchObject([{ above: "272000", prices: { input: "5", output: "22.5", cache_write: "" } }])
  const request = requestOfTerms(text)
  expect(request).toMatchObject({ tiers: row.price_tiers, modifiers: row.price_modifiers })
  const { input, cached, output } = textOf("chat")
  expect(() => modelPricesSchema.parse({ ...requestOf({ input, cached, output }, "chat"), ...request })).not.toThrow()
  expect(termsAreWhole(text)).toBe(true)
  expect(termsAreWhole({ ...text, tiers: [{ above: "", prices: { input, cached, output } }] })).toBe(false)
  expect(termsAreWhole({ ...text, tiers: [{ above: "1", prices: { input, cached } }] })).toBe(false)
  const twice = [...text.factors, { tier: "flex", factor: "1" }]
  expect(termsAreWhole({ ...text, factors: twice })).toBe(false)
  expect(termsAreWhole({ tiers: [], factors: [] })).toBe(true)
})
