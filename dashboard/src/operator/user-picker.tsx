import { useQuery } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"
import { queryOf } from "../api/query.ts"
import { Select, TextInput } from "../ui/field.tsx"
import { nameOf } from "./parts.tsx"

const FOUND = 20

/** Chooses a user: a search field, and a list of the users that match. */
export function UserPicker({
  value,
  onChange,
  without = [],
}: {
  value: number | null
  onChange: (userId: number | null) => void
  /** Users to leave out of the list. */
  without?: readonly number[]
}) {
  const [text, setText] = useState("")
  const q = useDeferredValue(text)
  const users = useQuery(queryOf("listUsers", { query: { q: q || undefined, limit: FOUND } }))
  const found = (users.data?.items ?? []).filter(({ user_id }) => !without.includes(user_id))
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextInput
        label="Find a user"
        placeholder="Name, email or id"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          onChange(null)
        }}
      />
      <Select
        label="User"
        name="user_id"
        value={value === null ? "" : String(value)}
        error={users.error?.message}
        options={[
          ["", found.length === 0 && !users.isPending ? "No user matches" : "Choose a user"],
          ...found.map((user) => [String(user.user_id), `${nameOf(user)} (${user.user_id})`] as const),
        ]}
        onChange={({ target }) => onChange(target.value ? Number(target.value) : null)}
      />
    </div>
  )
}
