import type { EngineContext, FormChange, ModelCall, ModelError, ObjectPart, Setting } from "./engine.ts"
import { isSigned, settingOf } from "./reasoning.ts"
import type { ProviderRefusal } from "./refusal-causes.ts"
import { askedForm, WAYS, type Way } from "./result-form.ts"
import { lacksRoom } from "./service-tier.ts"
import { shownObjects } from "./takes.ts"

/** How a request differs from the usual one, because its provider has refused that. */
export interface RequestForm {
  /** Name the output limit `max_completion_tokens`. */
  namesCompletion: boolean
  /** The keys of objects that are named instead of shown. */
  refused: ReadonlySet<string>
  /** The most tokens of the answer; infinite: as the call says. */
  mostOutput: number
  /** Settings that are left out. */
  without: ReadonlySet<Setting>
  /** Leave out the reasoning of earlier steps, which another account cannot read. */
  isUnsigned: boolean
  /** How the form of the answer is asked for. */
  way: Way
}

/** The servers and models of this isolate that want `max_completion_tokens`. Each isolate learns it by one refusal. */
const wantCompletion = new Set<string>()
const MOST_KNOWN = 1000

const serverOf = ({ accounts }: EngineContext, { engine, model }: ModelCall) =>
  `${engine === "rehearsal" ? "" : accounts[engine]?.baseUrl} ${model}`

/** The form in which a call is sent first. */
export const usualForm = (context: EngineContext, call: ModelCall): RequestForm => ({
  namesCompletion: wantCompletion.has(serverOf(context, call)),
  refused: new Set([
    ...(context.refused ?? []),
    ...oldest(imagesOf(call, context.refused ?? new Set()), call.mostImages),
  ]),
  mostOutput: Number.POSITIVE_INFINITY,
  without: new Set(call.stopIsRefused ? ["stop"] : []),
  isUnsigned: false,
  way: call.isFormless ? "tool" : "native",
})

const isImage = ({ mediaType }: ObjectPart) => mediaType.startsWith("image/")

/** The keys of the images that a request shows, the newest first. */
const imagesOf = (call: ModelCall, refused: ReadonlySet<string>) =>
  [...shownObjects(call.engine, call.messages)].filter((one) => isImage(one) && !refused.has(one.objectKey))

/** The keys of the images beyond the newest `most`. */
const oldest = (images: ObjectPart[], most = images.length) => images.slice(most).map(({ objectKey }) => objectKey)

/** Another form of a request. `isGuess`: the refusal does not name its cause. */
interface OtherForm {
  form: RequestForm
  change: FormChange
  isGuess?: boolean
}

/**
 * The form in which a refused call is sent again; null if no other form can help. A refusal costs nothing. Files
 * that a provider refuses are only named from then on, for the rest of the run.
 */
export function otherForm(
  context: EngineContext,
  call: ModelCall,
  { form, error }: { form: RequestForm; error: ModelError },
): OtherForm | null {
  const { refusal } = error
  if (lacksRoom(call.serviceTier, error)) return withoutTier(form)
  if (refusal?.cause === "output") return withLessOutput(call, form, refusal)
  if (!form.namesCompletion && call.engine === "openai-compatible" && /max_completion_tokens/.test(error.message)) {
    if (wantCompletion.size >= MOST_KNOWN) wantCompletion.clear()
    wantCompletion.add(serverOf(context, call))
    return { form: { ...form, namesCompletion: true }, change: {} }
  }
  const other = inOtherWay(call, form, error) ?? withoutSetting(call, form, error)
  if (other) return other
  return mayConcernFiles(error) ? withFewerFiles(call, form, error) : null
}

/** A provider without room in its flexible tier is asked for its usual service, for this call alone. */
function withoutTier(form: RequestForm): OtherForm | null {
  return form.without.has("service_tier") ? null : leavingOut(form, "service_tier", true)
}

const leavingOut = (form: RequestForm, setting: Setting, isOnce: boolean): OtherForm => ({
  form: { ...form, without: new Set([...form.without, setting]) },
  change: { without: setting, isOnce },
})

/** Names the form of an answer, or the tool whose input it is, in requests and in words. */
const FORM =
  /response_format|text\.format|output_config\.format|output_format|output format|json_schema|json_object|structured output/i
