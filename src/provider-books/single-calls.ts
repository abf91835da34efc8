import { askReport, type BookContext, type ReportAccess } from "./ask-report.ts"
import { type BookFinding, type Comparison, familyOf } from "./compare-day.ts"
import { BOOK_POLICY } from "./policies.ts"
import { endsOf, ReportError } from "./report-day.ts"

/**
 * Looks up the single calls of models whose amounts differ, if the provider lists them: those with the largest amounts
 * first. A call whose amount differs is a finding of its own, with its turn. A call that the provider does not know has
 * no amount there.
 */
export async function findSingleCalls(
  ctx: BookContext,
  access: ReportAccess,
  { provider_id, day, result }: { provider_id: string; day: string; result: Comparison },
): Promise<BookFinding[]> {
  const { single } = access.format
  const models = new Set(result.findings.filter(({ units }) => units.credit_micros).map(({ model }) => model))
  if (!single || models.size === 0) return []
  const calls = await listCalls(ctx, { provider_id, day, models })
  const findings: BookFinding[] = []
  for (let from = 0; from < calls.length; from += BOOK_POLICY.singleCallsAtOnce) {
    const some = calls.slice(from, from + BOOK_POLICY.singleCallsAtOnce)
    const amounts = await Promise.all(some.map(({ response_id }) => amountOf(ctx, access, single, response_id)))
    findings.push(...some.flatMap((call, at) => findingOf(call, amounts[at] ?? 0)))
  }
  return findings
}

interface OwnCall {
  model: string
  response_id: string
  turn_id: string
  micros: number
}

function findingOf({ model, response_id, turn_id, micros }: OwnCall, theirs: number): BookFinding[] {
  const credit_micros = theirs - micros
  if (Math.abs(credit_micros) <= BOOK_POLICY.callMicros) return []
  const kind = credit_micros > 0 ? "provider_more" : "provider_less"
  return [
    {
      kind,
      model,
      response_id,
      turn_id,
      units: { credit_micros: { theirs, ours: micros } },
      calls: null,
      credit_micros,
    },
  ]
}

async function amountOf(
  ctx: BookContext,
  access: ReportAccess,
  single: NonNullable<ReportAccess["format"]["single"]>,
  responseId: string,
): Promise<number> {
  try {
    return single.read(await askReport(ctx, access, single.path(responseId)))
  } catch (error) {
    if (error instanceof ReportError && error.code === "http_404") return 0
    throw error
  }
}

async function listCalls(
  { db }: BookContext,
  { provider_id, day, models }: { provider_id: string; day: string; models: ReadonlySet<string> },
): Promise<OwnCall[]> {
  const { starts, ends } = endsOf(day)
  const rows = await db
    .selectFrom("model_calls as c")
    .leftJoin("model_catalog as m", "m.pin", "c.model")
    .where("c.subscription_id", "=", provider_id)
    .where("c.created_at", ">=", starts)
    .where("c.created_at", "<", ends)
    .where("c.test", "=", false)
    .where("c.response_id", "is not", null)
    .select(["c.response_id", "c.turn_id"])
    .select((eb) => eb.fn.coalesce("m.model", "c.model").as("model"))
    .select((eb) => eb.fn.coalesce("c.provider_credit_micros", "c.cost_credit_micros").as("micros"))
    .orderBy("micros", "desc")
    .orderBy("c.turn_id")
    .orderBy("c.step")
    .limit(BOOK_POLICY.singleCalls)
    .execute()
  return rows.flatMap(({ response_id, model, ...call }) =>
    response_id !== null && models.has(familyOf(model)) ? [{ ...call, response_id, model: familyOf(model) }] : [],
  )
}
