import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ArithmeticError, evaluate, maxExpressionDepth } from './arithmetic.ts'

const problem = (expression: string): string => {
  try {
    return `no problem: ${evaluate(expression)}`
  } catch (error) {
    if (error instanceof ArithmeticError) return error.message
    throw error
  }
}

describe('evaluates', () => {
  test.each([
    ['2 + 3 * 4', 14],
    ['(2 + 3) * 4', 20],
    ['10 - 2 - 3', 5],
    ['100 / 10 / 2', 5],
    ['7 % 4', 3],
    ['-7 % 4', -3],
    ['2 * 7 % 4', 2],
    ['2 ** 10', 1024],
    ['2^10', 1024],
    ['2 ^ 3 ** 2', 512],
    ['-2 ** 2', -4],
    ['(-2) ^ 2', 4],
    ['2 ** -1', 0.5],
    ['2 ^ -+-1', 2],
    ['--5', 5],
    ['3 - -2', 5],
    ['+4', 4],
    ['.5 + 5.', 5.5],
    ['1e3 + 1.5E-1', 1000.15],
    ['1e+21', 1e21],
    ['  \t\n 1 \n', 1],
    ['12.50 * 1.2', 15],
    ['pi', Math.PI],
    ['2 * e', 2 * Math.E],
    ['PI - Pi', 0],
    ['sqrt(16)', 4],
    ['abs(-3)', 3],
    ['round(2.5)', 3],
    ['round(-2.5)', -2],
    ['floor(-1.5)', -2],
    ['ceil(1.2)', 2],
    ['exp(0)', 1],
    ['log(e)', 1],
    ['ln(e)', 1],
    ['log2(8)', 3],
    ['log10(1000)', 3],
    ['sin(0) + cos(0) + tan(0)', 1],
    ['pow(2, 3)', 8],
    ['min(3, 1, 2)', 1],
    ['max(1)', 1],
    ['Max(1, min(5, 7), -2)', 5],
    ['1e-400', 0],
  ])('%s = %d', (expression, value) => {
    expect(evaluate(expression)).toBe(value)
  })
})

describe('reports what is wrong and where', () => {
  test.each([
    ['', 'Unexpected end of the expression at character 1.'],
    ['   ', 'Unexpected end of the expression at character 4.'],
    ['1 +', 'Unexpected end of the expression at character 4.'],
    ['(1 + 2', 'Unexpected end of the expression at character 7.'],
    ['min(1,', 'Unexpected end of the expression at character 7.'],
    ['1 + 2)', 'Unexpected ")" at character 6.'],
    ['1 2', 'Unexpected "2" at character 3.'],
    ['2pi', 'Unexpected "p" at character 2.'],
    ['2(3)', 'Unexpected "(" at character 2.'],
    ['1.2.3', 'Unexpected "." at character 4.'],
    ['5 * * 6', 'Unexpected "*" at character 5.'],
    ['1,5', 'Unexpected "," at character 2.'],
    ['10%', 'Unexpected end of the expression at character 4.'],
    ['.', 'Unexpected "." at character 1.'],
    ['1 + 😀', 'Unexpected "😀" at character 5.'],
    ['a = 1', 'Unknown name "a" at character 1.'],
    ['1 + constructor', 'Unknown name "constructor" at character 5.'],
    ['__proto__(1)', 'Unknown name "__proto__" at character 1.'],
    ['process.exit(1)', 'Unknown name "process" at character 1.'],
    ['sqrt 4', 'Unexpected "4" at character 6.'],
    ['pi(1)', 'Unexpected "(" at character 3.'],
    ['1 + sqrt()', 'sqrt at character 5 takes 1 argument, not 0.'],
    ['sqrt(1, 2)', 'sqrt at character 1 takes 1 argument, not 2.'],
    ['pow(1)', 'pow at character 1 takes 2 arguments, not 1.'],
    ['min()', 'min at character 1 takes at least 1 argument, not 0.'],
    ['1 / 0', 'Division by zero at character 3.'],
    ['1 / -0', 'Division by zero at character 3.'],
    ['8 % (2 - 2)', 'Division by zero at character 3.'],
    ['1e999', 'The number at character 1 is out of range.'],
    ['1 + 1e308 * 10', 'The result of * at character 11 is out of range.'],
    ['1e308 + 1e308', 'The result of + at character 7 is out of range.'],
    ['1e308 / 1e-10', 'The result of / at character 7 is out of range.'],
    ['10 ** 400', 'The result of ** at character 4 is out of range.'],
    ['0 ^ -1', 'The result of ^ at character 3 is out of range.'],
    ['exp(1000)', 'The result of exp at character 1 is out of range.'],
    ['log(0)', 'The result of log at character 1 is out of range.'],
    ['2 * sqrt(-1)', 'The result of sqrt at character 5 is not a real number.'],
    ['(-8) ** (1 / 3)', 'The result of ** at character 6 is not a real number.'],
  ])('%s', (expression, message) => {
    expect(problem(expression)).toBe(message)
  })

  test('an intermediate error is reported, even if the result would be finite', () => {
    expect(problem('min(1, 1e308 * 10)')).toContain('is out of range')
    expect(problem('1 / (1 / 0)')).toContain('Division by zero')
  })

  test('a long name is not repeated in full', () => {
    expect(problem('x'.repeat(900)).length).toBeLessThan(200)
  })
})

