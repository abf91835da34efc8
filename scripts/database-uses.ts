import { parseSync } from "oxc-parser"

/** The objects of the database that a bundle uses. */
export interface DatabaseUses {
  /** The procedures that it calls. */
  called: Set<string>
  /** The functions that it uses within queries of the query builder. */
  inlined: Set<string>
  /** The tables that its queries read. */
  tables: Map<string, TableUse[]>
}

/** One query that reads a table. */
export interface TableUse {
  alias: string
  /** Every string in the query, among them its columns. From functions that extend the query: columns with an alias. */
  texts: Set<string>
  /** True if the query selects whole rows of the table. */
  whole: boolean
}

type Kind = "called" | "inlined"

/** The functions of src/platform/db.ts that take a procedure's name: for a call, and for a function within a query. */
const ENDS: Record<Kind, string> = { called: "statementOf", inlined: "released" }

/** The methods of the query builder whose first argument is a table. */
const READS = /^(selectFrom|from|.*[jJ]oin(Lateral)?)$/

interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

interface Scope {
  name: string | null
  parameters: (string | null)[]
  /** The variables that are initialised in their declaration. */
  constants: Map<string, Node>
}

interface Call {
  node: Node
  /** The enclosing functions, the innermost first. */
  scopes: Scope[]
  /** The statement that contains the call, and with it the whole query. */
  statement: Node
}

/** A function, and the index of its parameter that is a procedure's name. */
interface Carrier {
  name: string
  parameter: number
}

/**
 * Finds the database objects that a bundle uses in its syntax tree. It follows the names of procedures from the
 * functions in ENDS through parameters of their callers to strings. Throws if a name is anything else, because a
 * worker's rights would then be unknown.
 */
export function databaseUses(code: string): DatabaseUses {
  const { program, errors } = parseSync("worker.js", code)
  if (errors[0]) throw new Error(errors[0].message)
  const calls = callsOf(program as unknown as Node)
  const byName = Map.groupBy(calls, ({ node }) => identifier(node.callee) ?? "")
  return { called: named("called", byName), inlined: named("inlined", byName), tables: tablesOf(calls, byName) }
}

function named(kind: Kind, byName: Map<string, Call[]>): Set<string> {
  const found = new Set<string>()
  const known = new Set<string>()
  const carriers: Carrier[] = [{ name: ENDS[kind], parameter: 0 }]
  for (const { name, parameter } of carriers) {
    if (known.has(`${name} ${parameter}`)) continue
    known.add(`${name} ${parameter}`)
    for (const call of byName.get(name) ?? []) {
      const given = (call.node.arguments as Node[])[parameter]
      for (const one of given ? namesIn(given, call) : []) {
        if (typeof one === "string") found.add(one)
        else carriers.push(one)
      }
    }
  }
  return found
}

/** The possible values of an argument: strings, and parameters of enclosing functions. */
function namesIn(node: Node, call: Call): (string | Carrier)[] {
  const text = textOf(node)
  if (text !== null) return [text]
  if (node.type === "ConditionalExpression") {
    return [...namesIn(node.consequent as Node, call), ...namesIn(node.alternate as Node, call)]
  }
  const name = identifier(node)
  for (const scope of name ? call.scopes : []) {
    const parameter = scope.parameters.indexOf(name)
    if (parameter >= 0 && scope.name) return [{ name: scope.name, parameter }]
    const constant = scope.constants.get(name as string)
    if (constant) return namesIn(constant, call)
    if (parameter >= 0) break
  }
  throw new Error(
    `cannot find the name of a procedure, because it is neither a string nor a parameter (${node.start} to ${node.end} of the bundle)`,
  )
}

