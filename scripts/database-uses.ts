import { parseSync } from "oxc-parser"

/** What a bundle asks of the database. */
export interface DatabaseUses {
  /** The procedures that it calls. */
  called: Set<string>
  /** Those that it puts into queries of the builder. */
  inlined: Set<string>
  /** Each table that its queries read. */
  tables: Map<string, TableUse[]>
}

/** One query that reads a table. */
export interface TableUse {
  alias: string
  /** Every text in the query: columns, with and without an alias, and others. Of the functions that build on it, columns with an alias. */
  texts: Set<string>
  /** Whether it takes whole rows of the table. */
  whole: boolean
}

type Kind = "called" | "inlined"

/** Where a procedure's name ends up: the statement of a call, and the name of a function within a query (src/platform/db.ts). */
const ENDS: Record<Kind, string> = { called: "statementOf", inlined: "released" }

/** The builder's methods whose first argument is a table. */
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
  /** Its variables that are set where they are declared. */
  constants: Map<string, Node>
}

interface Call {
  node: Node
  /** The functions around it, the nearest first. */
  scopes: Scope[]
  /** The statement that it is part of: the whole of a query. */
  statement: Node
}

/** A function, and which of its parameters is a procedure's name. */
interface Carrier {
  name: string
  parameter: number
}

/**
 * Reads the syntax tree of a bundle. The names of procedures are followed from the two functions that take them, to every function that
 * passes one of its parameters on, to the texts that are passed in the end. A name that is neither a text, nor a choice between texts,
 * nor a parameter is an error: a worker's rights would not be known.
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

/** What an argument may be: texts, and parameters of functions around the call. */
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
  throw new Error(`a procedure is named in a way that cannot be followed (${node.start} to ${node.end} of the bundle)`)
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

/** A query's call, and the calls of the functions in which it is begun: they go on with it. */
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

/** Every text in a statement and in the constants that it names, and the aliases of which it selects all columns (`""`: it names none). */
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
    // Functions that a query calls have queries of their own.
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

/** The method that a call is of: `selectFrom` of `db.selectFrom("turns")`. */
function methodOf({ callee }: Node): string | null {
  const member = callee as Node
  return member.type === "MemberExpression" ? identifier(member.property) : null
}

function textOf(node: Node | null): string | null {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : null
}
