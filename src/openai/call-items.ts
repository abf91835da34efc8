import * as z from "zod"
import type { TurnRow } from "../turns/turn-row.ts"
import { callItemIdOf } from "./ids.ts"

export const callSchema = z
  .object({
    type: z.literal("function_call"),
    id: z.string().meta({ example: "fc_01jd3k9m2x4t8r5w6y7z0a1b2c_0" }),
    call_id: z.string().meta({ example: "call_01jd3k9m2x4t8r5w6y7z0a1b2c_0_0" }),
    name: z.string().meta({ example: "lookup_order" }),
    arguments: z.string().meta({ description: "The input as JSON.", example: '{"id":"A-1001"}' }),
    status: z.literal("completed"),
  })
  .meta({ id: "ResponseCall", description: "A call of one of your functions." })

export type ResponseCall = z.input<typeof callSchema>

/** The calls of the caller's functions with which a turn has ended. */
export const callItemsOf = ({ turn_id, calls }: TurnRow): ResponseCall[] =>
  (calls ?? []).map(({ id, name, input }, place) => ({
    type: "function_call",
    id: callItemIdOf(turn_id, place),
    call_id: id,
    name,
    arguments: JSON.stringify(input),
    status: "completed",
  }))
