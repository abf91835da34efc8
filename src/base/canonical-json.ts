/** A value of a signed document. It has no fractions, because decimals are texts. */
export type CanonicalValue =
  | string
  | number
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [name: string]: CanonicalValue }

/** JSON in the canonical form of RFC 8785: sorted names, no spaces. Throws for a number that is not an integer. */
export function canonicalJson(value: CanonicalValue): string {
  if (value === null || typeof value !== "object") {
    if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Error(`${value} is not an integer`)
    return JSON.stringify(value)
  }
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`
  // JavaScript compares texts by UTF-16 code units, as RFC 8785 requires.
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`).join(",")}}`
}

const isList = (value: object): value is readonly CanonicalValue[] => Array.isArray(value)
