import * as z from "zod"

export const turnEventSchema = z
  .object({
    id: z.string().meta({ example: "evt_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    seq: z.int().meta({
      description:
        "The event's number in its turn: from 1, without gaps. In a stream, a piece of text that is not in the log yet has " +
        "the number of the last event before it.",
    }),
    type: z.string().meta({
      description:
        "`turn.queued`, `turn.running`, `turn.done`, `turn.failed`, `turn.cancelled`, `step.started`, `step.ended`, `tool.started`, " +
        "`tool.ended`, `tool.requested`, `text.delta`, `model.waiting`, `context.trimmed`, `context.summarised`, `request.adjusted`, `tools.missing`, " +
        "`turn.waiting`, `turn.resumed`, `call.decided`.",
      example: "turn.done",
    }),
    data: z.record(z.string(), z.unknown()).meta({
      description: "Depends on the type, such as `name` and `ok` for `tool.ended`.",
      example: { state: "done" },
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "TurnEvent" })
