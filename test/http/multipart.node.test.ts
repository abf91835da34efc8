import { expect, test } from "vitest"
import { parseMultipart } from "../../src/http/multipart.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The parts of a form that arrives in these chunks: `name filename type: content`. */
async function parse(chunks: Uint8Array[]): Promise<string[]> {
  const parts: { head: string; bytes: number[] }[] = []
  for await (const event of parseMultipart(fresh(chunks), "b-")) {
    if ("part" in event) {
      const { name, filename, contentType } = event.part
      parts.push({ head: `${name} ${filename} ${contentType}`, bytes: [] })
    } else parts.at(-1)?.bytes.push(...event.bytes)
  }
  return parts.map(({ head, bytes }) => `${head}: ${decoder.decode(new Uint8Array(bytes))}`)
}

async function* fresh(chunks: Uint8Array[]) {
  for (const chunk of chunks) yield chunk
}

const FORM = encoder.encode(
  [
    "before",
    "--b- \t",
    'Content-Disposition: form-data; name="note"',
    "",
    "\r--b\n\r\n--b\r\n--b\r\n-",
    "--b-",
    'content-disposition:form-data;name=file;\r\n filename="ü.txt"',
    "Content-Type:  text/plain",
    "X-Empty:",
    "",
    "",
    "--b-",
    'Content-Disposition: form-data; name="last"',
    "",
    "x--b-\r",
    "--b---",
    "after --b-",
  ].join("\r\n"),
)
const PARTS = [
  "note undefined undefined: \r--b\n\r\n--b\r\n--b\r\n-",
  "file ü.txt text/plain: ",
  "last undefined undefined: x--b-\r",
]

test("A form is parsed equally in any number of chunks", async () => {
  expect(await parse([FORM])).toEqual(PARTS)
  expect(await parse([...FORM].map((byte) => Uint8Array.of(byte)))).toEqual(PARTS)
  for (let first = 0; first <= FORM.length; first++) {
    for (let second = first; second <= FORM.length; second += 7) {
      const chunks = [FORM.subarray(0, first), FORM.subarray(first, second), FORM.subarray(second)]
      expect(await parse(chunks), `${first}, ${second}`).toEqual(PARTS)
    }
  }
})

test("A form that is cut off at any point is refused", async () => {
  const end = decoder.decode(FORM).lastIndexOf("\r\nafter")
  for (let length = 0; length < encoder.encode(decoder.decode(FORM).slice(0, end)).length; length++) {
    await expect(parse([FORM.subarray(0, length)]), String(length)).rejects.toMatchObject({ code: "VALIDATION_FAILED" })
  }
})
