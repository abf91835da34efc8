import { beforeAll, describe, expect, test } from "vitest"
import { documentOf, SURFACES } from "../../scripts/documents.ts"
import { createSearch } from "../../src/reference/search.ts"
import { siteFiles, sitePages } from "../../src/reference/site.ts"
import type { DescribedApi } from "../../src/reference/site-operations.ts"

/** Questions of people who integrate the service, and the address of the answer. */
const QUESTIONS: Record<string, string> = {
  "file size": "/docs/limits#size-of-a-file",
  "max file size": "/docs/limits#size-of-a-file",
  "limit of file size": "/docs/limits#size-of-a-file",
  "how large can an upload be": "/docs/limits#size-of-a-file",
  "402": "/docs/errors#INSUFFICIENT_CREDITS",
  "what does 402 mean": "/docs/errors#INSUFFICIENT_CREDITS",
  "insufficient credits": "/docs/errors#INSUFFICIENT_CREDITS",
  QUOTA_EXCEEDED: "/docs/errors#QUOTA_EXCEEDED",
  "413": "/docs/errors#PAYLOAD_TOO_LARGE",
  IDEMPOTENCY_KEY_REUSED: "/docs/errors#IDEMPOTENCY_KEY_REUSED",
  "verify webhook": "/docs/webhooks#verify-a-webhook",
  "verify a webhook": "/docs/webhooks#verify-a-webhook",
  "How do I verify a webhook?": "/docs/webhooks#verify-a-webhook",
  "webhook signature": "/docs/webhooks#verify-a-webhook",
  "signature verification": "/docs/webhooks#verify-a-webhook",
  "webhook retries": "/docs/webhooks#delivery-and-retries",
  "webhook events": "/docs/webhooks#event-types",
  "rate limit": "/docs/caps#rates",
  "max cost of a turn": "/docs/billing#the-most-that-a-turn-can-cost",
  "what is billed": "/docs/billing#what-is-billed",
  "how is a price made": "/docs/prices#how-a-price-is-made",
  "price of long prompts": "/docs/prices#how-a-price-is-made",
  "which usage fields are read": "/docs/prices#counts-of-a-providers-answer",
  "are failed turns charged": "/docs/billing#what-is-billed",
  "limit a customer": "/docs/caps#limit-a-customer",
  "stream a turn": "/docs/turns#follow-a-turn",
  "server-sent events": "/docs/turns#follow-a-turn",
  "why did my turn fail": "/docs/turns#why-a-turn-failed",
  TIMEOUT_REACHED: "/docs/turns#TIMEOUT_REACHED",
  "cancel a turn": "/docs/turns#cancel-a-turn",
  "test key": "/docs/authentication#test-keys",
  "scope of a key": "/docs/authentication#scopes",
  pagination: "/docs/lists",
  "when should I retry": "/docs/idempotency#when-to-retry",
  "retry after lost answer": "/docs/idempotency#when-to-retry",
  "first request": "/docs/start#the-first-turn",
  "mcp server": "/docs/tools#mcp-servers",
  "generate image": "/docs/files#pictures",
  "estimate cost": "/docs/caps#estimate-a-turn",
  refund: "/docs/billing#refunds",
  "refund a turn": "/docs/billing#refunds",
  "money back": "/docs/billing#refunds",
  "dispute a bill": "/docs/billing#refunds",
  "usage by customer": "/docs/billing#balance-and-usage",
  "list spaces": "/docs/operations/spaces#listSpaces",
  createSpace: "/docs/operations/spaces#createSpace",
  "erase a customer": "/docs/retention#erase-a-customer",
  "delete customer data": "/docs/retention#erase-a-customer",
  "delete a customer": "/docs/retention#erase-a-customer",
  "personal data": "/docs/retention#erase-a-customer",
  gdpr: "/docs/retention#erase-a-customer",
  eraseEndUser: "/docs/operations/end-users#eraseEndUser",
  "delete a file": "/docs/operations/files#deleteFile",
  "delete a webhook": "/docs/operations/webhooks#deleteWebhook",
  prices: "/docs/prices#how-a-price-is-made",
  "price per model": "/docs/prices#how-a-price-is-made",
  "price of a model": "/docs/prices#how-a-price-is-made",
  "which models": "/docs/operations/models#listModels",
  markup: "/docs/resale#set-a-price",
  streaming: "/docs/turns#follow-a-turn",
  "stream text": "/docs/turns#follow-a-turn",
  "stream tokens": "/docs/turns#follow-a-turn",
  websocket: "/docs/turns#follow-a-turn",
  idempotency: "/docs/idempotency",
  "double charge": "/docs/idempotency",
  "duplicate turn": "/docs/idempotency",
  "prepaid wallet": "/docs/resale#prepaid-wallets",
  "human approval": "/docs/waiting#ask-a-person-first",
  "structured output": "/docs/results#ask-for-a-form",
  "conversation history": "/docs/turns#conversations",
  "rotate key": "/docs/authentication#rotate-a-key",
  "local webhooks": "/docs/webhooks#try-webhooks-on-your-machine",
  "json body size": "/docs/limits#a-json-body",
  "limit of webhooks per account": "/docs/limits#webhooks-of-an-account",
}

let search: ReturnType<typeof createSearch>
let addresses: Set<string>

beforeAll(async () => {
  const { names } = await siteFiles()
  const document = documentOf("v1") as unknown as DescribedApi
  const { files, index } = sitePages(SURFACES.v1.api, document, names, SURFACES.dashboard.api)
  search = createSearch(index)
  addresses = new Set(
    [...files].flatMap(([path, html]) => {
      const page = path.replace(/\.html$/, "")
      return [page, ...[...String(html).matchAll(/ id="([^"]+)"/g)].map(([, id]) => `${page}#${id}`)]
    }),
  )
})

describe("The search of the docs", () => {
  test.each(Object.entries(QUESTIONS))("The question %j finds %s first", (question, answer) => {
    expect(search(question)[0]?.href).toBe(answer)
  })

  test("Every result leads to an anchor that exists", () => {
    const all = Object.keys(QUESTIONS).flatMap((question) => search(question).map(({ href }) => href))
    expect(all.filter((href) => !addresses.has(href))).toEqual([])
  })

  test("A misspelled word and an unfinished word find the same answer", () => {
    expect(search("verfy webhok")[0]?.href).toBe(QUESTIONS["verify webhook"])
    expect(search("verify webh")[0]?.href).toBe(QUESTIONS["verify webhook"])
  })

  test("A question without a match has no results", () => {
    expect(search("xylophone")).toEqual([])
    expect(search("")).toEqual([])
  })

  test("The first result contains the value of a limit, so that no click is needed", () => {
    expect(search("file size")[0]?.text).toContain("100 MiB")
  })
})
