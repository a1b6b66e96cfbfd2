// The first difference between two JSON values, in words.
import { isDeepStrictEqual } from 'node:util'
import { cutText } from '@runwright/contract'

const maxShownLength = 200

export function show(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  const shown = cutText(text, maxShownLength)
  return shown.length === text.length ? text : `${shown}…`
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `/orders/1/status is "pending", expected "cancelled"`; undefined if the values are equal. */
export function firstDifference(expected: unknown, actual: unknown, at = ''): string | undefined {
  if (isDeepStrictEqual(expected, actual)) return undefined
  if (isObject(expected) && isObject(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)])
    return firstOf(keys, (key) => firstDifference(expected[key], actual[key], `${at}/${escapePart(key)}`))
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length)
    return firstOf(expected.keys(), (index) => firstDifference(expected[index], actual[index], `${at}/${index}`))
  return `${at === '' ? 'the value' : at} is ${show(actual)}, expected ${show(expected)}`
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

const escapePart = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')

/** The value at a JSON Pointer (RFC 6901); undefined if there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return parts.reduce<unknown>((holder, part) => {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, part)) return undefined
    return (holder as Record<string, unknown>)[part]
  }, value)
}

/** Whether `actual` has everything that `expected` names. Arrays have the same length, and match item by item. */
export function matchesPartially(expected: unknown, actual: unknown): boolean {
  if (isObject(expected)) {
    if (!isObject(actual)) return false
    return Object.entries(expected).every(
      ([key, value]) => Object.hasOwn(actual, key) && matchesPartially(value, actual[key]),
    )
  }
  if (!Array.isArray(expected)) return isDeepStrictEqual(expected, actual)
  if (!Array.isArray(actual) || actual.length !== expected.length) return false
  return expected.every((item, index) => matchesPartially(item, actual[index]))
}
