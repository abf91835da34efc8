import type { Context as HonoContext } from "hono"
import type { AppEnv } from "../http/app-env.ts"
import { wakeRaised } from "../waits/sweep-waits.ts"

/** Returns the answer of a verb that may book credit or raise a limit. Turns that wait for it continue at once. */
export function raised<Answer>(c: HonoContext<AppEnv>, answer: Answer): Answer {
  c.get("ctx").background(wakeRaised(c.get("ctx")))
  return answer
}
