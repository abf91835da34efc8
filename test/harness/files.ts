import { createHash } from "node:crypto"
import { FILE_POLICY } from "../../src/files/policies.ts"
import type { TestClient, World } from "./world.ts"

export interface FileAnswer {
  file_id: string
  name: string
  media_type: string
  bytes: number
  sha256: string
}

export const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex")

/** So many bytes as a stream that is made while it is read; `breakAt`: where it fails. */
export function streamOf(total: number, { breakAt }: { breakAt?: number } = {}): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(1024 * 1024).fill(97)
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      if (breakAt !== undefined && sent >= breakAt) return controller.error(new Error("the client went away"))
      if (sent >= total) return controller.close()
      const next = piece.subarray(0, Math.min(piece.length, total - sent))
      sent += next.length
      controller.enqueue(next)
    },
  })
}

export const upload = (
  world: World,
  client: TestClient,
  space: string,
  query: string,
  body: BodyInit | null,
  headers: Record<string, string> = {},
) =>
  world.invoke(
    new Request(`https://api.test/v1/spaces/${space}/files${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.key}`, ...headers },
      body,
    }),
  )

export const listed = async (client: TestClient, space: string) =>
  ((await (await client.call("GET", `/v1/spaces/${space}/files`)).json()) as { data: FileAnswer[] }).data

/** Everything that is left of a space's uploads after the sweeper: rows that are not deleted, and objects. */
export async function remains(world: World, client: TestClient): Promise<{ rows: number; objects: number }> {
  await world.advance(FILE_POLICY.uploadLimitMs)
  await world.sweep()
  const rows = await world.sql<{ state: string; object_key: string }>(
    "select state, object_key from files where user_id = $1",
    [client.userId],
  )
  const bucket = world.env.FILES as R2Bucket
  const objects = await Promise.all(rows.map(({ object_key }) => bucket.head(object_key)))
  return { rows: rows.filter(({ state }) => state !== "deleted").length, objects: objects.filter(Boolean).length }
}