const TOOL_CHOICE = /tool_choice|tool choice|\btools\b.*not support|not support.*\btools?\b|final_answer/i
/** Says that the model or its server has no such parameter. */
const UNKNOWN = /not support|unsupported|unknown|unrecogni[sz]ed|not permitted|not available|extra inputs/i

/** Asks for the form of the answer in the next way, if the provider has refused this one. */
function inOtherWay(call: ModelCall, form: RequestForm, error: ModelError): OtherForm | null {
  if (call.engine === "rehearsal") return null
  const asked = askedForm(call, call.engine, form.way)
  const said = `${error.refusal?.parameter ?? ""} ${error.whole ?? error.message}`
  const isNamed = (asked?.way === "native" ? FORM : TOOL_CHOICE).test(said)
  if (!asked || asked.way === "told" || !(isNamed || (call.reasoning === undefined && /\boutput_config\b/.test(said))))
    return null
  const way = WAYS[WAYS.indexOf(asked.way) + 1] as Way
  // A schema that one request is refused for says nothing about others.
  const isOnce = asked.way !== "native" || !UNKNOWN.test(said) || /invalid schema/i.test(said)
  return { form: { ...form, way }, change: { without: "response_format", isOnce } }
}

/** Says that a signature or encrypted reasoning is not valid here. */
const UNREADABLE = /\bsignature\b|\bencrypted[_ ]content\b/i

/** Names the values that a parameter may have. */
const VALUES = /\bone of\b|\bsupported values\b|\bmust be\b|\bunsupported value\b/i

/** Leaves out a setting that the provider refuses, or reasoning of earlier steps that it cannot read. */
function withoutSetting(call: ModelCall, form: RequestForm, error: ModelError): OtherForm | null {
  const said = error.whole ?? error.message
  const isUnreadable = UNREADABLE.test(said)
  if (isUnreadable && !form.isUnsigned && isSigned(call.messages)) {
    return { form: { ...form, isUnsigned: true }, change: { without: "reasoning", isOnce: true } }
  }
  // OpenAI is asked for encrypted reasoning only together with an effort.
  const parameter = isUnreadable ? "reasoning" : (error.refusal?.parameter ?? null)
  const setting = settingOf(call, parameter)
  if (setting === null || form.without.has(setting)) return null
  // Another effort or tier may be one that the model takes.
  const isOnce =
    (setting === "reasoning" && (call.reasoning === "none" || VALUES.test(said))) ||
    (setting === "service_tier" && VALUES.test(said))
  return leavingOut(form, setting, isOnce)
}

/** The limit of an answer as the provider names it, or half of the refused one. */
function withLessOutput(call: ModelCall, form: RequestForm, refusal: ProviderRefusal): OtherForm | null {
  const named = refusal.mostOutput ?? null
  const asked = Math.min(call.maxOutputTokens, form.mostOutput)
  const mostOutput = named ?? Math.floor(asked / 2)
  return mostOutput >= 1 && mostOutput < asked
    ? {
        form: { ...form, mostOutput },
        change: { maxOutputTokens: mostOutput, isOnce: named === null || refusal.isOfPrompt === true },
      }
    : null
}

/** Shows as many images as the provider takes, or all but the refused file, or none. */
function withFewerFiles(call: ModelCall, form: RequestForm, error: ModelError): OtherForm | null {
  const shown = [...shownObjects(call.engine, call.messages)].filter(({ objectKey }) => !form.refused.has(objectKey))
  if (shown.length === 0) return null
  const most = error.refusal?.mostImages ?? null
  const images = shown.filter(isImage)
  const isCount = most !== null && most < images.length
  const named = shown.filter(({ name }) => name === error.details?.file)
  const gone = isCount ? images.slice(most) : named.length > 0 ? named : shown
  const refused = new Set([...form.refused, ...gone.map(({ objectKey }) => objectKey)])
  const change = { files: gone.map(({ name }) => name), ...(isCount && { images: most }) }
  return { form: { ...form, refused }, change, isGuess: error.refusal?.cause !== "file" }
}

/** False if the provider's words name another part of the request. */
function mayConcernFiles({ status, refusal }: ModelError): boolean {
  if (refusal?.cause === "file") return true
  if (refusal?.cause === "context") return status === 413
  return refusal?.cause === "other" && (status === 400 || status === 413 || status === 415 || status === 422)
}
