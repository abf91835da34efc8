import * as z from "zod"
import type { Credential } from "../../actor/actor.ts"
import type { Context } from "../../actor/context.ts"
import { needsSpaceRole } from "../../actor/shares.ts"
import { mcpServerSchema, putMcpServerSchema } from "../../agent-config/mcp-server.ts"
import { serverName, toolName } from "../../agent-config/names.ts"
import { putToolSchema, toolSchema } from "../../agent-config/tool.ts"
import { composed } from "../../base/casts.ts"
import { TurnpikeError } from "../../base/errors.ts"
import { countInWords } from "../../base/in-words.ts"
import { mcpCheckSchema, toolTestSchema } from "../../callbacks/tool-trials.ts"
import type { App } from "../../http/app.ts"
import { idParam } from "../../http/query.ts"
import { listServerFailures, serverFailureSchema } from "../../infrastructure/list-server-failures.ts"
import { getSpace } from "../../spaces/get-space.ts"
import { PUT_ENTRY_ERRORS, putMcpServer, putTool, REMOVE_ENTRY_ERRORS, removeEntry } from "../../spaces/put-tool.ts"
import {
  CHECK_MCP_SERVER_ERRORS,
  checkMcpServer,
  TEST_TOOL_ERRORS,
  testTool,
  testToolSchema,
  triedForRef,
} from "../../spaces/try-tool.ts"
import { KEPT_CHARACTERS } from "../../tools/mcp-pins.ts"
import { bareQuery, type Mounting, wholeListAt } from "../mounting.ts"
import { deletedSchema } from "./config.ts"

const tag = "Tools"

/** Tools and MCP servers of a space. Mounted for keys and for a signed-in user. */
export function mountTools(app: App, mounting: Mounting) {
  const { prefix } = mounting
  const query = bareQuery(mounting)
  mountEntries(app, mounting, {
    path: "tools",
    id: "Tool",
    word: "tool",
    article: "a",
    column: "tools",
    name: toolName,
    schema: toolSchema,
    putSchema: putToolSchema,
    put: putTool,
  })
  mountEntries(app, mounting, {
    path: "mcp-servers",
    id: "McpServer",
    word: "MCP server",
    article: "an",
    column: "mcp_servers",
    name: serverName,
    schema: mcpServerSchema,
    putSchema: putMcpServerSchema,
    put: putMcpServer,
  })

  mountServerFailures(app, mounting)
  app.operation(
    {
      method: "post",
      path: `${prefix}/spaces/{space_id}/tools/{name}/test`,
      id: "testTool",
      tag,
      summary: "Call a tool once",
      description:
        "Sends the tool's request with this input, as an agent's call would, and returns the request and the " +
        "response. Secrets are masked. The tool gets your Idempotency-Key, or a new one if you send none. " +
        "If your server deduplicates by that key, you can repeat a test with the same key and its effect happens " +
        "only once.",
      idempotent: "naturally",
      params: z.object({ space_id: idParam, name: toolName }),
      query,
      body: testToolSchema,
      answer: { status: 200, description: "The request that was sent, and the response.", schema: toolTestSchema },
      errors: TEST_TOOL_ERRORS,
      spaceRole: needsSpaceRole("admin"),
    },
    async (c, { params: { space_id: spaceId, name }, body, once }) =>
      testTool(c.get("ctx"), c.get("credential"), { spaceId, name, body, key: once?.key }),
  )

  app.operation(
    {
      method: "post",
      path: `${prefix}/spaces/{space_id}/mcp-servers/{name}/check`,
      id: "checkMcpServer",
      tag,
      summary: "Connect to an MCP server",
      description:
        "Connects as a turn would and lists the tools. It changes nothing in the space, so an " +
        "Idempotency-Key has no effect. The first check or turn after you put a server pins its tools: name, description, input and " +
        "output schema. Turns use the pinned tools. A tool is left out of turns if it is new, if its input schema has changed, or if its description has changed and the " +
        `pinned one is longer than ${countInWords(KEPT_CHARACTERS)} characters. ` +
        "`changed` lists each tool whose definition differs from the pinned one. To accept the latest definitions, PUT " +
        "the server again without changes. This creates a new version of the configuration.",
      idempotent: "naturally",
      params: z.object({ space_id: idParam, name: serverName }),
      query: bareQuery(mounting, { end_user_ref: triedForRef }),
      answer: {
        status: 200,
        description: "The server's tools, or the reason why it could not be reached.",
        schema: mcpCheckSchema,
      },
      errors: CHECK_MCP_SERVER_ERRORS,
    },
    async (c, { params: { space_id: spaceId, name }, query: { end_user_ref } }) => {
      const endUser = triedForRef.parse(end_user_ref)
      return checkMcpServer(c.get("ctx"), c.get("credential"), { spaceId, name, endUser })
    },
  )
}

