import * as z from "zod"
import { toInstant } from "../base/time.ts"

export const sessionSchema = z
  .object({
    session_id: z.string(),
    current: z.boolean().meta({ description: "Whether it is the one that asks.", example: true }),
    user_agent: z.string().nullable().meta({ example: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" }),
    address: z.string().nullable().meta({ description: "Where it was started.", example: "203.0.113.9" }),
    created_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().meta({ description: "Exact to an hour." }),
    expires_at: z.iso.datetime().meta({ description: "Each use puts it off, to 30 days from then." }),
  })
  .meta({ id: "Session" })

export type SessionRow = z.infer<typeof sessionSchema>

export function serializeSession(row: SessionRow): SessionRow {
  return {
    session_id: row.session_id,
    current: row.current,
    user_agent: row.user_agent,
    address: row.address,
    created_at: toInstant(row.created_at),
    last_seen_at: toInstant(row.last_seen_at),
    expires_at: toInstant(row.expires_at),
  }
}
