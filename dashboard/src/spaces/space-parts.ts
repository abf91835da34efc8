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

export interface SpaceTabProps {
  space: AccountSpace
}
