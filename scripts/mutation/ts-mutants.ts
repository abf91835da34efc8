import { parseAst } from "vitest/node"
import type { Mutant } from "./mutant.ts"

interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

const SWAPS: Record<string, string> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
}
/** Calls that only have texts for documents and the log, which are not mutated. */
const SAID = /\.(meta|describe|log)$/

/** All mutants of a TypeScript file. Some have type errors, but tests run them anyway. */
export function mutateTypeScript(file: string, text: string): Mutant[] {
  const mutants: Mutant[] = []
  const of = (node: Node) => text.slice(node.start, node.end)
  const add = (from: number, to: number, becomes: string) => mutants.push({ file, from, to, becomes })

  function visit(node: Node): void {
    if (node.type === "ImportDeclaration" || node.type === "TSTypeAnnotation" || node.type.startsWith("TSType")) return
    if (node.type === "TSInterfaceDeclaration") return
    if (node.type === "CallExpression" && SAID.test(of(node.callee as Node))) {
      visit(node.callee as Node)
      return
    }
    mutate(node)
    for (const child of childrenOf(node)) visit(child)
  }

  function mutate(node: Node): void {
    const { left, right, test, operator } = node as { left?: Node; right?: Node; test?: Node; operator?: string }
    switch (node.type) {
      case "BinaryExpression":
      case "LogicalExpression": {
        if (!left || !right || !operator) return
        const isText =
          operator === "+" &&
          [left, right].some(({ type, value }) => type === "TemplateLiteral" || typeof value === "string")
        const swapped = SWAPS[operator]
        const at = text.indexOf(operator, left.end)
        if (swapped && !isText) add(at, at + operator.length, swapped)
        if (operator === "??") add(node.start, node.end, of(left))
        return
      }
      case "UnaryExpression":
        if (operator === "!") add(node.start, node.end, of(node.argument as Node))
        return
      case "Literal":
        if (typeof node.value === "boolean") add(node.start, node.end, String(!node.value))
        if (typeof node.value === "number") add(node.start, node.end, String(node.value + 1))
        return
      case "IfStatement":
      case "ConditionalExpression":
        if (test) add(test.start, test.end, `!(${of(test)})`)
        return
      case "ExpressionStatement": {
        const done = node.expression as Node
        const isCall = done.type === "CallExpression" || done.type === "AwaitExpression"
        if (isCall && !/^(await )?\w*\.?log\(/.test(of(node))) add(node.start, node.end, ";")
        return
      }
      case "MemberExpression": {
        const name = of(node)
        if (name === "Math.min") add(node.start, node.end, "Math.max")
        if (name === "Math.max") add(node.start, node.end, "Math.min")
        return
      }
    }
  }

  visit(parseAst(text, { lang: "ts" }) as unknown as Node)
  return mutants
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof (value as Node | null)?.type === "string")
}
