import { createHash } from "node:crypto"
import * as z from "zod"
import type { Context } from "../actor/context.ts"
import type { ObjectPart } from "../agent/engine.ts"
import { cutToBytes } from "../agent/estimate.ts"
import { countReached } from "../base/counted.ts"
import { newId } from "../base/ids.ts"
import { charsetOf, decoderOf, essence } from "../base/media-bytes.ts"
import { storable } from "../base/storable.ts"
import { isText, mediaTypeOf, safeMediaType } from "../files/media-types.ts"
import { safeName } from "../files/safe-name.ts"
import { callOne } from "../platform/db.ts"
import { type BoundTool, builtin, errorRun, jsonRun, type MadeFile } from "./bound-tool.ts"
import { TOOL_POLICY } from "./policies.ts"
import type { ToolTurn } from "./task-tools.ts"

interface VisibleFile {
  file_id: string
  name: string
  media_type: string
  bytes: number
  object_key: string
}

const MAX_LISTED = 200

/**
 * The files that a turn's agent may see, newest first: the files attached to this turn or to earlier
 * turns of its conversation, and the files that their agents made. It sees no files of other end users.
 */
function visibleFiles(ctx: Context, turn: ToolTurn): Promise<VisibleFile[]> {
  return ctx.db
    .with(
      (cte) => cte("conversation").materialized(),
      (db) =>
        db
          .selectFrom("turns")
          .select(["turn_id", "file_ids"])
          .where("conversation_id", "=", turn.conversation_id)
          .where("position", "<=", turn.position),
    )
    .selectFrom("files as f")
    .select(["f.file_id", "f.name", "f.media_type", "f.bytes", "f.object_key"])
    .where("f.space_id", "=", turn.space_id)
    .where((eb) =>
      eb.or([eb("f.state", "=", "ready"), eb.and([eb("f.state", "=", "pending"), eb("f.turn_id", "=", turn.turn_id)])]),
    )
    .where((eb) =>
      eb.or([
        eb("f.turn_id", "in", eb.selectFrom("conversation").select("turn_id")),
        eb(
          "f.file_id",
          "in",
          eb
            .selectFrom("conversation")
            .select((of) => of.fn<string>("jsonb_array_elements_text", ["file_ids"]).as("file_id")),
        ),
      ]),
    )
    .orderBy("f.file_id", (order) => order.collate("C").desc())
    .limit(MAX_LISTED)
    .execute()
}

const noInput = z.strictObject({})

export function listFilesTool(ctx: Context, turn: ToolTurn): BoundTool {
  return builtin(
    {
      name: "list_files",
      description: "Lists the files of this conversation, newest first.",
      input: noInput,
    },
    async () => {
      const files = await visibleFiles(ctx, turn)
      return jsonRun(files.map(({ file_id, name, media_type, bytes }) => ({ file_id, name, media_type, bytes })))
    },
  )
}

const fileToRead = z.strictObject({
  file: z.string().min(1).max(300).meta({ description: "The file's name or file_id." }),
  offset: z.int().min(0).optional().meta({ description: "From which byte of a text on. Default 0." }),
})

export function readFileTool(ctx: Context, turn: ToolTurn): BoundTool {
  return builtin(
    {
      name: "read_file",
      description: "Reads a file of this conversation: text, an image or a PDF.",
      input: fileToRead,
    },
    async ({ file: wanted, offset = 0 }) => {
      const files = await visibleFiles(ctx, turn)
      const file = files.find(({ file_id, name }) => file_id === wanted || name === wanted)
      if (!file) return errorRun(`There is no file "${wanted}" in this conversation.`)
      if (isText(file.media_type)) return readText(ctx, file, offset)
      if (!/^(image\/(png|jpeg|gif|webp)|application\/pdf)$/.test(essence(file.media_type))) {
        return errorRun(`${file.name} is ${file.media_type}, which cannot be shown.`)
      }
      if (file.bytes > TOOL_POLICY.maxImageBytes) return errorRun(`${file.name} is too large to be shown.`)
      return { output: { type: "parts", value: [{ type: "text", text: file.name }, objectPart(file)] } }
    },
  )
}

/** Leaves room for the sentence around the text. */
const SHOWN_TEXT_BYTES = TOOL_POLICY.maxResultBytes - 200
/** A byte of another charset becomes at most three bytes in UTF-8. */
const OTHER_WINDOW_BYTES = Math.floor(SHOWN_TEXT_BYTES / 3)

