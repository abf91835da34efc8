import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import type { ApiError } from "../api/api-error.ts"
import type { Input } from "../api/call.ts"
import type { Webhook } from "../api/operations.ts"
import { readAgain } from "../api/query.ts"
import { send } from "../api/send.ts"
import { DELIVERIES } from "../turns/delivery-table.tsx"
import { toast } from "../ui/toast.tsx"

/** Replays one page of events after another, until no cursor is left. `body` is read when the replay starts. */
export function useReplay(webhook: Webhook, body: () => Input<"replayEvents">["body"], onDone: () => void) {
  const { test } = useSearch({ from: "/app" })
  const client = useQueryClient()
  const input = { path: { webhook_id: webhook.webhook_id }, query: { test: test && ("true" as const) } }
  return useMutation<number, ApiError>({
    mutationFn: async () => {
      let sum = 0
      let cursor: string | undefined
      do {
        const part = await send("replayEvents", { ...input, query: { ...input.query, cursor }, body: body() })
        sum += part.replayed
        cursor = part.next_cursor ?? undefined
      } while (cursor)
      return sum
    },
    onSuccess: (sum) => {
      toast(sum === 1 ? "One event is queued for delivery." : `${sum.toLocaleString()} events are queued for delivery.`)
      onDone()
    },
    onSettled: () => readAgain(client, DELIVERIES),
  })
}