/** Mounts the list of optional servers that do not answer. */
function mountServerFailures(app: App, mounting: Mounting) {
  const list = wholeListAt(mounting, serverFailureSchema)
  app.operation(
    {
      method: "get",
      path: `${mounting.prefix}/spaces/{space_id}/mcp-server-failures`,
      id: "listMcpServerFailures",
      tag,
      summary: "List MCP servers that do not answer",
      description:
        "The optional MCP servers of the space (`required: false`) that did not answer the last turn that asked them. A server that " +
        "answers again, or that you put again, is not listed.",
      params: z.object({ space_id: idParam }),
      query: bareQuery(mounting),
      answer: { status: 200, description: "All such servers, by name.", schema: list.schema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { space_id } }) =>
      list.of(await listServerFailures(c.get("ctx"), c.get("credential"), space_id)),
  )
}

interface Entries<Entry extends { name: string }, Put extends { name?: string | undefined }> {
  path: string
  id: string
  word: string
  article: "a" | "an"
  column: "tools" | "mcp_servers"
  name: z.ZodType<string, string>
  schema: z.ZodType<Entry, Entry>
  putSchema: z.ZodType<Put, Put>
  put(ctx: Context, credential: Credential, spaceId: string, entry: Entry): Promise<Entry>
}

/** Mounts list, read, put and delete for tools or for MCP servers. */
function mountEntries<Entry extends { name: string }, Put extends Omit<Entry, "name"> & { name?: string | undefined }>(
  app: App,
  mounting: Mounting,
  { path, id, word, article, column, name, schema, putSchema, put }: Entries<Entry, Put>,
) {
  const all = `${mounting.prefix}/spaces/{space_id}/${path}`
  const params = z.object({ space_id: idParam, name })
  const query = bareQuery(mounting)
  const list = wholeListAt(mounting, schema)
  const entriesOf = async (ctx: Context, credential: Credential, spaceId: string) => {
    const space = await getSpace(ctx, credential, spaceId)
    return composed<Record<string, Entry>>(space[column])
  }

  app.operation(
    {
      method: "get",
      path: all,
      id: `list${id}s`,
      tag,
      summary: `List a space's ${word}s`,
      params: z.object({ space_id: idParam }),
      query,
      answer: { status: 200, description: `All ${word}s, by name.`, schema: list.schema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { space_id } }) => {
      const entries = await entriesOf(c.get("ctx"), c.get("credential"), space_id)
      return list.of(Object.values(entries).sort((a, b) => (a.name < b.name ? -1 : 1)))
    },
  )

  app.operation(
    {
      method: "get",
      path: `${all}/{name}`,
      id: `get${id}`,
      tagged: {},
      tag,
      summary: `Read ${article} ${word}`,
      params,
      query,
      answer: { status: 200, description: `The ${word}.`, schema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { space_id, name: wanted } }) => {
      const entries = await entriesOf(c.get("ctx"), c.get("credential"), space_id)
      const entry = Object.hasOwn(entries, wanted) ? entries[wanted] : undefined
      if (!entry) throw new TurnpikeError("NOT_FOUND", `The space has no ${word} "${wanted}".`, { param: "name" })
      return entry
    },
  )

  app.operation(
    {
      method: "put",
      path: `${all}/{name}`,
      id: `put${id}`,
      tagged: {},
      tag,
      summary: `Add or replace ${article} ${word}`,
      description: "Running turns keep the configuration with which they started.",
      params,
      query,
      body: putSchema,
      answer: { status: 200, description: `The ${word}.`, schema },
      errors: PUT_ENTRY_ERRORS,
      spaceRole: needsSpaceRole("admin"),
    },
    async (c, { params: { space_id, name: wanted }, body }) => {
      if (body.name !== undefined && body.name !== wanted) {
        const message = `name: is "${body.name}", but the path says "${wanted}"`
        throw new TurnpikeError("VALIDATION_FAILED", message, { param: "name" })
      }
      return put(c.get("ctx"), c.get("credential"), space_id, composed<Entry>({ ...body, name: wanted }))
    },
  )

  app.operation(
    {
      method: "delete",
      path: `${all}/{name}`,
      id: `delete${id}`,
      tagged: {},
      tag,
      summary: `Delete ${article} ${word}`,
      params,
      query,
      answer: { status: 200, description: `The ${word} was deleted.`, schema: deletedSchema },
      errors: REMOVE_ENTRY_ERRORS,
    },
    async (c, { params: { space_id, name: wanted } }) => {
      await removeEntry(c.get("ctx"), c.get("credential"), space_id, { column, name: wanted })
      return { name: wanted, deleted: true as const }
    },
  )
}
