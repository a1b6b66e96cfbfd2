// Evaluates an arithmetic expression of numbers, operators, and the constants and functions of a fixed table.
//
//   sum     = product { ("+" | "-") product }
//   product = signed { ("*" | "/" | "%") signed }
//   signed  = ("-" | "+") signed | power
//   power   = atom [ ("**" | "^") signed ]           so -2^2 is -4, and 2^3^2 is 2^9
//   atom    = number | constant | function "(" sum { "," sum } ")" | "(" sum ")"
//
// Every intermediate value must be finite. An overflow or a result that is not real is an error, because a later
// operation could turn `Infinity` or `NaN` into a plausible number.
import { showName } from '@runwright/contract'
import { type ArithmeticFunction, arithmeticConstants, arithmeticFunctions } from './arithmetic-functions.ts'

export const maxExpressionDepth = 100

/** The message says what is wrong and where; positions count characters from 1. */
export class ArithmeticError extends Error {}

export const evaluate = (expression: string): number => new Evaluator(expression).evaluate()

const whiteSpace = /\s*/y
const numberLiteral = /(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy
const word = /[a-z_]\w*/iy
const additive = /[+-]/y
const multiplicative = /\*(?!\*)|[/%]/y
const exponential = /\*\*|\^/y

class Evaluator {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  evaluate(): number {
    const value = this.#readSum()
    if (this.#peek() !== '') this.#failHere()
    return value
  }

  #readSum(): number {
    let left = this.#readProduct()
    for (let operator = this.#take(additive); operator !== ''; operator = this.#take(additive)) {
      const position = this.#at
      const right = this.#readProduct()
      left = finite(operator === '+' ? left + right : left - right, resultOf(operator), position)
    }
    return left
  }

  #readProduct(): number {
    let left = this.#readSigned()
    for (let operator = this.#take(multiplicative); operator !== ''; operator = this.#take(multiplicative)) {
      left = multiply(operator, this.#at, left, this.#readSigned())
    }
    return left
  }

  #readSigned(): number {
    const sign = this.#take(additive)
    if (sign === '') return this.#readPower()
    const value = this.#nested(() => this.#readSigned())
    return sign === '-' ? -value : value
  }

  #readPower(): number {
    const base = this.#readAtom()
    const operator = this.#take(exponential)
    if (operator === '') return base
    const position = this.#at - operator.length + 1
    return finite(base ** this.#nested(() => this.#readSigned()), resultOf(operator), position)
  }

  #readAtom(): number {
    if (this.#take(/\(/y) !== '') return this.#nested(() => this.#readParenthesized())
    const literal = this.#take(numberLiteral)
    if (literal !== '') return finite(Number(literal), 'The number', this.#at - literal.length + 1)
    const name = this.#take(word)
    return name === '' ? this.#failHere() : this.#readNamed(name, this.#at - name.length + 1)
  }

  #readParenthesized(): number {
    const value = this.#readSum()
    this.#expect(')')
    return value
  }

  #readNamed(name: string, position: number): number {
    const lowerName = name.toLowerCase()
    const constant = arithmeticConstants.get(lowerName)
    if (constant !== undefined) return constant
    const called = arithmeticFunctions.get(lowerName)
    if (called === undefined) throw new ArithmeticError(`Unknown name ${showName(name)} at character ${position}.`)
    const values = this.#nested(() => this.#readArguments())
    if (values.length < called.minValues || values.length > called.maxValues) {
      const needed = showCount(called)
      throw new ArithmeticError(`${lowerName} at character ${position} takes ${needed}, not ${values.length}.`)
    }
    return finite(called.apply(...values), resultOf(lowerName), position)
  }

  #readArguments(): number[] {
    this.#expect('(')
    if (this.#take(/\)/y) !== '') return []
    const values = [this.#readSum()]
    while (this.#take(/,/y) !== '') values.push(this.#readSum())
    this.#expect(')')
    return values
  }

  #nested<Value>(read: () => Value): Value {
    this.#depth += 1
    if (this.#depth > maxExpressionDepth) {
      throw new ArithmeticError(
        `The expression nests too deeply at character ${this.#at}: at most ${maxExpressionDepth} levels are allowed.`,
      )
    }
    const value = read()
    this.#depth -= 1
    return value
  }

  /** Skips white space and reads what matches the pattern; empty when nothing does. */
  #take(pattern: RegExp): string {
    this.#peek()
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #peek(): string {
    whiteSpace.lastIndex = this.#at
    this.#at += whiteSpace.exec(this.#text)?.[0].length ?? 0
    const code = this.#text.codePointAt(this.#at)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  #expect(character: string): void {
    if (this.#peek() !== character) this.#failHere()
    this.#at += 1
  }

  #failHere(): never {
    const found = this.#peek()
    const what = found === '' ? 'Unexpected end of the expression' : `Unexpected ${JSON.stringify(found)}`
    throw new ArithmeticError(`${what} at character ${this.#at + 1}.`)
  }
}

function multiply(operator: string, position: number, left: number, right: number): number {
  if (operator === '*') return finite(left * right, resultOf(operator), position)
  if (right === 0) throw new ArithmeticError(`Division by zero at character ${position}.`)
  return finite(operator === '/' ? left / right : left % right, resultOf(operator), position)
}

function finite(value: number, what: string, position: number): number {
  if (Number.isFinite(value)) return value
  const problem = Number.isNaN(value) ? 'is not a real number' : 'is out of range'
  throw new ArithmeticError(`${what} at character ${position} ${problem}.`)
}

const resultOf = (operation: string): string => `The result of ${operation}`

const showCount = ({ minValues, maxValues }: ArithmeticFunction): string =>
  `${maxValues > minValues ? 'at least ' : ''}${minValues} ${minValues === 1 ? 'argument' : 'arguments'}`
