import { createRandom } from "./random.ts"
import { createWorld, type TestClient, turnOf, type World } from "./world.ts"

const PINS = ["rehearsal/standard", "rehearsal/cheap", "rehearsal/odd"] as const

/** Names that break concatenated text: SQL, CSV, URLs, formulas, and look-alike characters. */
export const HOSTILE_REFS = [
  "customer-1",
  "Customer-1",
  '=HYPERLINK("http://evil.example","x")',
  "+1-555",
  "-2",
  "@SUM(A1)",
  "'quoted",
  'a "b", c',
  "line\u2028break",
  "\u00a0no-break",
  " space ",
  "a/b%2Fc?d#e&f=g+h",
  "100%",
  "語🙂é",
  "null",
  "x".repeat(128),
  "'; drop table turns; --",
]

/** An account with a month of turns of every kind: several keys, spaces, end users, models and outcomes. */
export async function liveThroughAMonth({ turns, name }: { turns: number; name: string }) {
  const world = await createWorld()
  const random = createRandom(name)
  await addPins(world)
  const account = await world.createAccount({ usd: 500 })
  const key = async (options: Parameters<World["makeKey"]>[1]) => {
    const made = await world.makeKey(account.userId, options)
    return { ...world.createClient(account.userId, made.value), keyId: made.key_id }
  }
  const all = await key({ scope: "all" })
  const created = await key({ scope: "created" })
  const test = await key({ scope: "all", test: true })
  const manifest = {
    subagents: PINS.slice(1).map((model, index) => ({ name: `sub${index}`, description: "x", model })),
  }
  const spaces = [
    await all.space({ manifest }),
    await created.space({ manifest, model: PINS[1] }),
    await account.space({ manifest, model: PINS[2] }),
  ]
  const [oneRow] = await world.sql<{ id: number }>("select space_id::float8 as id from spaces where slug = $1", [
    spaces[2],
  ])
  const one = await key({ scope: "space", spaceId: oneRow?.id ?? 0 })
  const testSpace = await test.space({ manifest })

  const places: [TestClient, string[]][] = [
    [all, spaces],
    [created, [spaces[1] as string]],
    [one, [spaces[2] as string]],
    [test, [testSpace]],
  ]
  for (let made = 0; made < turns; made++) {
    const [client, own] = random.pick(places)
    const end_user_ref = random.pick(HOSTILE_REFS)
    const use = `[use input=${random.int(3000)} cached=${random.int(50)} output=${random.int(400)}]`
    const text = random.pick([
      use,
      `${use}\n[steps ${1 + random.int(3)}]`,
      `[delegate sub0 ${use}\\nhello]\n${use}`,
      `[delegate sub1 hello]\n[and delegate sub0 there]\n${use}`,
      `${use}\n[write a.txt x]\n[fail OUT_OF_STOCK]`,
      "[fail MODEL_REJECTED]",
      "[use input=0 output=0]",
    ])
    const body = {
      space: random.pick(own),
      end_user_ref,
      text,
      ...(random.int(3) === 0 && { model: random.pick(PINS) }),
    }
    const { turn_id } = await turnOf(await client.sendTurn(body))
    if (random.int(8) === 0) await client.call("POST", `/v1/turns/${turn_id}/cancel`)
    await world.drain()
    // Half of the turns are on the same day.
    await world.advance(random.int(2) === 0 ? 1000 + random.int(60_000) : random.int((30 * 86_400_000 * 2) / turns))
  }
  await overMidnight(world, all, spaces[0] as string, { cancel: false })
  await overMidnight(world, created, spaces[1] as string, { cancel: true })
  return { world, random, account, all, created, one, test, spaces, testSpace }
}

async function addPins({ sql }: World): Promise<void> {
  for (const [index, pin] of PINS.slice(1).entries()) {
    await sql(
      `insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output)
       values ($1, 'rehearsal', $2, $2, true, $3, $4, $5, $6)`,
      [
        pin,
        pin.split("/")[1],
        1001 + index,
        [333_333, 77_777_777][index],
        [1, 7_777_777][index],
        [999_999, 123_456_789][index],
      ],
    )
  }
}

/** A turn whose steps are before midnight and whose end is after midnight. */
async function overMidnight(world: World, client: TestClient, space: string, { cancel }: { cancel: boolean }) {
  const day = 86_400_000
  await world.advance(day - (world.clock.ms() % day) - 6000)
  const text = "[use input=100 output=10]\n[steps 3]\n[think 5000 ms]"
  const { turn_id } = await turnOf(await client.sendTurn({ space, end_user_ref: "midnight", text }))
  const work = world.drain()
  for (let step = 0; step < 3; step++) {
    await world.clock.sleeping(1, 5000)
    if (cancel && step === 2) await client.call("POST", `/v1/turns/${turn_id}/cancel`)
    await world.advance(5000)
  }
  await work
}
