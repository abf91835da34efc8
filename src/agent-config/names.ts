import * as z from "zod"

/**
 * Names of tools, servers and secrets. `__` joins a server and its tool, so names must not contain it, and a
 * server's name must not end with `_`. These rules are part of the patterns, so that the OpenAPI document shows
 * them.
 */

/** The tool that creates pictures. It is the only built-in tool with a price of its own. */
export const GENERATE_IMAGE = "generate_image"

export const BUILTIN_TOOLS = [
  "list_files",
  "read_file",
  "write_file",
  "create_task",
  "update_task",
  GENERATE_IMAGE,
] as const
export type BuiltinTool = (typeof BUILTIN_TOOLS)[number]

/** The tool that delegates a task to a sub-agent. Agents have it if the manifest has sub-agents. */
export const DELEGATE = "delegate"

/** The tools of an agent that has too many to list: one finds tools by words, the other calls a tool by its name. */
export const FIND_TOOLS = "find_tools"
export const CALL_TOOL = "call_tool"

const reserved: readonly string[] = [...BUILTIN_TOOLS, DELEGATE, FIND_TOOLS, CALL_TOOL]

export const toolName = z
  .string()
  .regex(/^(?!.*__)[A-Za-z][A-Za-z0-9_-]{0,47}$/, "must be a letter, then at most 47 letters, digits, - and single _")
  .refine((name) => !reserved.includes(name), "is the name of a built-in tool")
  .meta({ example: "lookup_order" })

/** The server's name under which an owner's agent sees the tools of the containers of its space. */
export const CONTAINER = "container"

/** A tool of a turn's caller. Agents join the names of their own servers and tools with `__`, too. */
export const callerToolName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "must be a letter, then at most 63 letters, digits, - and _")
  .refine((name) => !reserved.includes(name), "is the name of a built-in tool")
  .refine((name) => !name.startsWith(`${CONTAINER}__`), "is a name of a container's tool")
  .meta({ example: "lookup_order" })

export const serverName = z
  .string()
  .regex(
    /^(?!.*__)[A-Za-z]([A-Za-z0-9_-]{0,30}[A-Za-z0-9-])?$/,
    "a letter, then at most 31 letters, digits, - and single _, not _ at its end",
  )
  .meta({ example: "docs" })

export const secretName = z
  .string()
  .regex(/^(?!__)[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be a letter or one _, then at most 63 letters, digits and _")
  .meta({ example: "ORDERS_TOKEN" })

export const subagentName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,47}$/, "must be a letter, then at most 47 letters, digits, _ and -")
