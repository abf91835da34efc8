/** Parses CSV strictly (RFC 4180) into rows of fields. Throws for anything else. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let field = ""
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (at >= text.length) throw new Error("a quoted field without an end")
        if (text[at] !== '"') field += text[at]
        else if (text[at + 1] === '"') field += text[at++]
        else break
      }
      at++
    } else {
      for (; at < text.length && !/[,\r\n]/.test(text[at] as string); at++) {
        if (text[at] === '"') throw new Error("a quote inside a field without quotes")
        field += text[at]
      }
    }
    row.push(field)
    if (text[at] === ",") at++
    else if (text.startsWith("\r\n", at)) {
      rows.push(row)
      row = []
      at += 2
    } else throw new Error(`neither a comma nor a line's end at ${at}`)
  }
  if (row.length > 0) throw new Error("a last line without an end")
  return rows
}
