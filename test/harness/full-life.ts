import { orderTool, serveCustomer } from "./customer.ts"
import { createFileClient } from "./files.ts"
import { type TestClient, turnOf, type World } from "./world.ts"

/** Unique words, one for each part of the data that an end user's turns leave. */
export function canariesOf(person: string) {
  const places = [
    "text",
    "result",
    "metadataKey",
    "metadata",
    "conversation",
    "toolInput",
    "toolAnswer",
    "toolError",
    "toolName",
    "mcpInput",
    "mcpText",
    "mcpImage",
    "subagentTask",
    "subagentAnswer",
    "uploadName",
    "uploadBytes",
    "deletedUpload",
    "madeName",
    "madeBytes",
    "overwritten",
    "unfinished",
    "taskTitle",
    "taskText",
    "errorMessage",
    "streamed",
    "queued",
    "lostObject",
    "history",
    "echoed",
  ] as const
  return Object.fromEntries(places.map((place) => [place, `canary-${person}-${place}`])) as Record<
    (typeof places)[number],
    string
  >
}

export type Canaries = ReturnType<typeof canariesOf>

const CONFIG = {
  tools: [orderTool("api.customer.com"), orderTool("down.customer.com", { name: "broken" })],
  mcp_servers: [{ name: "camera", url: "https://camera.customer.com/mcp" }],
  secrets: { TOKEN: "open sesame" },
  manifest: {
    builtin_tools: ["list_files", "read_file", "write_file", "create_task", "update_task"],
    subagents: [{ name: "researcher", description: "Looks things up." }],
  },
}

export const spaceOf = (client: TestClient) => client.space(CONFIG)

/** Customer servers that echo their request: a REST server, one that fails, and an MCP server with images. */
export function serveEchoes(world: World): void {
  serveCustomer(world, {
    answer: ({ url }) => Response.json({ answer: decodeURIComponent(url).replace("Input", "Answer") }),
  })
  world.serve("down.customer.com", (request) => new Response(`no ${decodeURIComponent(request.url)}`, { status: 500 }))
  // A webhook receiver that echoes its request.
  world.serve("hooks.customer.com", async (request) => {
    const [heard = "nothing"] = /canary-\w+-queued/.exec(await request.text()) ?? []
    return new Response(heard.replace("queued", "echoed"))
  })
  world.serve("camera.customer.com", async (request) => {
    if (request.method !== "POST") return new Response(null, { status: request.method === "DELETE" ? 200 : 405 })
    const { id, method, params } = (await request.json()) as {
      id?: number
      method: string
      params?: { arguments?: { of?: string } }
    }
    if (id === undefined) return new Response(null, { status: 202 })
    const of = params?.arguments?.of ?? ""
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "c", version: "1" },
      },
      "tools/list": { tools: [{ name: "shoot", description: "x", inputSchema: { type: "object" } }] },
      "tools/call": {
        content: [
          { type: "text", text: of.replace("mcpInput", "mcpText") },
          { type: "image", mimeType: "image/png", data: btoa(`PNG ${of.replace("mcpInput", "mcpImage")} PNG`) },
        ],
      },
    }
    return Response.json({ jsonrpc: "2.0", id, result: results[method] ?? {} })
  })
}

/**
 * Runs turns of an end user that leave data in every table and in the bucket. All of them end,
 * unless `unfinished` is set.
 */
export async function liveFully(
  world: World,
  client: TestClient,
  { space, ref, words, shared }: { space: string; ref: string; words: Canaries; shared?: string },
): Promise<{ turnIds: string[]; upload: string }> {
  await client.call("POST", "/v1/webhooks", { url: "https://hooks.customer.com/" })
  const files = createFileClient(world, client)
  const upload = await files.add(space, `?name=${words.uploadName}.txt`, `bytes ${words.uploadBytes}`)
  const deleted = await files.add(space, `?name=${words.deletedUpload}.txt`)
  const send = async (text: string, body: object = {}) =>
    (await turnOf(await client.sendTurn({ space, end_user_ref: ref, text, ...body }))).turn_id
  const turnIds = [
    await send(
      [
        `[call lookup_order {"id":"${words.toolInput}"}]`,
        `[and call broken {"id":"${words.toolError}"}]`,
        `[and call ${words.toolName.replaceAll("-", "_")} {}]`,
        `[call camera__shoot {"of":"${words.mcpInput}"}]`,
        `[delegate researcher ${words.subagentTask}\\n[reply ${words.subagentAnswer}]]`,
        `[write ${words.madeName}.txt ${words.overwritten}]`,
        `[write ${words.madeName}.txt ${words.madeBytes}]`,
        `[call create_task {"title":"${words.taskTitle}","description":"${words.taskText}","flow":"${words.taskText}"}]`,
        "[call list_files {}]",
        `[reply ${words.result}]`,
        words.text,
      ].join("\n"),
      {
        files: [upload.file_id, deleted.file_id, ...(shared ? [shared] : [])],
        metadata: { [words.metadataKey]: words.metadata },
        conversation: words.conversation,
      },
    ),
    await send(words.history),
  ]
  await world.drain()
  turnIds.push(
    await send(`[${words.errorMessage}]`),
    await send(`[write ${words.unfinished}.txt x]\n[fail OUT_OF_STOCK]`),
  )
  await world.drain()
  const streamed = await send(`[reply ${words.streamed}]`)
  await world.sql("update turns set stream_until = $2 where turn_id = $1", [
    streamed,
    new Date(world.clock.ms() + 60_000).toISOString(),
  ])
  await world.drain()
  const queued = await send(words.queued)
  await client.call("POST", `/v1/turns/${queued}/cancel`)
  await client.call("DELETE", `/v1/files/${deleted.file_id}`)
  await world.drain()
  // Like a call whose step was never committed: an object without a row.
  await world.bucket.put(`turns/${turnIds[0]}/9.9`, words.lostObject)
  return { turnIds: [...turnIds, streamed, queued], upload: upload.file_id }
}
