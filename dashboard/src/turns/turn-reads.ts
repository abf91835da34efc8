import { useQuery } from "@tanstack/react-query"
import type { ApiError } from "../api/api-error.ts"
import { call } from "../api/call.ts"
import type { TurnEvent, TurnStep } from "../api/operations.ts"

const PAGE = 200
/** The maximum number of steps or events that a page loads for a turn. */
const MOST = 2000

interface Of {
  turnId: string
  test: true | undefined
}

interface Listed<Item> {
  items: Item[]
  total: number
}

/** Reads the pages of a list up to `MOST` items. A page can be shorter than its limit. */
async function gather<Item>(page: (offset: number) => Promise<Listed<Item>>): Promise<Listed<Item>> {
  const items: Item[] = []
  for (;;) {
    const { items: more, total } = await page(items.length)
    items.push(...more)
    if (more.length === 0 || items.length >= Math.min(total, MOST)) return { items, total }
  }
}

const inputOf = ({ turnId, test }: Of, offset: number) => ({
  path: { turn_id: turnId },
  query: { test: test && ("true" as const), limit: PAGE, offset },
})

/** The steps of a turn with their tool calls, at most `MOST`. */
export const useTurnSteps = (of: Of) =>
  useQuery<Listed<TurnStep>, ApiError>({
    queryKey: ["listTurnSteps", of],
    queryFn: ({ signal }) => gather((offset) => call("listTurnSteps", { ...inputOf(of, offset), signal })),
  })

/** The events of a turn, at most `MOST`. */
export const useTurnEvents = (of: Of) =>
  useQuery<Listed<TurnEvent>, ApiError>({
    queryKey: ["listTurnEvents", of],
    queryFn: ({ signal }) => gather((offset) => call("listTurnEvents", { ...inputOf(of, offset), signal })),
  })
