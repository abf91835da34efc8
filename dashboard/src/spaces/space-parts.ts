import { useParams, useSearch } from "@tanstack/react-router"
import type { AccountSpace } from "../api/operations.ts"

/** The input that every operation on the page's space needs. */
export function useSpaceInput() {
  const { spaceId } = useParams({ from: "/app/spaces/$spaceId" })
  const { test } = useSearch({ from: "/app/spaces/$spaceId" })
  return { path: { space_id: spaceId }, query: { test: test && ("true" as const) } }
}

/** True if the user may change the space: members may not, and an archived space is read-only. */
export const isChangeable = ({ role, archived }: AccountSpace) => role !== "member" && !archived

/** Parses typed JSON. `error` says why it is invalid. Empty text has no value. */
export function readJson(text: string): { value?: unknown; error?: string } {
  if (text.trim() === "") return {}
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error: `This is not valid JSON: ${(error as Error).message}` }
  }
}

/** A value as JSON to edit; undefined is an empty text. */
export const jsonText = (value: unknown) => (value === undefined ? "" : JSON.stringify(value, null, 2))

export interface SpaceTabProps {
  space: AccountSpace
}
