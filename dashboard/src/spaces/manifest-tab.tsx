import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { ApiError } from "../api/api-error.ts"
import type { Manifest } from "../api/operations.ts"
import { queryOf, useChange, useRead } from "../api/query.ts"
import { ManifestInputRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { ConflictDialog } from "../ui/conflict-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { EFFORT_CHOICES } from "../ui/efforts.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Select, TextArea, TextInput } from "../ui/field.tsx"
import { isSameJson, readJson } from "../ui/json-text.ts"
import { Read } from "../ui/read.tsx"
import { RestoredNote } from "../ui/restored-note.tsx"
import { ANY_TEXT, isResultReady, ResultFields } from "../ui/result-fields.tsx"
import { toast } from "../ui/toast.tsx"
import { BuiltinTools } from "./builtin-tools.tsx"
import {
  BUILTIN_TOOLS,
  draftOf,
  type ManifestDraft,
  manifestOf,
  ON_LIMIT_CHOICES,
  SERVICE_TIER_CHOICES,
  TOOL_MODE_CHOICES,
} from "./manifest-draft.ts"
import { FIGURES } from "./manifest-figures.ts"
import { ModelSelect } from "./model-select.tsx"
import { isChangeable, type SpaceTabProps, useSpaceInput } from "./space-parts.ts"
import { SubagentFields } from "./subagent-fields.tsx"
import { SummaryFields } from "./summary-fields.tsx"

export function ManifestTab({ space }: SpaceTabProps) {
  const manifest = useRead("getManifest", useSpaceInput())
  return (
    <Read of={manifest} rows={12}>
      {(saved) => (
        <ManifestForm space={space} saved={saved} readAgain={async () => (await manifest.refetch()).data ?? saved} />
      )}
    </Read>
  )
}

const RULES = ManifestInputRules

interface ManifestFormProps extends SpaceTabProps {
  saved: Manifest
  readAgain: () => Promise<Manifest>
}

