import type { Context } from "../actor/context.ts"
import { type Fields, isFields } from "../base/fields.ts"
import { createOutbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { operatorsPolicy } from "../providers/login-settings.ts"
import { BOOK_POLICY } from "./policies.ts"
import { type ReportDay, ReportError } from "./report-day.ts"
import type { ReportFormat, ReportPath } from "./report-format.ts"

/** The part of a context that a comparison uses, so that the command line can compare, too. */
export type BookContext = Pick<Context, "db" | "clock" | "fetch" | "urlPolicy" | "keyRing" | "log">

/** The reports of one account: where they are, in which form, and the key to read them. */
export interface ReportAccess {
  format: ReportFormat
  baseUrl: string
  key: string
  scopeId: string | null
}

/** Reads all pages of the reports of a day. Throws ReportError. */
export async function askReports(ctx: BookContext, access: ReportAccess, day: string): Promise<ReportDay> {
  const { usage, costs } = access.format.reports(day, access.scopeId)
  const pages = { usage: await askPages(ctx, access, usage), costs: costs ? await askPages(ctx, access, costs) : [] }
  return access.format.read(pages, access.scopeId)
}

async function askPages(ctx: BookContext, access: ReportAccess, [path, query]: ReportPath): Promise<Fields[]> {
  const pages: Fields[] = []
  for (let next: string | null = null; ; ) {
    const page: Fields = await askReport(ctx, access, [path, next === null ? query : [...query, ["page", next]]])
    pages.push(page)
    next = page.has_more === true && typeof page.next_page === "string" ? page.next_page : null
    if (next === null) return pages
    if (pages.length === BOOK_POLICY.pages) throw new ReportError("too_many_pages")
  }
}

/** Sends one request. The provider's words may contain the key, so only our own code leaves this function. */
export async function askReport(ctx: BookContext, access: ReportAccess, [path, query]: ReportPath): Promise<Fields> {
  const { timeoutMs, answerBytes: maxBytes } = BOOK_POLICY
  const outbound = createOutbound({ fetch: ctx.fetch, clock: ctx.clock, policy: operatorsPolicy(ctx) })
  const url = `${access.baseUrl.replace(/\/+$/, "")}${path}?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`
  let text: string
  try {
    const headers = { accept: "application/json", ...access.format.headers(access.key) }
    const response = await outbound.send({ url, method: "GET", headers, timeoutMs, maxBytes })
    text = await response.text()
    if (response.status !== 200) throw new ReportError(`http_${response.status}`)
  } catch (error) {
    throw error instanceof OutboundError ? new ReportError(`network_${error.kind}`) : error
  }
  const answer = parsed(text)
  if (!isFields(answer)) throw new ReportError("unknown_form")
  return answer
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
