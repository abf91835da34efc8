import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { ProviderDetails } from "../agent/provider-said.ts"
import { storedRow, storedRows } from "../base/casts.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { entriesOfTurn } from "../billing/entries-of-turn.ts"
import { adminLedgerEntrySchema, type LedgerRow, serializeAdminLedgerEntry } from "../billing/ledger-entry.ts"
import { traceColumns } from "./get-trace.ts"
import { turnNotFound } from "./get-turn.ts"
import { type ListedStep, STEP_COLUMNS, serializeStep, turnStepSchema } from "./list-steps.ts"
import { EXPLORER_POLICY } from "./policies.ts"
import { turnSchema } from "./schemas.ts"
import { costsOfTurn, serializeTurnCosts, turnCostsSchema } from "./turn-costs.ts"
import { serializeTurn, type TurnRow } from "./turn-row.ts"
import { serializeTrace, type TraceRow, turnTraceSchema } from "./turn-trace.ts"

export const adminTurnSchema = z
  .object({
    account: z.object({
      user_id: z.int().meta({ example: 42 }),
      name: z.string().nullable().meta({ example: "Ada" }),
      email: z.string().nullable().meta({ example: "ada@example.com" }),
    }),
    texts: z.enum(["shown", "hidden"]).meta({
      description:
        "`hidden`: the setting `turn_texts_for_operators` asks for a reason, and none was stated. Then texts, results, messages and " +
        "metadata are empty, and `steps` has none.",
      example: "shown",
    }),
    turn: turnSchema,
    trace: turnTraceSchema,
    steps: z
      .array(turnStepSchema)
      .meta({ description: `The turn's model calls in order, at most ${EXPLORER_POLICY.adminSteps}.` }),
    provider_messages: z
      .array(
        z.object({
          at: z.iso.datetime(),
          code: z.string().meta({ example: "rejected" }),
          status: z.int().nullable().meta({ example: 400 }),
          message: z.string().meta({ description: "The provider's whole message, without keys." }),
        }),
      )
      .meta({
        description: "The messages of providers about the failed model calls of the turn. Hidden as texts are.",
      }),
    costs: turnCostsSchema,
    ledger: z.array(adminLedgerEntrySchema).meta({
      description:
        "The turn's entries in the account's ledger, newest first: its refund, and its charge once it is posted.",
    }),
    wallet_charge_usd: z.number().meta({
      description:
        "The charge that the end user's prepaid wallet paid, and that a refund returns to it. 0 without a wallet.",
      example: 0,
    }),
  })
  .meta({ id: "AdminTurn" })

interface ProviderMessage {
  code: string
  said: string
  details: ProviderDetails | null
  created_at: string
}

/**
 * A turn of any account, for admins. The audit log records each look, with its reason, before anything is read.
 * Throws NOT_FOUND.
 */
export async function readAnyTurn(
  ctx: Context,
  credential: SessionCredential,
  { turnId, reason }: { turnId: string; reason: string | null },
): Promise<z.infer<typeof adminTurnSchema>> {
  const { row: look } = await callAs(ctx, credential, "note_turn_read", { turn_id: turnId, reason })
  if (!look.known) throw turnNotFound(turnId)
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("turns as t")
        .innerJoin("spaces as s", "s.space_id", "t.space_id")
        .innerJoin("users as u", "u.user_id", "t.user_id")
        .innerJoin("caller", (join) => join.onTrue())
        .where("t.turn_id", "=", turnId)
        .selectAll("t")
        .select(["s.slug as space", "s.title as space_title", "u.name as account_name", "u.email as account_email"])
        .select((turn) => traceColumns(turn))
        .select((turn) =>
          jsonArrayFrom(
            turn
              .selectFrom("turn_steps as p")
              .whereRef("p.turn_id", "=", "t.turn_id")
              .select(STEP_COLUMNS)
              .orderBy("p.step")
              .limit(look.texts ? EXPLORER_POLICY.adminSteps : 0),
          ).as("steps"),
        )
        .select((turn) =>
          jsonArrayFrom(
            turn
              .selectFrom("infrastructure_errors as x")
              .whereRef("x.turn_id", "=", "t.turn_id")
              .where("x.said", "is not", null)
              .select(["x.code", "x.said", "x.details", "x.created_at"])
              .orderBy("x.created_at")
              .limit(look.texts ? EXPLORER_POLICY.traceAttempts : 0),
          ).as("messages"),
        )
        .select((turn) => [costsOfTurn(turn).as("calls_made"), entriesOfTurn(turn).as("entries")]),
    { role: "admin" },
  )
  const [row] = rows
  if (!row) throw turnNotFound(turnId)
  const trace = serializeTrace(storedRow<TraceRow>(row), ctx.clock.now())
  const shown = serializeTurn(storedRow<TurnRow>(row))
  const turn = look.texts
    ? shown
    : {
        ...shown,
        text: "",
        result: null,
        error: shown.error && { ...shown.error, message: "", details: null },
        metadata: {},
        outputs: [],
      }
  return {
    account: { user_id: row.user_id, name: row.account_name, email: row.account_email },
    texts: look.texts ? "shown" : "hidden",
    turn,
    trace: look.texts ? trace : { ...trace, spans: trace.spans.map((span) => ({ ...span, error: null })) },
    steps: storedRows<ListedStep>(row.steps).map(serializeStep),
    provider_messages: storedRows<ProviderMessage>(row.messages).map(({ code, said, details, created_at }) => {
      return { at: toInstant(created_at), code, status: details?.status ?? null, message: said }
    }),
    costs: serializeTurnCosts(row.calls_made),
    ledger: storedRows<LedgerRow>(row.entries).map(serializeAdminLedgerEntry),
    wallet_charge_usd: toUsd(row.end_user_hold_credit_micros === null ? 0 : (row.end_user_charge_credit_micros ?? 0)),
  }
}
