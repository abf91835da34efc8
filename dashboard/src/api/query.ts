import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  type UseMutationResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query"
import type { ApiError } from "./api-error.ts"
import { type Answer, type Arguments, call, type OperationId } from "./call.ts"
import { send } from "./send.ts"

/** The options of a query, for `useQuery`, `ensureQueryData` and `setQueryData`. */
export function queryOf<Id extends OperationId>(id: Id, ...args: Arguments<Id>) {
  return queryOptions<Answer<Id>, ApiError>({
    queryKey: [id, ...(args[0] ? [args[0]] : [])],
    queryFn: ({ signal }) => call(id, ...([{ ...args[0], signal }] as unknown as Arguments<Id>)),
  })
}

/** Reads an operation. The previous data stays visible while other filters or another page load. */
export function useRead<Id extends OperationId>(id: Id, ...args: Arguments<Id>) {
  return useQuery({ ...queryOf(id, ...args), placeholderData: keepPreviousData })
}

/** Reads the queries of these operations again: those on the page now, and the others when they are shown. */
export const readAgain = (client: QueryClient, operations: readonly OperationId[]): Promise<void> =>
  client.invalidateQueries({ predicate: ({ queryKey }) => operations.includes(queryKey[0] as OperationId) })

interface ChangeOptions<Id extends OperationId> {
  /** The operations whose queries are read again after a success. Default: all queries of the page. */
  changes?: OperationId[]
  /** The draft that the change saves. Sent input counts as saved even if the user has left the page. */
  draft?: { saving(): () => void }
  /** Takes the answer, even if the user has left the page in the meantime. */
  onAnswer?: (answer: Answer<Id>) => void
}

/** Calls an operation that changes something: `mutate(input)`. Two equal submits at the same time are one request. */
export function useChange<Id extends OperationId>(
  id: Id,
  { changes, draft, onAnswer }: ChangeOptions<Id> = {},
): UseMutationResult<Answer<Id>, ApiError, Arguments<Id>[0]> {
  const client = useQueryClient()
  return useMutation<Answer<Id>, ApiError, Arguments<Id>[0], (() => void) | undefined>({
    mutationFn: (input) => send(id, input),
    onMutate: () => draft?.saving(),
    onSuccess: (answer, _, saved) => {
      saved?.()
      onAnswer?.(answer)
      return changes ? readAgain(client, changes) : client.invalidateQueries()
    },
  })
}
