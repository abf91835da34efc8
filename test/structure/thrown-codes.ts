import { dirname, join } from "node:path"
import { parseSync } from "oxc-parser"
import { ERROR_CODES, type ErrorCode } from "../../src/base/errors.ts"
import { filesBelow, read } from "./source.ts"

/** A node of the syntax tree. */
export interface Node {
  type: string
  [field: string]: unknown
}

/** A declaration at the top level of a file: the codes in it, and the declarations that it mentions. */
interface Declared {
  codes: Set<ErrorCode>
  mentions: string[]
}

/** How TypeScript's expressions without effect at run time begin; all other nodes of this kind are types. */
const TYPED = /^TS(As|Satisfies|NonNull)/

const keyOf = (path: string, name: string) => `${path}:${name}`

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((one): one is Node => typeof (one as Node | null)?.type === "string")

const isCode = (value: unknown): value is ErrorCode => typeof value === "string" && Object.hasOwn(ERROR_CODES, value)

/** The parts of a node that can throw or call: no types, no names of fields, no schemas, no comparisons with a code. */
function partsOf(node: Node): Node[] {
  const parts = childrenOf(node).filter(({ type }) => !type.startsWith("TS") || TYPED.test(type))
  if (node.type === "BinaryExpression" || node.type === "SwitchCase") return parts.filter(({ value }) => !isCode(value))
  if (node.type === "CallExpression" && isComparison(node.callee as Node)) return []
  if ("key" in node && !node.computed) return parts.filter((one) => one !== node.key)
  if (node.type === "MemberExpression" && !node.computed) return [node.object as Node]
  return parts
}

/** `z.literal(…)` and `[…].includes(…)`. */

const isComparison = ({ object, property }: { object?: { name?: string }; property?: { name?: string } } & Node) =>
  object?.name === "z" || property?.name === "includes"

function look(node: Node, found: { names: Set<string>; codes: Set<ErrorCode> }) {
  if (node.type === "Identifier") found.names.add(node.name as string)
  if (node.type === "Literal" && isCode(node.value)) found.codes.add(node.value)
  for (const part of partsOf(node)) look(part, found)
  return found
}

const boundBy = (pattern: Node): string[] =>
  pattern.type === "Identifier" ? [pattern.name as string] : childrenOf(pattern).flatMap(boundBy)

/** The declarations of a statement by name. */
function declaredBy(statement: Node): [name: string, node: Node][] {
  const declaration = (statement.declaration ?? statement) as Node & {
    id?: Node
    declarations?: (Node & { id: Node })[]
  }
  if (declaration.declarations) {
    return declaration.declarations.flatMap((one) => boundBy(one.id).map((name): [string, Node] => [name, one]))
  }
  return declaration.id ? [[declaration.id.name as string, declaration]] : []
}

const graph = new Map<string, Declared>()
const imports = new Map<string, Map<string, string>>()
const bodies = new Map<string, Node[]>()

function mentionedBy(path: string, node: Node): Declared {
  const { names, codes } = look(node, { names: new Set(), codes: new Set() })
  return { codes, mentions: [...names].map((name) => imports.get(path)?.get(name) ?? keyOf(path, name)) }
}

for (const path of filesBelow("src")) {
  const body = parseSync(path, read(path)).program.body as unknown as Node[]
  bodies.set(path, body)
  const imported = new Map<string, string>()
  imports.set(path, imported)
  for (const { type, source, specifiers } of body) {
    const from = (source as { value: string } | null)?.value ?? ""
    if (type !== "ImportDeclaration" || !from.startsWith(".")) continue
    for (const { local, imported: there } of specifiers as { local: Node; imported?: Node }[]) {
      imported.set(local.name as string, keyOf(join(dirname(path), from), (there ?? local).name as string))
    }
  }
  for (const statement of body) {
    for (const [name, node] of declaredBy(statement)) graph.set(keyOf(path, name), mentionedBy(path, node))
  }
}

/** The name of the list of a verb: ACCEPT_TURN_ERRORS for `acceptTurn`. */
const listOf = (verb: string) => `${verb.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}_ERRORS`

/**
 * The codes that declarations can throw. It follows each name that a declaration mentions, except the `ends`. So a code
 * counts if any way through the source leads to it. `never` removes codes, by the name of a declaration.
 */
export function thrownCodes(ends: readonly string[], never: Record<string, readonly ErrorCode[]>) {
  const nameOf = (key: string) => key.slice(key.lastIndexOf(":") + 1)
  const isEnd = (key: string) => ends.includes(nameOf(key)) || key.endsWith("_ERRORS")
  const thrown = new Map([...graph].map(([key]) => [key, new Set<ErrorCode>()]))
  const add = (name: string, { codes, mentions }: Declared, into: Set<ErrorCode>) => {
    for (const code of [codes, ...mentions.map((one) => thrown.get(one) ?? [])].flatMap((one) => [...one])) {
      if (!never[name]?.includes(code)) into.add(code)
    }
  }
  for (let grows = true; grows; ) {
    grows = false
    for (const [key, declared] of graph) {
      const into = thrown.get(key) as Set<ErrorCode>
      const before = into.size
      if (!isEnd(key)) add(nameOf(key), declared, into)
      grows ||= into.size !== before
    }
  }
  return {
    /** The codes of an operation's handler. */
    by({ path, id, handler }: Mounted): Set<ErrorCode> {
      const found = new Set<ErrorCode>()
      add(String(id), mentionedBy(path, handler), found)
      return found
    },
    /** The codes of the verb that a list in the same file is named after. */
    byVerbOf(path: string, list: string): Set<ErrorCode> | undefined {
      const verb = [...graph.keys()].find((key) => key.startsWith(`${path}:`) && listOf(nameOf(key)) === list)
      return verb === undefined ? undefined : thrown.get(verb)
    },
  }
}

/** An operation in the source of the routes. Its id is a text, or a pattern if the source makes it from others. */
export interface Mounted {
  path: string
  id: string | RegExp
  handler: Node
}

export const mounted: Mounted[] = [...bodies].flatMap(([path, body]) =>
  path.startsWith("src/routes") ? body.flatMap(callsIn).map((call) => ({ path, ...operationOf(call) })) : [],
)

function callsIn(node: Node): Node[] {
  const { callee } = node as { callee?: { property?: { name?: string } } }
  return callee?.property?.name === "operation" ? [node] : childrenOf(node).flatMap(callsIn)
}

function operationOf(call: Node): Pick<Mounted, "id" | "handler"> {
  const [options, handler] = call.arguments as [{ properties: { key?: Node; value: Node }[] }, Node]
  const id = options.properties.find(({ key }) => key?.name === "id")?.value
  if (!id || !handler) throw new Error("an operation has no id or no handler in its call")
  if (id.type === "Literal") return { id: id.value as string, handler }
  const texts = (id.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
  return { id: new RegExp(`^${texts.join("[A-Z][A-Za-z]*")}$`), handler }
}
