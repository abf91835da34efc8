import { expect, test } from "vitest"
import type { TextPieceOfCall } from "../../src/turns/pushed-text.ts"
import { parsePosition, type ShownEvent, ShownText } from "../../src/turns/shown-text.ts"
import type { TurnEventRow } from "../../src/turns/turn-event.ts"
import { createRandom } from "../harness/random.ts"

const SEQUENCES = Number(process.env.TURNPIKE_SEQUENCES ?? 2_500)
const SIGNS = [..."ab c\n😀é漢👩‍🚀"]

type Random = ReturnType<typeof createRandom>

/** A model call: its whole text, and how much of it was produced, pushed and logged. */
interface Call {
  of: string
  step: number
  /** A sub-agent. Several run next to each other. */
  agent?: { agent: string; delegated_by: string }
  text: string
  produced: number
  pushed: number
  logged: number
  isStartLogged: boolean
}

/** A turn with its log, as runs write it. Each call may be lost and repeated. */
class Turn {
  readonly log: TurnEventRow[] = []
  /** The final text of each step. */
  readonly texts = new Map<number, string>()
  /** The text of each call, by the seq of its start. */
  readonly textAt = new Map<number, string>()
  isOver = false
  delegated = 0
  private calls: Call[] = []
  private readonly random: Random
  private ownSteps: number
  private lastStep = 0
  private ids = 0

  constructor(random: Random) {
    this.random = random
    this.ownSteps = 1 + random.int(3)
    this.write("turn.queued", {})
    this.calls = [this.begin(++this.lastStep)]
  }

  private begin(step: number, agent?: Call["agent"]): Call {
    const text = Array.from({ length: this.random.int(40) }, () => SIGNS[this.random.int(SIGNS.length)]).join("")
    const of = `evt_${++this.ids}`
    return { of, step, ...(agent && { agent }), text, produced: 0, pushed: 0, logged: 0, isStartLogged: false }
  }

  private write(type: string, data: object, event_id = `evt_${++this.ids}`): void {
    const row = {
      turn_id: "turn_1",
      seq: this.log.length + 1,
      event_id,
      type,
      data,
      created_at: "2026-01-01T00:00:00Z",
    }
    this.log.push(row as TurnEventRow)
  }

  /** One of the calls under way. */
  private get some(): Call {
    return this.calls[this.random.int(this.calls.length)] as Call
  }

  /** The text between two positions, which never cut a character in two, as the run sends it. */
  private cut({ text }: Call, from: number, most: number): number {
    const end = from + this.random.int(most - from + 1)
    return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end
  }

  produce(call = this.some): void {
    call.produced = this.cut(call, call.produced, call.text.length)
  }

  /** Null: there is nothing to push. Some pieces are skipped, as when Redis failed. */
  push(call = this.some): TextPieceOfCall | null {
    if (this.random.int(6) === 0) call.pushed = this.cut(call, call.pushed, call.produced)
    const end = this.cut(call, call.pushed, call.produced)
    if (end === call.pushed) return null
    const [at, text] = [call.pushed, call.text.slice(call.pushed, end)]
    call.pushed = end
    return { id: `piece_${++this.ids}`, of: call.of, step: call.step, ...call.agent, at, text, time: 0 }
  }

  flush(call = this.some, end = this.cut(call, call.logged, call.produced)): void {
    const told = { step: call.step, ...call.agent }
    if (!call.isStartLogged) {
      call.isStartLogged = true
      this.write("step.started", told, call.of)
      this.textAt.set(this.log.length, call.text)
    }
    const text = call.text.slice(call.logged, end)
    if (text !== "") this.write("text.delta", { ...told, text, part: { of: call.of, at: call.logged } })
    call.logged = end
  }

  /** A call ends that has written much of its text, and the next ones begin. */
  end(call = this.some): void {
    if (call.produced <= call.text.length / 2) return
    this.flush(call, call.text.length)
    this.write("step.ended", { step: call.step, ...call.agent })
    this.texts.set(call.step, call.text)
    this.calls = this.calls.filter((one) => one !== call)
    if (!call.agent && this.random.int(2) === 0) this.write("tool.started", { step: call.step, call: 0 })
    if (!call.agent && --this.ownSteps === 0) {
      this.write("turn.done", {})
      this.isOver = true
      return
    }
    const delegates = call.agent ? 0 : this.random.int(4)
    for (let nth = 0; nth < delegates; nth++, this.delegated++) {
      const agent = { agent: `agent ${nth}`, delegated_by: `${call.step}.${nth}` }
      this.calls.push(this.begin(++this.lastStep, agent))
    }
    if (this.calls.length === 0) this.calls.push(this.begin(++this.lastStep))
  }

