import * as z from "zod"
import type { Context } from "../actor/context.ts"
import { GENERATE_IMAGE } from "../agent-config/names.ts"
import { NotSent } from "../base/not-sent.ts"
import { noteError } from "../infrastructure/errors.ts"
import { askForPicture, NoPicture, type Picture } from "./ask-for-picture.ts"
import { type BoundTool, builtin, errorRun, jsonRun, type ToolCallContext, type ToolRun } from "./bound-tool.ts"
import { fileLimit, keepFile } from "./file-tools.ts"
import { openMediaAccount, refreshMedia, refuseMedia } from "./media-credential.ts"
import type { OutputNames } from "./picture-name.ts"
import { TOOL_POLICY } from "./policies.ts"
import type { ToolTurn } from "./task-tools.ts"
import type { ToolContext } from "./tool-context.ts"

/** The catalog's model for pictures, at the turn's price version. */
export interface ImageModel {
  pin: string
  engine: string
  model: string
  price_version: number
  /** Credit micros for one picture. */
  price_image: number
  /** What the provider charges us for it. */
  providerCost: number
}

/** A price that was set aside from a turn's hold. */
export interface SetAside {
  /** Spends the amount: the picture was made. */
  spend(): void
  /** Releases the amount: there is no picture. `lost`: it may have been made. */
  giveBack(outcome: { lost: boolean }): Promise<void>
}

/**
 * How a turn makes and pays for pictures. setAside() returns null if the price exceeds the
 * rest of what the turn may cost.
 */
export interface Painting {
  model: ImageModel
  names: OutputNames
  setAside(micros: number): Promise<SetAside | null>
}

const pictureToMake = z.strictObject({
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(TOOL_POLICY.picturePromptCharacters)
    .meta({ description: "What it is to show, in words." }),
  size: z
    .enum(["1024x1024", "1536x1024", "1024x1536"])
    .optional()
    .meta({ description: "Width x height. Default 1024x1024." }),
  name: z.string().min(1).max(300).optional().meta({ description: "Its name; the extension is added." }),
})

type Wanted = z.output<typeof pictureToMake>

/**
 * Makes a picture, which is an output of the turn even if the turn fails. A test turn always gets
 * the same picture, without a network call.
 */
export function generateImageTool(ctx: ToolContext, turn: ToolTurn, painting: Painting): BoundTool {
  const description = "Makes a picture that is returned with the result. It costs as much as several answers."
  return builtin({ name: GENERATE_IMAGE, description, input: pictureToMake }, async (wanted, call) => {
    const limit = await fileLimit(ctx, turn, 1)
    if (limit) return errorRun(limit)
    // Do this before the request for the picture: a failure costs nothing here.
    await painting.names.look(ctx, turn)
    return turn.test ? rehearse(ctx, turn, painting, { wanted, call }) : paint(ctx, turn, painting, { wanted, call })
  })
}

interface Asked {
  wanted: Wanted
  call: ToolCallContext
}

async function paint(
  ctx: ToolContext,
  turn: ToolTurn,
  { model, names, setAside }: Painting,
  asked: Asked,
): Promise<ToolRun> {
  let aside: SetAside | null = null
  /** True if a picture may have been made. */
  let sent = false
  const { prompt, size = "1024x1024" } = asked.wanted
  const ask = async (opened: Parameters<typeof askForPicture>[1]) => {
    // Check again: a cancel may have been accepted in the meantime, and the rest of
    // the lease must cover the picture.
    if (!(await asked.call.mayStart())) throw new NoPicture("over", "The turn is over.")
    sent = true
    return askForPicture(ctx, opened, { model: model.model, prompt, size }, asked.call).catch((error: unknown) => {
      if (error instanceof NoPicture) sent = error.lost
      if (error instanceof NotSent) sent = false
      throw error
    })
  }
  try {
    const opened = await openMediaAccount(ctx)
    aside = await setAside(model.price_image)
    if (!aside) return errorRun("The rest of the turn's budget does not cover the price of a picture.")
    const startedAt = ctx.clock.now().getTime()
    const picture = await ask(opened).catch(async (error: unknown) => {
      if (!isUnauthorized(error)) throw error
      const refreshed = await refreshMedia(ctx, opened)
      return ask(refreshed).catch(async (again: unknown) => {
        if (isUnauthorized(again)) await refuseMedia(ctx, refreshed)
        throw again
      })
    })
    const durationSec = Math.max(0, ctx.clock.now().getTime() - startedAt) / 1000
    const run = await keep(ctx, turn, { picture, names }, asked)
    aside.spend()
    const account = opened.account.provider_id
    const { price_image: cost, providerCost: provider_cost } = model
    return { ...run, picture: { ...billOf(model), account, cost, provider_cost, duration_sec: durationSec } }
  } catch (error) {
    await aside?.giveBack({ lost: sent })
    if (!(error instanceof NoPicture)) throw error
    if (error.code === "over") return errorRun(error.message)
    ctx.log("error", "picture.failed", { turn_id: turn.turn_id, model: model.pin, code: error.code })
    noteError(ctx, turn, { kind: "model_call", name: model.engine, code: error.code })
    return errorRun(error.message)
  }
}

const isUnauthorized = (error: unknown) => error instanceof NoPicture && error.code === "unauthorized"

/** A picture of 8 × 8 pixels. */
const REHEARSED = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAADklEQVR4nGNYxRDKgIQBIUQD/Ssjb98AAAAASUVORK5CYII="

async function rehearse(ctx: Context, turn: ToolTurn, { model, names }: Painting, asked: Asked): Promise<ToolRun> {
  const picture: Picture = { bytes: new Uint8Array(Buffer.from(REHEARSED, "base64")), mediaType: "image/png" }
  const run = await keep(ctx, turn, { picture, names }, asked)
  return { ...run, picture: { ...billOf(model), account: null, cost: 0, provider_cost: 0, duration_sec: 0 } }
}

const billOf = ({ engine, pin, price_version }: ImageModel) => ({ provider: engine, model: pin, price_version })

const EXTENSIONS: Record<Picture["mediaType"], string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
}

async function keep(
  ctx: Context,
  turn: ToolTurn,
  { picture: { bytes, mediaType }, names }: { picture: Picture; names: OutputNames },
  { wanted, call }: Asked,
): Promise<ToolRun> {
  const stem = (wanted.name ?? `picture-${call.step}-${call.call}`).replace(/\.(png|jpe?g|webp)$/i, "")
  const name = names.take(`${stem}.${EXTENSIONS[mediaType]}`)
  const file = await keepFile(ctx, turn, call, { name, mediaType, bytes })
  const { object_key: _key, place: _place, ...shown } = file
  return { ...jsonRun(shown), files: [{ ...file, paid: true }] }
}
