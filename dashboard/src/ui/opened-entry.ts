import { useNavigate, useSearch } from "@tanstack/react-router"

/** The entry of a list that the URL opens in a dialog, and a function that opens another one, or none. */
export function useOpenedEntry(): [opened: number | undefined, open: (entry: number | undefined) => void] {
  const navigate = useNavigate()
  const { entry } = useSearch({ strict: false }) as { entry?: number }
  const open = (next: number | undefined) =>
    void navigate({ to: ".", search: ((old: object) => ({ ...old, entry: next })) as never, resetScroll: false })
  return [entry, open]
}
