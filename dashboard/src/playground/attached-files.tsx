import { useSearch } from "@tanstack/react-router"
import { useRef } from "react"
import { ApiError } from "../api/api-error.ts"
import { useChange, useRead } from "../api/query.ts"
import { CreateChatTurnRules } from "../api/rules.ts"
import { sizeOf } from "../turns/turn-words.ts"
import { Button, IconButton } from "../ui/button.tsx"
import { Select } from "../ui/field.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { toast } from "../ui/toast.tsx"

/** How many of the space's files can be chosen, newest first. */
const OFFERED = 100
const MOST = CreateChatTurnRules.files.maxItems

/** The files that the agent sees in the turn: uploads from this computer, and files of the space. */
export function AttachedFiles({ spaceId, error }: { spaceId: string; error: unknown }) {
  const { test, files } = useSearch({ from: "/app/playground" })
  const change = useFilters()
  const path = { space_id: spaceId }
  const query = { test: test && ("true" as const) }
  const known = useRead("listFiles", { path, query: { ...query, limit: OFFERED } })
  const upload = useChange("uploadFile", { changes: ["listFiles"] })
  const input = useRef<HTMLInputElement>(null)
  const chosen = files?.split(",") ?? []
  const set = (ids: readonly string[]) => change({ files: [...new Set(ids)].slice(0, MOST).join(",") || undefined })
  const send = async (picked: File[]) => {
    const ids = [...chosen]
    try {
      for (const file of picked) {
        const { file_id } = await upload.mutateAsync({ path, query: { ...query, name: file.name }, body: file })
        ids.push(file_id)
      }
    } catch (failure) {
      toast((failure as Error).message, { bad: true })
    }
    set(ids)
  }
  const nameOf = (id: string) => known.data?.items.find(({ file_id }) => file_id === id)?.name ?? id
  const others = known.data?.items.filter(({ file_id }) => !chosen.includes(file_id)) ?? []
  const fault = error instanceof ApiError ? error.faultOf("files") : undefined
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 grow">
          <Select
            label="Files"
            error={fault}
            value=""
            disabled={others.length === 0}
            onChange={({ target }) => set([...chosen, target.value])}
            options={[
              ["", others.length > 0 ? "Attach a file of the space" : "No other files in the space"],
              ...others.map(({ file_id, name, bytes }) => [file_id, `${name} (${sizeOf(bytes)})`] as const),
            ]}
          />
        </div>
        <input
          ref={input}
          type="file"
          multiple
          tabIndex={-1}
          aria-label="Files to attach"
          className="sr-only"
          onChange={({ target }) => {
            void send([...(target.files ?? [])])
            target.value = ""
          }}
        />
        <Button icon="plus" busy={upload.isPending} onClick={() => input.current?.click()}>
          Upload
        </Button>
      </div>
      {chosen.length > 0 && (
        <ul aria-label="Attached files" className="flex flex-wrap gap-2">
          {chosen.map((id) => (
            <li key={id} className="inline-flex max-w-full items-center rounded-md bg-hover pl-2">
              <span className="truncate">{nameOf(id)}</span>
              <IconButton
                label={`Remove ${nameOf(id)}`}
                icon="close"
                onClick={() => set(chosen.filter((other) => other !== id))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