function ManifestForm({ space, saved: shown, readAgain }: ManifestFormProps) {
  const input = useSpaceInput()
  const client = useQueryClient()
  // The query may have a newer manifest than the last one that it has told the page.
  const newestSaved = () => client.getQueryData(queryOf("getManifest", input).queryKey) ?? shown
  const saved = newestSaved()
  const unsaved = useDraft(`manifest.${space.space_id}`)
  const put = useChange("putManifest", {
    changes: ["getManifest", "getSpace", "listConfigVersions", "listSpaces"],
    draft: unsaved,
  })
  // Null until the user types: then the form shows the saved manifest. Later reads do not replace the draft.
  // `base` is the manifest when the user began to type.
  const [typed, setTyped] = unsaved.useField<{ draft: ManifestDraft; base: Manifest } | null>("typed", null)
  // A space has one model here. One that the API set on the space itself is shown, and moves into the manifest.
  const shownOf = (manifest: Manifest) => ({ ...draftOf(manifest), model: manifest.model ?? space.model ?? "" })
  const update = useChange("updateSpace", { changes: ["getSpace", "listSpaces", "listConfigVersions"] })
  const draft = typed?.draft ?? shownOf(saved)
  const base = typed?.base ?? saved
  // The manifest that another user has saved since then.
  const [theirs, setTheirs] = useState<Manifest | null>(null)
  // Starts from the newest input, because an event may come before the form is drawn again.
  const set = (change: Partial<ManifestDraft>) =>
    setTyped((newest) => {
      const since = newest?.base ?? newestSaved()
      const next = { ...(newest?.draft ?? shownOf(since)), ...change }
      return isSameJson(next, shownOf(since)) ? null : { draft: next, base: since }
    })
  const subagents = readJson(draft.subagents)
  const toolNames = useToolNames()
  const bind = (name: Exclude<keyof ManifestDraft, "builtin_tools" | "summary" | "result">, fault: string = name) => ({
    name: fault,
    error: put.error,
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
  })
  const discard = () => {
    setTheirs(null)
    setTyped(null)
    unsaved.clear()
  }
  const save = () =>
    put.mutate(
      { ...input, body: manifestOf(draft, base) },
      {
        onSuccess: (now) => {
          toast("The instructions are saved. New turns use them.")
          // Text that the user has typed since then stays, as a change of the new manifest.
          let rest: typeof typed = null
          setTyped((later) => {
            if (later && !isSameJson(later.draft, draft)) rest = { ...later, base: now }
            return rest
          })
          setTheirs(null)
          if (!rest) unsaved.clear()
          if (space.model !== null) update.mutate({ ...input, body: { model: null } })
        },
      },
    )
  // Manifests have no If-Match, so the page reads the current one before it saves.
  const saveUnlessChanged = async () => {
    const now = await readAgain()
    if (isSameJson(now, base)) save()
    else setTheirs(now)
  }
  return (
    <form
      aria-label="Instructions"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void saveUnlessChanged()
      }}
    >
      <fieldset disabled={!isChangeable(space)} className="flex min-w-0 flex-col gap-5">
        {typed && <RestoredNote draft={unsaved} />}
        <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <TextArea
            label="Instructions"
            hint={`The agent gets them in every turn. ${draft.instructions.length.toLocaleString()} of ${RULES.instructions.maxLength.toLocaleString()} characters.`}
            rows={18}
            {...bind("instructions")}
          />
          <div className="flex min-w-0 flex-col gap-4">
            <ModelSelect
              label="Model"
              none="Service default"
              hint="A turn can override it."
              name="model"
              error={put.error}
              value={draft.model}
              test={space.test || undefined}
              onChange={(model) => set({ model })}
            />
            <div className="grid grid-cols-2 gap-4">
              {FIGURES.map(([name, fault, label, hint]) => (
                <TextInput
                  key={name}
                  label={label}
                  hint={hint}
                  inputMode="decimal"
                  autoComplete="off"
                  {...bind(name as "temperature", fault)}
                />
              ))}
            </div>
            <SummaryFields {...draft} error={put.error} test={space.test || undefined} onChange={set} />
            <Select
              label="Reasoning"
              hint="How much the model reasons before it answers. A turn can override it."
              options={[["", "Model default"], ...EFFORT_CHOICES]}
              {...bind("effort", "reasoning.effort")}
            />
            <Select
              label="Service tier"
              hint="How the model's provider serves the calls. The catalog of models has the factors of their prices."
              options={[["", "Provider default"], ...SERVICE_TIER_CHOICES]}
              {...bind("service_tier")}
            />
            <Select
              label="At a limit"
              hint="When a turn cannot pay for its next model call. A turn can override it."
              options={ON_LIMIT_CHOICES}
              {...bind("on_limit")}
            />
            <Select
              label="Tools in the prompt"
              hint="The definitions of REST tools and MCP servers. An agent with many tools can find them by words instead."
              options={TOOL_MODE_CHOICES}
              {...bind("tool_mode", "tools.mode")}
            />
            <TextInput
              label="Time zone"
              hint="Of the date and time in instructions. A profile's own time zone replaces it. Default UTC."
              placeholder="Europe/Berlin"
              autoComplete="off"
              spellCheck={false}
              {...bind("time_zone")}
            />
            <ResultFields
              value={draft.result}
              onChange={(result) => set({ result })}
              error={put.error}
              none={ANY_TEXT}
              hint="The form of the agent's replies. A turn can override it."
            />
          </div>
        </div>
        <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <SubagentFields
            label="Sub-agents"
            name="subagents"
            value={draft.subagents}
            onChange={(subagents) => set({ subagents })}
            error={put.error}
            tools={toolNames}
            test={space.test || undefined}
          />
          <div className="flex min-w-0 flex-col gap-4">
            <BuiltinTools chosen={draft.builtin_tools} onChange={(builtin_tools) => set({ builtin_tools })} />
            {draft.builtin_tools?.includes("generate_image") && (
              <TextInput
                label="Image model"
                hint="A pin. Default: the first image model of the service."
                autoComplete="off"
                {...bind("image_model")}
              />
            )}
          </div>
        </div>
        {put.error && <ErrorState error={put.error} />}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            does="putManifest"
            kind="primary"
            type="submit"
            busy={put.isPending}
            disabled={typed === null || subagents.error !== undefined || !isResultReady(draft.result)}
          >
            Save as version {(space.config_version + 1).toLocaleString()}
          </Button>
          {typed && (
            <Button kind="quiet" onClick={discard}>
              Discard changes
            </Button>
          )}
        </div>
      </fieldset>
      {theirs && (
        <ManifestConflict
          mine={manifestOf(draft, base)}
          theirs={theirs}
          onTakeTheirs={discard}
          onKeepMine={() => {
            setTheirs(null)
            save()
          }}
        />
      )}
    </form>
  )
}

/** The names by which a sub-agent can have the tools of the space. */
function useToolNames(): string[] {
  const tools = useRead("listTools", useSpaceInput())
  const servers = useRead("listMcpServers", useSpaceInput())
  return [
    ...(tools.data?.items ?? []).map(({ name }) => name),
    ...(servers.data?.items ?? []).map(({ name }) => `${name}__*`),
    ...BUILTIN_TOOLS.map(([name]) => name),
  ]
}

interface ManifestConflictProps {
  mine: Manifest
  theirs: Manifest
  onTakeTheirs: () => void
  onKeepMine: () => void
}

/** Offers the same choice as after a 412, because another user has saved the instructions. */
function ManifestConflict({ mine, theirs, onTakeTheirs, onKeepMine }: ManifestConflictProps) {
  const error = new ApiError({
    code: "VERSION_MISMATCH",
    message: "Another user has saved the instructions in the meantime.",
    status: 412,
    requestId: null,
    retryAfter: null,
    faults: [],
    details: { current: theirs },
  })
  // Includes the fields that only the other user has set.
  const both = { ...Object.fromEntries(Object.keys(theirs).map((name) => [name, undefined])), ...mine }
  return <ConflictDialog error={error} mine={both} onTakeTheirs={onTakeTheirs} onKeepMine={onKeepMine} />
}
