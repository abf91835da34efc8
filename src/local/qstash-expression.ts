type Evaluate = (retried: number) => number

const FUNCTIONS: Record<string, { arity: number; apply: (...values: number[]) => number }> = {
  pow: { arity: 2, apply: Math.pow },
  sqrt: { arity: 1, apply: Math.sqrt },
  abs: { arity: 1, apply: Math.abs },
  exp: { arity: 1, apply: Math.exp },
  floor: { arity: 1, apply: Math.floor },
  ceil: { arity: 1, apply: Math.ceil },
  round: { arity: 1, apply: Math.round },
  min: { arity: 2, apply: Math.min },
  max: { arity: 2, apply: Math.max },
}

const MAX_LENGTH = 500
const TOKEN = /\s*(\d+(?:\.\d+)?|[A-Za-z_]+|[-+*/(),])/y

/** Compiles an Upstash-Retry-Delay expression, milliseconds in terms of `retried`. Throws on bad syntax. */
export function compileExpression(source: string): Evaluate {
  const tokens = tokenize(source)
  let position = 0

  const peek = () => tokens[position]
  const next = () => {
    const token = tokens[position++]
    if (token === undefined) throw new SyntaxError("unexpected end of expression")
    return token
  }
  const expect = (wanted: string) => {
    const token = next()
    if (token !== wanted) throw new SyntaxError(`expected "${wanted}", got "${token}"`)
  }

  function sum(): Evaluate {
    let left = product()
    while (peek() === "+" || peek() === "-") {
      const [a, sign, b] = [left, next() === "+" ? 1 : -1, product()]
      left = (retried) => a(retried) + sign * b(retried)
    }
    return left
  }

  function product(): Evaluate {
    let left = unary()
    while (peek() === "*" || peek() === "/") {
      const [a, operator, b] = [left, next(), unary()]
      left = operator === "*" ? (retried) => a(retried) * b(retried) : (retried) => a(retried) / b(retried)
    }
    return left
  }

  function unary(): Evaluate {
    if (peek() !== "-") return primary()
    next()
    const inner = unary()
    return (retried) => -inner(retried)
  }

  function primary(): Evaluate {
    const token = next()
    if (token === "(") {
      const inner = sum()
      expect(")")
      return inner
    }
    if (/^\d/.test(token)) {
      const value = Number(token)
      return () => value
    }
    if (token === "retried") return (retried) => retried
    return call(token)
  }

  function call(name: string): Evaluate {
    const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
    if (!known) throw new SyntaxError(`unknown name "${name}"`)
    expect("(")
    const parameters = [sum()]
    while (peek() === ",") {
      next()
      parameters.push(sum())
    }
    expect(")")
    if (parameters.length !== known.arity) throw new SyntaxError(`${name} takes ${known.arity} values`)
    return (retried) => known.apply(...parameters.map((parameter) => parameter(retried)))
  }

  const evaluate = sum()
  if (position < tokens.length) throw new SyntaxError(`unexpected "${peek()}"`)
  return evaluate
}

function tokenize(source: string): string[] {
  const text = source.trimEnd()
  if (text.length > MAX_LENGTH) throw new SyntaxError("expression is too long")
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (!match?.[1]) throw new SyntaxError(`unexpected character at ${at}`)
    tokens.push(match[1])
  }
  return tokens
}
