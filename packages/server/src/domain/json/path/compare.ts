// Comparisons in JSONPath filters (RFC 9535, 2.3.5.2.2). Their cost grows with the length of the operands.
import { spend, type WorkBudget } from './work-budget.ts'

/** The operand when a query selects no value, or several. */
export const nothing = Symbol('nothing')

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

export function lengthOf(value: unknown, work: WorkBudget): unknown {
  if (typeof value === 'string') {
    spend(work, value.length)
    return [...value].length
  }
  if (Array.isArray(value)) return value.length
  return isContainer(value) ? keysOf(value, work).length : nothing
}

function keysOf(value: object, work: WorkBudget): string[] {
  const keys = Object.keys(value)
  spend(work, keys.length)
  return keys
}

export function compare(left: unknown, operator: string, right: unknown, work: WorkBudget): boolean {
  switch (operator) {
    case '==':
      return areEqual(left, right, work)
    case '!=':
      return !areEqual(left, right, work)
    case '<':
      return isLess(left, right, work)
    case '>':
      return isLess(right, left, work)
    case '<=':
      return isLess(left, right, work) || areEqual(left, right, work)
    default:
      return isLess(right, left, work) || areEqual(left, right, work)
  }
}

function isLess(left: unknown, right: unknown, work: WorkBudget): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right
  if (typeof left !== 'string' || typeof right !== 'string') return false
  spend(work, Math.min(left.length, right.length) >> 6)
  return left < right
}

function areEqual(left: unknown, right: unknown, work: WorkBudget): boolean {
  // One step pays for 64 characters.
  spend(work, 1 + (typeof left === 'string' ? left.length >> 6 : 0))
  if (left === right) return true
  if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) return false
  const keys = keysOf(left, work)
  if (keysOf(right, work).length !== keys.length) return false
  return keys.every((key) => Object.hasOwn(right, key) && areEqual(left[key], right[key], work))
}
