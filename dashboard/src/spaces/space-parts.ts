import { useParams, useSearch } from "@tanstack/react-router"
import type { AccountSpace } from "../api/operations.ts"

/** What every operation of the page's space is called with. */
export function useSpaceInput() {
  const { spaceId } = useParams({ from: "/app/spaces/$spaceId" })
  const { test } = useSearch({ from: "/app/spaces/$spaceId" })
  return { path: { space_id: spaceId }, query: { test: test && ("true" as const) } }
}

/** Whether who is signed in may change it: members see and use it, and nobody changes an archived one. */
export const isChangeable = ({ role, archived }: AccountSpace) => role !== "member" && !archived

/** JSON that a person has typed; `error` says what is wrong with it. Nothing typed is `undefined`. */
export function readJson(text: string): { value?: unknown; error?: string } {
  if (text.trim() === "") return {}
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error: `This is not JSON: ${(error as Error).message}` }
  }
}

/** A value as JSON to be edited; nothing is an empty text. */
export const jsonText = (value: unknown) => (value === undefined ? "" : JSON.stringify(value, null, 2))

export interface SpaceTabProps {
  space: AccountSpace
}
