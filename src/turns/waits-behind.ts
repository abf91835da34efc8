import { sql } from "kysely"

/** The earlier turn that waits, if a queued turn cannot start because of it. `t` is a row of `turns`. */
export const waitsBehind = sql<string | null>`(select b.turn_id from open_turns b
  where b.conversation_id = t.conversation_id and b.wake_at < 'infinity' and b.state = 'waiting' and t.state = 'queued')`

/** When a turn that is blocked by an earlier one is cancelled. `t` is a row of `turns`. */
export const waitsBehindUntil = sql<Date | null>`(select o.expires_at from open_turns o
  where o.user_id = t.user_id and o.test = t.test and o.turn_id collate "C" = t.turn_id and o.state = 'blocked'
    and t.state = 'queued')`
