import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { idTime } from "../base/ids.ts"
import { toInstant } from "../base/time.ts"

const HIT_KINDS = [
  "turn",
  "conversation",
  "space",
  "end_user",
  "key",
  "webhook",
  "delivery",
  "event",
  "file",
  "user",
  "audit",
] as const

/** The most objects of one kind that a search by name finds. */
const MOST_OF_KIND = 5

export const searchHitSchema = z
  .object({
    kind: z.enum(HIT_KINDS).meta({
      description: "The kind of object. `user` and `audit` are only for operators.",
      example: "turn",
    }),
    id: z.string().meta({ description: "Its id; of an end user its `end_user_ref`.", example: "customer-42" }),
    title: z.string().meta({ description: "Its title or name; of a turn or delivery its state.", example: "Support" }),
    detail: z
      .string()
      .nullable()
      .meta({
        description:
          "Its parent, or the id by which it was found. Null: neither. For operators, the parent of an `end_user`, a `webhook` and an " +
          "`event` is the `user_id` of the account.",
        example: null,
      }),
    at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When it was created or last used. Null if that is not known." }),
  })
  .meta({ id: "SearchHit" })

type SearchHit = z.infer<typeof searchHitSchema>

/** Finds objects of the caller's account, or with `all` of every account, which only admins may do. */
export async function searchAll(
  ctx: Context,
  credential: SessionCredential,
  { q, all }: { q: string; all: boolean },
): Promise<SearchHit[]> {
  const { row } = await callAs(ctx, credential, "search_all", {
    all,
    q,
    id_at: idTime(q),
    limit: MOST_OF_KIND,
  })
  return (row.hits ?? []).map(({ kind, id, title, detail, at }) => ({
    kind: kind as SearchHit["kind"],
    id,
    title,
    detail,
    at: toInstant(at),
  }))
}