function tablesOf(calls: Call[], byName: Map<string, Call[]>): Map<string, TableUse[]> {
  const tables = new Map<string, TableUse[]>()
  for (const call of calls) {
    const { node } = call
    const [given] = node.arguments as Node[]
    if (!given || !READS.test(methodOf(node) ?? "")) continue
    const sources = given.type === "ArrayExpression" ? (given.elements as Node[]) : [given]
    for (const text of sources.map(textOf)) {
      const [, table, alias = table] = /^(\w+)(?: as (\w+))?$/.exec(text ?? "") ?? []
      if (!table || !alias) continue
      const [own, ...others] = buildersOf(call, byName).map(({ statement, scopes }) => textsIn(statement, scopes))
      const named = others.flatMap(({ texts }) => [...texts].filter((one) => one.startsWith(`${alias}.`)))
      const whole = [own, ...others].some((part) => part?.whole.has(alias)) || (alias === table && own?.whole.has(""))
      tables.set(table, [
        ...(tables.get(table) ?? []),
        { alias, texts: new Set([...(own?.texts ?? []), ...named]), whole: whole === true },
      ])
    }
  }
  return tables
}

/** The call that starts a query, and the calls of functions that return the query to extend it. */
function buildersOf(query: Call, byName: Map<string, Call[]>): Call[] {
  const builders = [query]
  for (const { scopes } of builders) {
    for (const { name } of scopes) {
      const callers = (name && byName.get(name)) || []
      builders.push(...callers.filter(({ statement }) => builders.every((one) => one.statement !== statement)))
    }
  }
  return builders
}

/**
 * Every string in a statement and in its constants. `whole`: the aliases whose columns are all selected; `""` without
 * alias.
 */
function textsIn(statement: Node, scopes: Scope[]): { texts: Set<string>; whole: Set<string> } {
  const texts = new Set<string>()
  const whole = new Set<string>()
  const seen = new Set<Node>()
  const visit = (node: Node): void => {
    if (seen.has(node)) return
    seen.add(node)
    const text = textOf(node)
    if (text !== null) texts.add(text)
    if (node.type === "CallExpression" && methodOf(node) === "selectAll") {
      whole.add(textOf((node.arguments as Node[])[0] ?? null) ?? "")
    }
    const name = identifier(node)
    const constant = name && scopes.find(({ constants }) => constants.has(name))?.constants.get(name)
    // A function that a query calls has its own queries, which are found separately.
    if (constant && !/Function/.test(constant.type)) visit(constant)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(statement)
  return { texts, whole }
}

function callsOf(program: Node): Call[] {
  const calls: Call[] = []
  const visit = (node: Node, { scopes, statement, name }: Omit<Call, "node"> & { name: string | null }): void => {
    let within = scopes
    if (/Function/.test(node.type)) {
      const parameters = (node.params as Node[]).map((one) =>
        identifier(one.type === "AssignmentPattern" ? one.left : one),
      )
      within = [{ name: identifier(node.id) ?? name, parameters, constants: new Map() }, ...scopes]
    }
    const declared = node.type === "VariableDeclarator" ? identifier(node.id) : null
    if (declared && node.init) within[0]?.constants.set(declared, node.init as Node)
    if (node.type === "CallExpression") calls.push({ node, scopes: within, statement })
    const starts = /Statement|Declarat/.test(node.type) && node.type !== "BlockStatement"
    for (const child of childrenOf(node)) {
      visit(child, {
        scopes: within,
        statement: starts ? node : statement,
        name: child === node.init ? declared : null,
      })
    }
  }
  visit(program, { scopes: [{ name: null, parameters: [], constants: new Map() }], statement: program, name: null })
  return calls
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof (value as Node | null)?.type === "string")
}

const identifier = (node: unknown): string | null =>
  (node as Node | null)?.type === "Identifier" ? ((node as Node).name as string) : null

/** The name of the called method: `selectFrom` for `db.selectFrom("turns")`. */
function methodOf({ callee }: Node): string | null {
  const member = callee as Node
  return member.type === "MemberExpression" ? identifier(member.property) : null
}

function textOf(node: Node | null): string | null {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : null
}
