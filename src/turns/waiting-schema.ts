import * as z from "zod"

const instant = z.iso.datetime()

const WAIT_REASONS = ["limit", "approval", "result"] as const
export const waitReasonSchema = z.enum(WAIT_REASONS)

export const waitingSchema = z
  .object({
    for: waitReasonSchema.meta({ description: "A limit, a decision about a call, or the result of a call." }),
    since: instant,
    expires_at: instant.meta({ description: "Then the turn fails with `WAIT_EXPIRED` and keeps its partial result." }),
    limit: z
      .object({
        kind: z.string().meta({
          description: "`max_cost`, `balance`, `end_user_credit` (the end user's wallet), or the name of a cap.",
          example: "max_cost",
        }),
        needed_usd: z.number().meta({
          description:
            "The amount that this limit must have left so that the turn continues, in USD. For `end_user_credit` it is what the " +
            "end user is charged, as all amounts of that wallet; for all other limits it is your cost.",
          example: 0.0017,
        }),
        limit_usd: z
          .number()
          .nullable()
          .meta({
            description:
              "The limit itself: the turn's `max_cost_usd`, or the cap. Null for `balance` and `end_user_credit`: compare " +
              "`needed_usd` with the `available_usd` of that wallet.",
            example: 0.0026,
          }),
        continue_at_usd: z
          .number()
          .nullable()
          .meta({
            description:
              "The least value of this limit with which the turn continues, unless another limit binds it then. Null for `balance` " +
              "and `end_user_credit`.",
            example: 0.0036,
          }),
        resets_at: instant.nullable().meta({ description: "When the cap resets. Null: it does not reset by itself." }),
      })
      .nullable()
      .meta({ description: "The limit that the turn waits for. Null: it waits for calls." }),
    calls: z
      .array(
        z.object({
          call: z.string().meta({ description: "Names the call in requests about it.", example: "0.0" }),
          tool: z.string().meta({ example: "refund" }),
          input: z
            .record(z.string(), z.unknown())
            .nullable()
            .meta({
              description: "Null in an event: read the turn.",
              example: { order: "A-1", amount: 80 },
            }),
          for: z.enum(["approval", "result"]).meta({ description: "A decision, or its result." }),
        }),
      )
      .meta({ description: "The calls that the turn waits for." }),
  })
  .meta({ id: "Waiting" })

export type Waiting = z.infer<typeof waitingSchema>
