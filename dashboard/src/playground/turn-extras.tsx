import { useSearch } from "@tanstack/react-router"
import { useRead } from "../api/query.ts"
import { CreateChatTurnRules } from "../api/rules.ts"
import { Select } from "../ui/field.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { EndUserPicker } from "../ui/pickers.tsx"
import { AttachedFiles } from "./attached-files.tsx"

/** The parts of a turn that the URL has: the end user and the files. `compare`: a second model for the same text. */
export function useTurnExtras() {
  const { as, files, compare } = useSearch({ from: "/app/playground" })
  const fileIds = files?.split(",")
  return { compare, extras: { ...(as && { end_user_ref: as }), ...(fileIds && { files: fileIds }) } }
}

interface ExtrasProps {
  spaceId: string
  isOwner: boolean
  error: unknown
}

/** Another conversation begins with a change of its end user or of the compared model. */
export const AFRESH = { conversation: undefined, other: undefined, turn: undefined }

/** A second model, the end user and the files of a turn. */
export function TurnExtras({ spaceId, isOwner, error }: ExtrasProps) {
  const { test, compare = "", as = "" } = useSearch({ from: "/app/playground" })
  const change = useFilters()
  const models = useRead("listModels", { query: { test: test && ("true" as const) } })
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Select
          label="Compare with"
          value={compare}
          onChange={({ target }) => change({ compare: target.value || undefined, ...AFRESH })}
          options={[
            ["", "No second model"],
            ...(models.data?.data.map(({ pin, label }) => [pin, label] as const) ?? []),
          ]}
        />
        {isOwner && (
          <EndUserPicker
            label="End user"
            name="end_user_ref"
            error={error}
            maxLength={CreateChatTurnRules.end_user_ref.maxLength}
            value={as}
            test={test}
            onChange={(ref) => change({ as: ref || undefined, ...AFRESH })}
          />
        )}
      </div>
      {isOwner && as !== "" && (
        <p className="text-muted text-xs">
          The turn has the conversations, tasks and profile of {as}, and tools are called for them. Caps and usage of
          this end user do not count it.
        </p>
      )}
      <AttachedFiles key={spaceId} spaceId={spaceId} error={error} />
    </>
  )
}
