import { builtInTools as builtInNames } from '@runwright/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { takeTurns } from '../../../test/support/take-turns.ts'
import { toolContext } from '../../../test/support/tool-context.ts'
import { ToolCatalogue } from '../port/catalogue.ts'
import { invokeTool } from '../port/invoke.ts'
import { builtInTools } from './built-in-tools.ts'
import { maxExpressionLength } from './calculator.ts'
import { maxWaitSeconds, wait } from './wait.ts'

const catalogue = new ToolCatalogue(builtInTools())

const call = (name: string, input: unknown, signal = new AbortController().signal) =>
  invokeTool({
    catalogue,
    name,
    input,
    allowed: undefined,
    context: toolContext({ signal }),
  })

const succeeded = (output: unknown) => ({ outcome: 'succeeded', output })
const failed = (message: string) => ({ outcome: 'failed', message })

test('all have a name that the contract knows', () => {
  expect(builtInNames).toEqual(expect.arrayContaining([...catalogue.names]))
})

test('all only read', () => {
  expect(new Set(builtInTools().map((tool) => tool.effectOf({})))).toEqual(new Set(['read']))
})

test.each([
  ['calculator', { expression: '1', unit: 'EUR' }, 'input.unit is not a known field.'],
  ['current_time', { zone: 'UTC' }, 'input.zone is not a known field.'],
  ['wait', { seconds: 1, minutes: 1 }, 'input.minutes is not a known field.'],
  ['current_time', null, 'input must be an object, not null.'],
  ['wait', [], 'input must be an object.'],
])('%s does not take %j', async (name, input, message) => {
  expect(await call(name, input)).toEqual(failed(message))
})

describe('calculator', () => {
  test('gives the result of an expression', async () => {
    expect(await call('calculator', { expression: '12.5 * 2' })).toEqual(succeeded({ result: 25 }))
  })

  test('takes a number, which a template alone leaves in place of a text', async () => {
    expect(await call('calculator', { expression: -1.5e21 })).toEqual(succeeded({ result: -1.5e21 }))
  })

  test('an error fails the call and names the position', async () => {
    expect(await call('calculator', { expression: '1 / 0' })).toEqual(failed('Division by zero at character 3.'))
  })

  test.each([
    [{}, 'input.expression is required.'],
    [{ expression: null }, 'input.expression must be a string or a number.'],
    [{ expression: Number.NaN }, 'input.expression must be a string or a number.'],
    [{ expression: ['1'] }, 'input.expression must be a string or a number.'],
    [{ expression: '1'.repeat(maxExpressionLength + 1) }, 'input.expression must have at most 1000 characters.'],
  ])('does not take %j', async (input, message) => {
    expect(await call('calculator', input)).toEqual(failed(message))
  })

  test('takes the longest expression', async () => {
    const expression = ' '.repeat(maxExpressionLength - 1)
    expect(await call('calculator', { expression: `${expression}7` })).toEqual(succeeded({ result: 7 }))
  })
})

describe('with the clock in hand', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('current_time returns the time in UTC with milliseconds', async () => {
    vi.setSystemTime('2026-11-15T10:00:00.120+01:00')
    expect(await call('current_time', {})).toEqual(succeeded({ now: '2026-11-15T09:00:00.120Z' }))
  })

  test.each([[0], [0.25], [90], [maxWaitSeconds]])('wait takes %d seconds', async (seconds) => {
    const ended = vi.fn()
    void call('wait', { seconds }).then(ended)
    await vi.advanceTimersByTimeAsync(Math.max(0, seconds * 1000 - 1))
    await takeTurns(5)
    expect(ended).toHaveBeenCalledTimes(seconds === 0 ? 1 : 0)
    await vi.advanceTimersByTimeAsync(1)
    await takeTurns(5)
    expect(ended).toHaveBeenCalledExactlyOnceWith(succeeded({ seconds }))
    expect(vi.getTimerCount()).toBe(0)
  })

  test('an abort ends a wait', async () => {
    const controller = new AbortController()
    const result = call('wait', { seconds: maxWaitSeconds }, controller.signal)
    await vi.advanceTimersByTimeAsync(1000)
    controller.abort()
    expect(await result).toEqual({ outcome: 'aborted' })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('an aborted wait fails', async () => {
    const context = { signal: AbortSignal.abort() } as Parameters<typeof wait.run>[1]
    await expect(wait.run({ seconds: 1 }, context)).rejects.toThrow('aborted')
  })
})

test.each([
  [{}, 'input.seconds is required.'],
  [{ seconds: -1 }, 'input.seconds must be at least 0.'],
  [{ seconds: maxWaitSeconds + 0.5 }, 'input.seconds must be at most 86400.'],
  [{ seconds: '5' }, 'input.seconds must be a number.'],
  [{ seconds: Number.POSITIVE_INFINITY }, 'input.seconds must be a number.'],
])('wait does not take %j', async (input, message) => {
  expect(await call('wait', input)).toEqual(failed(message))
})
