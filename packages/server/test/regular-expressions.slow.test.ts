// No regular expression of the sources takes more than linear time: a customer, a model, a page or a provider chooses
// the text that it is applied to, and one that takes quadratic time holds the process for minutes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findExpressions, type SourceExpression } from './support/source-expressions.ts'

const require = createRequire(import.meta.url)
// The build in JavaScript: the other ones need Java, or a program that not all platforms have.
const { checkSync } = require('recheck/lib/browser.js') as typeof import('recheck')

/** For one expression: far more than any needs, because other processes may have the cores. */
const timeoutMs = 60_000

/** For expressions that the proof cannot handle, those that look around: texts are tried instead, and steps counted. */
const tried = {
  ...{ maxIteration: 2, maxGenerationSize: 20, maxInitialGenerationSize: 50 },
  ...{ incubationTimeout: null, attackTimeout: null },
} as const

type Expression = Pick<SourceExpression, 'pattern' | 'flags'>

const textOf = ({ pattern, flags }: Expression): string => `/${pattern}/${flags}`

/** Undefined: it takes linear time. */
function problemOf(expression: Expression): string | undefined {
  const { pattern, flags } = expression
  const proved = checkSync(pattern, flags, { checker: 'automaton', timeout: timeoutMs })
  const isUnsupported = proved.status === 'unknown' && proved.error.kind === 'unsupported'
  const verdict = isUnsupported ? checkSync(pattern, flags, { checker: 'fuzz', timeout: timeoutMs, ...tried }) : proved
  if (verdict.status === 'safe') return undefined
  if (verdict.status === 'unknown') return `${textOf(expression)} is too complex to check (${verdict.error.kind})`
  return `${textOf(expression)} takes ${verdict.complexity.summary} time on ${verdict.attack.pattern}`
}

/** The expressions that were checked before. To check them all takes ten seconds. */
const cacheFile = join(import.meta.dirname, '../../../node_modules/.cache/runwright/linear-expressions.json')

interface Checked {
  readonly by: string
  readonly linear: readonly string[]
}

const by = `recheck ${(require('recheck/package.json') as { version: string }).version}`

function readChecked(): Set<string> {
  try {
    const checked = JSON.parse(readFileSync(cacheFile, 'utf8')) as Checked
    return new Set(checked.by === by ? checked.linear : [])
  } catch {
    return new Set()
  }
}

function writeChecked(linear: readonly string[]): void {
  mkdirSync(join(cacheFile, '..'), { recursive: true })
  writeFileSync(cacheFile, JSON.stringify({ by, linear } satisfies Checked))
}

const { expressions, computed } = findExpressions()

test('every regular expression takes linear time', { timeout: 300_000 }, () => {
  const known = readChecked()
  const checked = expressions.map((expression) => {
    const problem = known.has(textOf(expression)) ? undefined : problemOf(expression)
    return { expression, problem }
  })
  writeChecked(checked.filter(({ problem }) => problem === undefined).map(({ expression }) => textOf(expression)))
  const problems = checked.filter(({ problem }) => problem !== undefined)
  expect(problems.map(({ expression, problem }) => `${expression.places.join(', ')}: ${problem}`)).toEqual([])
  expect(expressions.length).toBeGreaterThan(250)
})

test('none is made from text while the program runs, where it cannot be checked', () => {
  expect(computed).toEqual([])
})

test.each([
  ['^```[\\w-]*\\s*\\n?([\\s\\S]*?)\\n?\\s*```$', ''],
  ['(\\{\\{[\\s\\S]*?\\}\\})', ''],
  ['(a+)+$', ''],
  ['\\s+$', ''],
  ['\\s+(?=!)', ''],
])('the check finds /%s/%s', { timeout: 120_000 }, (pattern, flags) => {
  expect(problemOf({ pattern, flags })).toMatch(/takes .* time on/)
})
