import type { Manifest } from "../api/operations.ts"
import { choicesOf } from "../api/words.ts"
import type { Effort } from "../ui/efforts.ts"
import { jsonText, readJson } from "../ui/json-text.ts"
import { typedOrNull } from "../ui/plain.ts"
import { formatOf, type ResultDraft, resultDraftOf } from "../ui/result-fields.tsx"

export type BuiltinTool = NonNullable<Manifest["builtin_tools"]>[number]

export const BUILTIN_TOOLS = choicesOf<BuiltinTool>({
  list_files: "List files",
  read_file: "Read files",
  write_file: "Write files",
  create_task: "Create tasks",
  update_task: "Update tasks",
  generate_image: "Generate images, billed per image",
})

type OnLimit = NonNullable<Manifest["on_limit"]>

export const ON_LIMIT_CHOICES = choicesOf<OnLimit>({
  fail: "Fail with the partial result",
  wait: "Wait until the limit allows it",
})

type ToolMode = NonNullable<Manifest["tools"]>["mode"]

export const TOOL_MODE_CHOICES = choicesOf<ToolMode>({
  auto: "All, or a search if there are many",
  all: "All in each prompt",
  search: "The agent searches for them",
})

type ServiceTier = NonNullable<Manifest["service_tier"]>

export const SERVICE_TIER_CHOICES = choicesOf<ServiceTier>({
  auto: "As the provider decides",
  default: "Standard",
  flex: "Flex: cheaper and slower",
  priority: "Priority: dearer and faster",
  fast: "Fast: dearer and faster",
  ultrafast: "Ultrafast",
})

/** A manifest while it is edited. Numbers and JSON are kept as typed text. */
export interface ManifestDraft {
  instructions: string
  model: string
  temperature: string
  max_output_tokens: string
  max_steps: string
  timeout_seconds: string
  history_turns: string
  history_tokens: string
  /** True: turns that leave the history are summarised, by this model. */
  summary: boolean
  summary_model: string
  /** Null: the default tools. */
  builtin_tools: BuiltinTool[] | null
  image_model: string
  subagents: string
  on_limit: OnLimit
  tool_mode: ToolMode
  time_zone: string
  /** Empty: the default of the model. */
  effort: Effort | ""
  /** Empty: as the provider's account says. */
  service_tier: ServiceTier | ""
  result: ResultDraft
}

const figure = (value: number | undefined) => (value === undefined ? "" : String(value))

export const draftOf = (manifest: Manifest): ManifestDraft => ({
  instructions: manifest.instructions ?? "",
  model: manifest.model ?? "",
  temperature: figure(manifest.temperature),
  max_output_tokens: figure(manifest.max_output_tokens),
  max_steps: figure(manifest.max_steps),
  timeout_seconds: figure(manifest.timeout_seconds),
  history_turns: figure(manifest.history?.max_turns),
  history_tokens: figure(manifest.history?.max_tokens),
  summary: manifest.history?.summary ?? false,
  summary_model: manifest.history?.model ?? "",
  builtin_tools: manifest.builtin_tools ?? null,
  image_model: manifest.image_model ?? "",
  subagents: jsonText(manifest.subagents),
  on_limit: manifest.on_limit ?? "fail",
  tool_mode: manifest.tools?.mode ?? "auto",
  time_zone: manifest.time_zone ?? "",
  effort: manifest.reasoning?.effort ?? "",
  service_tier: manifest.service_tier ?? "",
  result: resultDraftOf(manifest.response_format),
})

/**
 * Omits empty fields, and keeps the fields of `base` that the form does not show. Text that is not a number is sent
 * unchanged, and the API rejects it.
 */
export function manifestOf(draft: ManifestDraft, base: Manifest): Manifest {
  const number = (text: string) => typedOrNull(text) ?? undefined
  const history = {
    max_turns: number(draft.history_turns),
    max_tokens: number(draft.history_tokens),
    summary: draft.summary || undefined,
    model: draft.summary_model || undefined,
  }
  return {
    ...base,
    instructions: draft.instructions || undefined,
    model: draft.model || undefined,
    temperature: number(draft.temperature),
    max_output_tokens: number(draft.max_output_tokens),
    reasoning: draft.effort ? { effort: draft.effort } : undefined,
    service_tier: draft.service_tier || undefined,
    max_steps: number(draft.max_steps),
    timeout_seconds: number(draft.timeout_seconds),
    history: Object.values(history).every((value) => value === undefined) ? undefined : history,
    builtin_tools: draft.builtin_tools ?? undefined,
    image_model: draft.image_model || undefined,
    subagents: readJson(draft.subagents).value as Manifest["subagents"],
    on_limit: draft.on_limit === "fail" && base.on_limit === undefined ? undefined : draft.on_limit,
    tools: draft.tool_mode === "auto" && base.tools === undefined ? undefined : { mode: draft.tool_mode },
    time_zone: draft.time_zone.trim() || undefined,
    response_format: formatOf(draft.result, base.response_format),
  }
}
