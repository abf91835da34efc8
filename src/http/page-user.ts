import type { Context as HonoContext } from "hono"
import type { PageUser } from "../actor/actor.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { AppEnv } from "./app-env.ts"

/** The header in which a page says for whom it was made: `42`, or `42/57` with the account that it shows. */
export const PAGE_USER_HEADER = "X-Turnpike-User"
/** The same in the query of a GET, for links and event streams, which send no headers of ours. */
export const PAGE_USER_PARAM = "page_user"

const FORM = /^([1-9]\d{0,15})(?:\/([1-9]\d{0,15}))?$/

/**
 * The user for whom the page of a request was made; undefined if the request does not say it. Throws
 * VALIDATION_FAILED for any other form, because an ignored one would lift the check.
 */
export function pageUserOf(c: HonoContext<AppEnv>): PageUser | undefined {
  const text = c.req.header(PAGE_USER_HEADER) ?? (c.req.method === "GET" ? c.req.query(PAGE_USER_PARAM) : undefined)
  if (text === undefined) return undefined
  const [, user, account] = FORM.exec(text) ?? []
  if (user === undefined) {
    const message = `${PAGE_USER_HEADER}: must be a user id, or \`<user id>/<user id of the account>\``
    throw new TurnpikeError("VALIDATION_FAILED", message)
  }
  return { user: Number(user), account: account === undefined ? null : Number(account) }
}
