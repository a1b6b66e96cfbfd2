// The constants and functions of arithmetic expressions.

export interface ArithmeticFunction {
  readonly minValues: number
  readonly maxValues: number
  readonly apply: (...values: number[]) => number
}

const ofOne = (apply: (value: number) => number): ArithmeticFunction => ({ minValues: 1, maxValues: 1, apply })
const ofMany = (apply: (...values: number[]) => number): ArithmeticFunction => ({
  minValues: 1,
  maxValues: Number.POSITIVE_INFINITY,
  apply,
})

// Maps rather than objects, which would also have names such as `constructor`.
export const arithmeticConstants: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
])

export const arithmeticFunctions: ReadonlyMap<string, ArithmeticFunction> = new Map([
  ['sqrt', ofOne(Math.sqrt)],
  ['abs', ofOne(Math.abs)],
  ['round', ofOne(Math.round)],
  ['floor', ofOne(Math.floor)],
  ['ceil', ofOne(Math.ceil)],
  ['exp', ofOne(Math.exp)],
  ['log', ofOne(Math.log)],
  ['ln', ofOne(Math.log)],
  ['log2', ofOne(Math.log2)],
  ['log10', ofOne(Math.log10)],
  ['sin', ofOne(Math.sin)],
  ['cos', ofOne(Math.cos)],
  ['tan', ofOne(Math.tan)],
  ['pow', { minValues: 2, maxValues: 2, apply: (base = 0, exponent = 0) => base ** exponent }],
  ['min', ofMany(Math.min)],
  ['max', ofMany(Math.max)],
])
