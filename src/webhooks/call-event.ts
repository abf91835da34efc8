import * as z from "zod"

/** An event of a decision: the data as its procedure wrote it into the turn's log (src/waits/calls.sql). */
interface Decided {
  turn_id: string | null
  data: Record<string, unknown>
}

const callDecidedSchema = z.object({
  turn_id: z.string().nullable(),
  call: z.string().meta({ description: "The name of the call, as in `waiting.calls`." }),
  tool: z.string(),
  decision: z.enum(["allow", "deny"]),
  edited: z.boolean().meta({ description: "True if the input was changed." }),
  by: z
    .object({
      kind: z.enum(["key", "user", "end_user"]),
      user_id: z.int().nullable(),
      key_id: z.string().nullable(),
      end_user_ref: z.string().nullable(),
    })
    .meta({ description: "One of the three is set, by `kind`." }),
})

function serializeCallDecided({ turn_id, data }: Decided) {
  const { step, call, name, decision, edited, by } = data
  const who = { user_id: null, key_id: null, end_user_ref: null, ...(by as object) }
  return { turn_id, call: `${step}.${call}`, tool: name, decision, edited, by: who }
}

export const CALL_DECIDED = {
  label: "A decision about a call was made",
  when: "A person, a key or your end user has allowed or denied a call that waited for a decision.",
  seq: 6,
  data: callDecidedSchema,
  serialize: serializeCallDecided,
  example: () => ({
    turn_id: "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
    call: "0.0",
    tool: "refund",
    decision: "allow",
    edited: false,
    by: { kind: "end_user", user_id: null, key_id: null, end_user_ref: "customer-42" },
  }),
}
