import type { Context } from "../../src/actor/context.ts"
import { databaseOver } from "../../src/platform/db.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { type Claim, claimTurns } from "../../src/runs/claim-turns.ts"
import type { AgentContext } from "../../src/runs/run.ts"
import { type RunResult, runTurn } from "../../src/runs/run-turn.ts"
import type { QueueAttempt } from "../../src/runs/runner.ts"

/** Claims exactly one turn and registers no runner. One database can have this function for two releases. */
const NAME = `claim_one_${RELEASE}`
const CLAIM_ONE = `create or replace function ${NAME}(p_turn_id text, p_look ${RELEASE}.look, p_terms ${RELEASE}.claim_terms)
  returns ${RELEASE}.found_turns language plpgsql as $$
  begin
    return ${RELEASE}.claim_found(row('waiting', '{}', false, null, 0, 0, '{}', false, 0, false)::${RELEASE}.found_turns, (
      select t.turn_id from turns t
      join open_turns o on o.user_id = t.user_id and o.test = t.test and o.turn_id collate "C" = t.turn_id
      where t.turn_id = p_turn_id and t.attempts < p_terms.max_attempts and case o.state
        when 'queued' then o.wake_at < 'infinity'
        else o.wake_at <= p_terms.moment or t.claim_message = p_terms.runner_id and t.claim_try < p_terms.try end), p_look, p_terms);
  end $$`

/** Claims this turn as a runner would that looks for nothing else. Null if the turn is not ready. */
export async function claimTurn(ctx: Context, turnId: string, delivery?: QueueAttempt): Promise<Claim | null> {
  await ctx.db.run({ sql: CLAIM_ONE, parameters: [] })
  const db = databaseOver(({ sql, parameters }) => {
    const one = sql.replace(`${RELEASE}.claim_turns(`, `${NAME}('${turnId}', `)
    return ctx.db.run({ sql: one, parameters })
  })
  const { claims } = await claimTurns(
    { ...ctx, db },
    {
      runner: {
        id: delivery?.message ?? "msg_of_test",
        attempt: delivery?.retried ?? 0,
        takesOver: delivery !== undefined && delivery.retried > 0,
      },
      places: 1,
      isLast: false,
      held: [],
      stays: false,
      retires: false,
      after: { live: null, test: null },
    },
  )
  return claims[0] ?? null
}

/** Claims this turn and runs it, as a runner without other turns would. */
export async function advanceTurn(ctx: AgentContext, turnId: string): Promise<RunResult | "nothing_to_do"> {
  const claim = await claimTurn(ctx, turnId)
  return claim ? runTurn(ctx, claim) : "nothing_to_do"
}
