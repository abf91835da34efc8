import { describe, expect, test } from "vitest"
import { type CellOptions, simulateCells } from "../../scripts/cells/simulate.ts"
import { read } from "../structure/source.ts"

const GROWTH: CellOptions = { seed: 1, accounts: 200, seconds: 200, from: 10, to: 80, capacity: 30, crashes: 0.2 }

describe("A simulated service of cells", () => {
  test.each([1, 2, 3, 4, 5, 6])("With seed %i, each turn ends once and the books agree while accounts move", (seed) => {
    const report = simulateCells({ ...GROWTH, seed })
    expect(report).toMatchObject({ lost: 0, doubled: 0, misbooked: 0 })
    expect(report.moves).toBeGreaterThan(20)
    expect(report.crashed).toBeGreaterThan(20)
    expect(report.busy).toBeGreaterThan(0)
    expect(report.rerouted).toBeGreaterThan(0)
  })

  test("Without freezing an account before its rows are copied, turns are lost", () => {
    const { lost, misbooked } = simulateCells({ ...GROWTH, isFenced: false })
    expect(lost).toBeGreaterThan(0)
    expect(misbooked).not.toBe(0)
  })

  test("New cells are added before a cell is full, and few accounts move twice", () => {
    const { moments, moves, movedAccounts } = simulateCells({ ...GROWTH, crashes: 0 })
    expect(moments.at(-1)?.cells).toBeGreaterThan(3)
    for (const { second, fullest } of moments) expect(fullest, `after ${second} s`).toBeLessThan(1)
    expect(moves).toBeLessThan(1.5 * movedAccounts)
  })

  test("The same seed gives the same run", () => {
    expect(simulateCells(GROWTH)).toEqual(simulateCells(GROWTH))
  })
})

describe("The page about scale", () => {
  const page = read("docs/scale.md")
  const columns = new Map(
    [...read("schema.sql").matchAll(/^create table (\w+) \((.*?)^\)/gms)].map(([, name = "", body = ""]) => [
      name,
      [...body.matchAll(/^ {2}(\w+) [a-z]/gm)].map(([, column]) => column),
    ]),
  )
  const rowOf = (begin: string) => {
    const row = page.split("\n").find((line) => line.startsWith(`| ${begin}`)) ?? ""
    return [...row.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)
  }

  test("Each table is global, of a cell, or found by the account that it moves with", () => {
    const named = [...rowOf("global"), ...rowOf("of each cell")]
    expect(named.filter((name) => !columns.has(name))).toEqual([])
    expect(new Set(named).size).toBe(named.length)
    const own = /^(user|space|turn|key|webhook|delivery|erasure|conversation)_id$/
    const lost = [...columns].filter(
      ([name, of]) => !named.includes(name) && !of.some((column = "") => own.test(column)),
    )
    expect(lost.map(([name]) => name)).toEqual([])
  })

  test("It has at most 900 words besides tables and examples", () => {
    const prose = page.replace(/```[\s\S]*?```/g, "").replace(/^\|.*$/gm, "")
    expect(prose.split(/\s+/).length).toBeLessThanOrEqual(900)
  })
})
