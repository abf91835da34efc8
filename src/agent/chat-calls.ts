import type { Fields } from "../base/fields.ts"
import type { Evidence } from "./evidence.ts"
import { fieldsIn, isString, jsonIn, numberIn } from "./plain-frames.ts"

interface Begun {
  /** Its id in this answer: the server's, unless another call has it already. */
  id: string
  wireId: string | undefined
  index: number | undefined
  name: string
  input: string
  /** The part of a replay that has arrived; null: the call is not being replayed. */
  again: string | null
}

/**
 * The calls of a chat completion. Servers send their pieces with or without ids and indexes, and repeat both. A call
 * that is sent again with the same id and input is the same call.
 */
export class ChatCalls {
  private readonly evidence: Evidence
  private readonly begun: Begun[] = []

  constructor(evidence: Evidence) {
    this.evidence = evidence
  }

  /** Converts pieces of calls. Each call has an id and an index of its own then. */
  take(pieces: Fields[]): Fields[] {
    return pieces.flatMap((piece) => this.piece(piece))
  }

  private piece({ index: at, id, type: _type, function: given, ...others }: Fields): Fields[] {
    const told = fieldsIn(given)
    const wireId = id === null || id === undefined ? undefined : jsonIn(id).trim() || undefined
    const name = isString(told.name) && told.name.trim() !== "" ? told.name : undefined
    const piece = { index: numberIn(at), wireId, name, input: jsonIn(told.arguments) }
    const call = this.find(piece)
    if (!call) return name === undefined ? [] : [this.begin({ ...piece, name }, others)]
    const isAgain = call.again !== null || (name !== undefined && isWhole(call.input))
    if (!isAgain) return [this.more(call, piece.input, others)]
    // A whole call that begins again is a replay until it differs.
    const again = (call.again ?? "") + piece.input
    const isReplay = call.input.startsWith(again)
    call.again = isReplay && again !== call.input ? again : null
    return isReplay ? [] : [this.begin({ ...piece, name: name ?? call.name, input: again }, others)]
  }

  private more(call: Begun, input: string, others: Fields): Fields {
    call.input += input
    this.evidence.carryWithCall(call.id, others)
    return { index: this.begun.indexOf(call), function: { arguments: input } }
  }

  private begin({ index, wireId, name, input }: Omit<Begun, "id" | "again">, others: Fields): Fields {
    const nth = this.begun.length
    const isTaken = wireId === undefined || this.begun.some(({ id }) => id === wireId)
    const id = isTaken ? `${wireId ?? "call"}_${nth}` : wireId
    this.begun.push({ id, wireId, index, name, input, again: null })
    this.evidence.carryWithCall(id, others)
    return { index: nth, id, type: "function", function: { name, arguments: input } }
  }

  /** The call that a piece belongs to. A name with an id that is new begins a call. */
  private find({ wireId, index, name }: Pick<Begun, "wireId" | "index"> & { name: string | undefined }) {
    const isSame = (call: Begun) => name === undefined || call.name === name
    const byId =
      wireId === undefined ? undefined : this.begun.findLast((call) => call.wireId === wireId && isSame(call))
    if (byId || (wireId !== undefined && name !== undefined)) return byId
    if (index !== undefined) return this.begun.findLast((call) => call.index === index && isSame(call))
    return name === undefined ? this.begun.at(-1) : undefined
  }
}

function isWhole(input: string): boolean {
  try {
    JSON.parse(input)
    return true
  } catch {
    return false
  }
}
