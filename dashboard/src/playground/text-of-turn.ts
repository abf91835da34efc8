import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { queryOf } from "../api/query.ts"

/** Fills in the text of the turn that the URL names as `from`, once. */
export function useTextOfTurn(fill: (text: string) => void) {
  const { from = "", test } = useSearch({ from: "/app/playground" })
  const filled = useRef("")
  const { data } = useQuery({
    ...queryOf("getTurn", { path: { turn_id: from }, query: { test: test && "true" } }),
    enabled: from !== "",
  })
  useEffect(() => {
    if (!data || filled.current === from) return
    filled.current = from
    fill(data.text)
  }, [data, from, fill])
}