  /** Another worker repeats the calls. */
  lose(): void {
    this.calls = this.calls.map(({ step, agent }) => this.begin(step, agent))
  }
}

/** A client: it shows what it receives, and reconnects with the id of the last message that arrived. */
class Reader {
  readonly eye = new Map<number, string>()
  seen = 0
  pieces = 0
  cuts = 0
  private lastId = "0"
  private readonly wholes = new Map<number, string>()
  private text: ShownText
  private readonly pushes: TextPieceOfCall[] = []
  private readonly turn: Turn
  private readonly random: Random
  private readonly logged: number[] = []

  constructor(turn: Turn, random: Random) {
    this.turn = turn
    this.random = random
    this.text = new ShownText("turn_1", { seq: 0 })
  }

  /** Messages can be lost, arrive late, twice and in another order. */
  hear(piece: TextPieceOfCall): void {
    if (this.random.int(8) === 0) return
    this.pushes.splice(
      this.random.int(4) === 0 ? this.random.int(this.pushes.length + 1) : this.pushes.length,
      0,
      piece,
    )
    if (this.random.int(10) === 0) this.pushes.push(piece)
  }

  take(): void {
    const piece = this.pushes.shift()
    if (piece) this.receive(this.text.take(piece))
  }

  look(page = 1 + this.random.int(4)): void {
    const { seq } = this.text.position
    this.receive(this.turn.log.slice(seq, seq + page).flatMap((row) => this.text.read(row)))
  }

  private receive(events: ShownEvent[]): void {
    // The connection may break after any event of a batch.
    const isCut = this.random.int(12) === 0
    for (const event of isCut ? events.slice(0, this.random.int(events.length + 1)) : events) this.show(event)
    if (!isCut) return
    this.cuts++
    this.text = new ShownText("turn_1", parsePosition(this.lastId) ?? { seq: -1 })
    if (this.random.int(2) === 0) this.pushes.length = 0
  }

  private show(event: ShownEvent): void {
    this.lastId = event.position
    const step = Number(event.data.step)
    if (event.isPushed) this.pieces++
    else this.logged.push(event.seq)
    if (event.type === "step.started") {
      this.eye.set(step, "")
      this.wholes.set(step, this.turn.textAt.get(event.seq) ?? "")
    }
    if (event.type !== "text.delta") return
    const text = (this.eye.get(step) ?? "no start: ") + event.data.text
    this.eye.set(step, text)
    const whole = this.wholes.get(step) ?? ""
    if (!whole.startsWith(text)) throw new Error(`shown: ${JSON.stringify([text, whole])}`)
  }

  /** Reads to the end, and checks what was seen. */
  finish(): void {
    while (this.text.position.seq < this.turn.log.length) this.look()
    expect(this.logged, "each event of the log once").toEqual(this.turn.log.map(({ seq }) => seq))
    expect(this.eye).toEqual(this.turn.texts)
  }
}

test("Readers see the model's text exactly once, whatever is lost, late, repeated, cut off or handed over", () => {
  const random = createRandom("shown text")
  const did = { pieces: 0, cuts: 0, lost: 0, steps: 0, delegated: 0 }
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    const turn = new Turn(random)
    const readers = [new Reader(turn, random)]
    while (!turn.isOver) {
      const action = random.int(20)
      if (action < 6) turn.produce()
      else if (action < 11) {
        const piece = turn.push()
        if (piece) for (const reader of readers) reader.hear(piece)
      } else if (action < 13) turn.flush()
      else if (action === 13) turn.end()
      else if (action === 14 && random.int(4) === 0) {
        turn.lose()
        did.lost++
      } else if (action === 15 && readers.length < 3 && random.int(4) === 0) readers.push(new Reader(turn, random))
      else for (const reader of readers) random.int(3) === 0 ? reader.look() : reader.take()
    }
    for (const reader of readers) {
      reader.finish()
      did.pieces += reader.pieces
      did.cuts += reader.cuts
    }
    did.steps += turn.texts.size
    did.delegated += turn.delegated
  }
  console.log(`${SEQUENCES} turns, seed ${random.seed}: ${JSON.stringify(did)}`)
  expect(did.pieces, "pieces were shown before the log had them").toBeGreaterThan(SEQUENCES)
  expect(Math.min(did.lost, did.cuts, did.delegated)).toBeGreaterThan(SEQUENCES / 10)
})
