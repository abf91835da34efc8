import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { type ReportFile, type ShownFile, serializeReportFile } from "./report-file.ts"

type Row = ShownFile & Pick<JsonRow<"report_files">, "parts">

/** A file that the calling admin has asked for and that has not expired. Throws NOT_FOUND. */
async function readReportFile(ctx: Context, credential: SessionCredential, fileId: string): Promise<Row> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("report_files as f")
        .innerJoin("caller", (join) => join.onRef("caller.user_id", "=", "f.user_id"))
        .where("f.file_id", "=", fileId)
        .where((eb) => eb.or([eb("f.expires_at", "is", null), eb("f.expires_at", ">", ctx.clock.now())]))
        .select(["f.file_id", "f.report", "f.state", "f.written", "f.total", "f.rows", "f.bytes", "f.parts"])
        .select(["f.created_at", "f.expires_at"]),
    { role: "admin" },
  )
  if (!rows[0]) throw notFound(fileId)
  return rows[0]
}

const notFound = (fileId: string) =>
  new TurnpikeError("NOT_FOUND", `There is no file "${fileId}" of a report that you have asked for.`)

export async function getReportFile(ctx: Context, credential: SessionCredential, fileId: string): Promise<ReportFile> {
  return serializeReportFile(await readReportFile(ctx, credential, fileId))
}

/** The report of a file that is ready, and its parts as one stream. Throws NOT_FOUND also while it is made. */
export async function openReportFile(
  ctx: Context,
  credential: SessionCredential,
  fileId: string,
): Promise<{ report: string; open: () => ReadableStream }> {
  const { state, report, parts } = await readReportFile(ctx, credential, fileId)
  if (state !== "ready") throw notFound(fileId)
  return { report, open: () => joined(ctx, parts) }
}

/** The bytes of objects, one after the other. They do not pass through our code. A failure breaks the download. */
function joined({ files, background }: Context, keys: string[]): ReadableStream {
  const { readable, writable } = new IdentityTransformStream()
  const pipe = async () => {
    try {
      for (const key of keys) {
        const object = await files.get(key)
        if (!object) throw new Error("an object of the file is missing")
        await object.body.pipeTo(writable, { preventClose: true })
      }
      await writable.close()
    } catch (error) {
      await writable.abort(error).catch(() => {})
    }
  }
  background(pipe())
  return readable
}