describe('depth', () => {
  const nested = [
    ['parentheses', (depth: number) => `${'('.repeat(depth)}1${')'.repeat(depth)}`],
    ['signs', (depth: number) => `${'-'.repeat(depth)}1`],
    ['powers', (depth: number) => `1${'^1'.repeat(depth)}`],
    ['functions', (depth: number) => `${'abs('.repeat(depth)}1${')'.repeat(depth)}`],
  ] as const

  test.each(nested)('%s may nest so deep and no deeper', (_, nest) => {
    expect(Math.abs(evaluate(nest(maxExpressionDepth)))).toBe(1)
    expect(problem(nest(maxExpressionDepth + 1))).toContain('nests too deeply at character')
  })

  test('expressions side by side do not nest', () => {
    expect(evaluate(Array.from({ length: 200 }, () => '(-1)').join('+'))).toBe(-200)
  })
})

interface Node {
  readonly text: string
  readonly parts: readonly Node[]
}

const js = (text: string): number =>
  Function(
    'sqrt',
    'abs',
    'floor',
    'min',
    'max',
    'sin',
    'pi',
    `return ${text}`,
  )(Math.sqrt, Math.abs, Math.floor, Math.min, Math.max, Math.sin, Math.PI)

const isFiniteThroughout = ({ text, parts }: Node): boolean =>
  Number.isFinite(js(text)) && parts.every(isFiniteThroughout)

// JavaScript rejects `-a ** b`, so operands of `**` and signs get parentheses. Chains of operators get none, so that
// precedence and associativity are tested.
const { expression } = fc.letrec<{ expression: Node; chain: Node; power: Node; atom: Node }>((tie) => ({
  expression: fc.oneof({ depthSize: 'small' }, tie('atom'), tie('chain'), tie('power')),
  chain: fc
    .array(fc.tuple(fc.constantFrom('+', '-', '*', '/', '%'), tie('power')), { minLength: 1, maxLength: 4 })
    .chain((rest) => tie('power').map((first) => chainOf(first, rest))),
  power: fc.oneof(
    tie('atom'),
    fc
      .tuple(tie('atom'), tie('atom'))
      .map(([base, exponent]) => joined(`${base.text} ** ${exponent.text}`, base, exponent)),
  ),
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.integer({ min: 0, max: 50 }).map((value) => joined(`${value}`)),
    fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => joined(`${value}`)),
    fc.constant(joined('pi')),
    tie('expression').map((inner) => joined(`(${inner.text})`, inner)),
    tie('expression').map((inner) => joined(`(-(${inner.text}))`, inner)),
    fc
      .tuple(fc.constantFrom('sqrt', 'abs', 'floor', 'sin'), tie('expression'))
      .map(([name, inner]) => joined(`${name}(${inner.text})`, inner)),
    fc
      .tuple(fc.constantFrom('min', 'max'), tie('expression'), tie('expression'))
      .map(([name, left, right]) => joined(`${name}(${left.text}, ${right.text})`, left, right)),
  ),
}))

function joined(text: string, ...parts: readonly Node[]): Node {
  return { text, parts }
}

/** The intermediate results of a chain are not operands, so its prefixes and products are checked, too. */
function chainOf(first: Node, rest: readonly (readonly [string, Node])[]): Node {
  const operands = [first, ...rest.map(([, operand]) => operand)]
  const texts = rest.map(([operator, operand]) => `${operator} ${operand.text}`)
  const stretches = operands.flatMap((operand, from) =>
    texts.slice(from).map((_, more) => joined([operand.text, ...texts.slice(from, from + more + 1)].join(' '))),
  )
  return joined([first.text, ...texts].join(' '), ...operands, ...stretches)
}

test('computes the same as JavaScript, and rejects results that are not finite', () => {
  let computed = 0
  fc.assert(
    fc.property(expression, (node) => {
      if (isFiniteThroughout(node)) {
        computed += 1
        expect(evaluate(node.text)).toBe(js(node.text))
      } else if (!Number.isFinite(js(node.text)))
        expect(problem(node.text)).toMatch(/^(Division by zero|The result of)/)
    }),
    { numRuns: 1000 },
  )
  expect(computed).toBeGreaterThan(100)
})

test('any text gives a finite number or a problem with a position', () => {
  const scraps = fc.constantFrom(
    '1',
    '.5',
    'e',
    '(',
    ')',
    ',',
    '+',
    '-',
    '*',
    '/',
    '%',
    '^',
    'sqrt',
    'max',
    ' ',
    'x',
    '😀',
  )
  fc.assert(
    fc.property(fc.array(scraps, { maxLength: 20 }), (parts) => {
      const text = parts.join('')
      const message = problem(text)
      if (message.startsWith('no problem')) expect(Number.isFinite(evaluate(text))).toBe(true)
      else expect(message).toMatch(/at character \d+/)
    }),
  )
})
