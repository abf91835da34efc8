import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useEffect } from "react"
import { queryOf } from "../api/query.ts"

/** Fills in the text of the turn that the URL names as `from`, unless it is the one that was filled in last. */
export function useTextOfTurn(last: string, fill: (text: string, from: string) => void) {
  const { from = "", test } = useSearch({ from: "/app/playground" })
  const { data } = useQuery({
    ...queryOf("getTurn", { path: { turn_id: from }, query: { test: test && "true" } }),
    enabled: from !== "" && from !== last,
  })
  useEffect(() => {
    if (data && data.turn_id === from && from !== last) fill(data.text, from)
  }, [data, from, last, fill])
}
