import type { Turn } from "../api/operations.ts"
import { exploreTurnsQuery, listAllTurnsQuery, TurnRules } from "../api/rules.ts"
import { countIn, createdRangeIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { type CreatedSearch, createdIn } from "../ui/time-range.ts"

/** The filters of the explorer in the URL. */
export interface ExplorerSearch extends CreatedSearch {
  q?: string
  state?: Turn["state"]
  waiting?: (typeof exploreTurnsQuery.waiting.words)[number]
  space?: string
  conversation?: string
  end_user_ref?: string
  key?: string
  model?: string
  reason?: string
  min_cost_usd?: string
  min_seconds?: string
  sort?: (typeof exploreTurnsQuery.sort.words)[number]
  direction?: (typeof exploreTurnsQuery.direction.words)[number]
  offset?: number
}

/** The filters of operators: also an account, a kind of failure and a provider account. */
export interface AllTurnsSearch extends ExplorerSearch {
  user_id?: number
  failure?: (typeof listAllTurnsQuery.failure.words)[number]
  provider?: string
}

const amountIn = (value: unknown) => {
  const text = textIn(value)
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? text : undefined
}

export const readExplorerSearch = (search: RawSearch): ExplorerSearch => ({
  q: textIn(search.q),
  state: oneIn(search.state, TurnRules.state.words),
  waiting: oneIn(search.waiting, exploreTurnsQuery.waiting.words),
  space: textIn(search.space),
  conversation: textIn(search.conversation),
  end_user_ref: textIn(search.end_user_ref),
  key: textIn(search.key),
  model: textIn(search.model),
  reason: textIn(search.reason),
  min_cost_usd: amountIn(search.min_cost_usd),
  min_seconds: amountIn(search.min_seconds),
  ...createdRangeIn(search),
  sort: oneIn(search.sort, exploreTurnsQuery.sort.words),
  direction: oneIn(search.direction, exploreTurnsQuery.direction.words),
  offset: countIn(search.offset),
})

export const readAllTurnsSearch = (search: RawSearch): AllTurnsSearch => ({
  ...readExplorerSearch(search),
  user_id: countIn(search.user_id),
  failure: oneIn(search.failure, listAllTurnsQuery.failure.words),
  provider: textIn(search.provider),
})

/** The filters of a search as the API takes them, without its order and page. */
export function filtersOf<Search extends ExplorerSearch>(search: Search) {
  const {
    sort: _sort,
    direction: _direction,
    offset: _offset,
    range: _range,
    min_cost_usd,
    min_seconds,
    ...filters
  } = search
  return {
    ...filters,
    ...createdIn(search),
    min_cost_usd: min_cost_usd === undefined ? undefined : Number(min_cost_usd),
    min_seconds: min_seconds === undefined ? undefined : Number(min_seconds),
  }
}