async function readText(ctx: Context, file: VisibleFile, offset: number) {
  if (offset >= file.bytes && file.bytes > 0) return errorRun(`${file.name} has only ${file.bytes} bytes.`)
  const window = TOOL_POLICY.fileWindowBytes
  const range = { offset, length: window }
  const read = file.bytes === 0 ? new Uint8Array() : await ctx.files.read(file.object_key, { range })
  if (!read) return errorRun(`${file.name} no longer exists.`)
  const head = offset === 0 ? read : await ctx.files.read(file.object_key, { range: { offset: 0, length: 3 } })
  const charset = charsetOf(head ?? read, file.media_type)
  const bytes = charset === "utf-8" ? read : read.subarray(0, OTHER_WINDOW_BYTES)
  const edges = { first: offset === 0, last: offset + bytes.length >= file.bytes }
  const { from, to } =
    charset === "utf-8" ? wholeCharacters(bytes, edges) : wholeUnits(bytes, { charset, offset, last: edges.last })
  const text = cutToBytes(storable(decoderOf(charset).decode(bytes.subarray(from, to))), SHOWN_TEXT_BYTES)
  const end = offset + to
  const more = end < file.bytes ? `\n[bytes ${offset}–${end} of ${file.bytes}; continue with offset ${end}]` : ""
  return { output: { type: "text" as const, value: `${text}${more}` || "(an empty file)" } }
}

/** Cuts incomplete characters from the edges of a window of UTF-8, except at the start and end of the file. */
function wholeCharacters(bytes: Uint8Array, { first, last }: { first: boolean; last: boolean }) {
  const continues = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80
  let from = 0
  while (!first && from < 3 && continues(from)) from++
  if (last) return { from, to: bytes.length }
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && lead > from && continues(lead)) lead--
  const byte = bytes[lead] ?? 0
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
  return { from, to: lead + length > bytes.length ? lead : bytes.length }
}

/**
 * Does the same for another charset. The window starts where the previous one ended.
 * UTF-16 has two bytes per unit.
 */
function wholeUnits(
  bytes: Uint8Array,
  { charset, offset, last }: { charset: string; offset: number; last: boolean },
): { from: number; to: number } {
  const isWide = charset.startsWith("utf-16")
  const from = isWide ? Math.min(offset % 2, bytes.length) : 0
  for (let to = bytes.length; !last && to > Math.max(from, bytes.length - 4); to--) {
    if (isWhole(bytes.subarray(from, to), charset)) return { from, to }
  }
  return { from, to: isWide ? bytes.length - ((bytes.length - from) % 2) : bytes.length }
}

function isWhole(bytes: Uint8Array, charset: string): boolean {
  try {
    decoderOf(charset, true).decode(bytes)
    return true
  } catch {
    return false
  }
}

export function objectPart({ name, media_type, bytes, object_key }: VisibleFile): ObjectPart {
  return { type: "object", objectKey: object_key, name, mediaType: media_type, bytes }
}

/**
 * Stores the bytes of a file that a call made. The object key depends on the call only, so a
 * repeated call overwrites the same object.
 */
export async function keepFile(
  ctx: Context,
  { turn_id }: ToolTurn,
  { step, call }: { step: number; call: number },
  { name, mediaType, bytes }: { name: string; mediaType: string; bytes: Uint8Array<ArrayBuffer> },
): Promise<MadeFile> {
  const file: MadeFile = {
    file_id: newId("file", ctx.clock.now()),
    name: safeName(name),
    media_type: mediaType,
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    object_key: `turns/${turn_id}/${step}.${call}`,
    place: step * TOOL_POLICY.callsPerStep + call,
  }
  await ctx.files.put(file.object_key, bytes)
  return file
}

/**
 * The reason, written for the model, why the account cannot store another
 * file of this size; null if it can.
 */
export async function fileLimit(ctx: Context, { user_id }: ToolTurn, bytes: number): Promise<string | null> {
  const { file_limit: reached } = await callOne(ctx.db, "file_limit", { user_id, bytes })
  return reached === null ? null : countReached(reached).message
}

const fileToWrite = z.strictObject({
  name: z.string().min(1).max(300).meta({ description: "Its name, with an extension." }),
  content: z.string().meta({ description: "Its whole text." }),
  media_type: z.string().max(100).optional().meta({ description: "Default: what the extension says." }),
})

/**
 * The file's row is written with the call's result. It becomes an output when the turn is done. A
 * later file with the same name replaces it.
 */
export function writeFileTool(ctx: Context, turn: ToolTurn): BoundTool {
  return builtin(
    { name: "write_file", description: "Writes a text file that is returned with the result.", input: fileToWrite },
    async ({ name, content, media_type }, { step, call }) => {
      const bytes = new TextEncoder().encode(content) as Uint8Array<ArrayBuffer>
      if (bytes.length > TOOL_POLICY.maxFileBytes) {
        return errorRun(`The content has ${bytes.length} bytes; at most ${TOOL_POLICY.maxFileBytes} are possible.`)
      }
      const limit = await fileLimit(ctx, turn, bytes.length)
      if (limit) return errorRun(limit)
      const mediaType = media_type ? safeMediaType(media_type) : (mediaTypeOf(safeName(name)) ?? "text/plain")
      const file = await keepFile(ctx, turn, { step, call }, { name, mediaType, bytes })
      const { object_key: _key, place: _place, ...shown } = file
      return { ...jsonRun(shown), files: [file] }
    },
  )
}
