import { describe, expect, test } from 'vitest'
import { cutsResults, describeResults, type FinishedStep } from './finished-steps.ts'

const step = (n: number, length: number, output: unknown = null): FinishedStep => ({
  stepId: `s${n}`,
  content: `${n % 10}`.repeat(length),
  output,
})
const steps = (count: number, length: number) => Array.from({ length: count }, (_, n) => step(n, length))
const shownOf = (text: string, n: number) => text.split(`${n % 10}`.repeat(100)).length - 1

describe('the results of finished steps', () => {
  test('are shown whole while they fit together', () => {
    const texts = describeResults(steps(4, 8_000))
    expect(texts).toHaveLength(4)
    expect(texts.join()).not.toContain('not shown')
    expect(cutsResults(steps(4, 8_000))).toBe(false)
  })

  test('share one budget, and the oldest are cut first', () => {
    const finished = steps(8, 15_000)
    const text = describeResults(finished, { canReadOn: true }).join('\n')
    expect(text.length).toBeLessThan(34_000)
    expect(shownOf(text, 7)).toBe(150)
    expect(shownOf(text, 6)).toBe(150)
    expect(shownOf(text, 5)).toBe(20)
    expect(text).toContain('[To read on, call read_result with call_id "step:s5" and offset 2000.]')
    expect(text).toContain(
      '[The results of 5 earlier steps are not shown: s0, s1, s2, s3, s4. Call read_result with call_id "step:<id>" to read one.]',
    )
    expect(cutsResults(finished)).toBe(true)
  })

  test('of very many steps stay within the budget, and their names do too', () => {
    const text = describeResults(steps(2_000, 1_000), { canReadOn: true }).join('\n')
    expect(text.length).toBeLessThan(37_000)
    expect(text).toContain('[The results of 1968 earlier steps are not shown: s0, s1')
  })

  test('leave room for an output that is something else', () => {
    const [text = ''] = describeResults([step(1, 20_000, { list: 'x'.repeat(20_000) })])
    expect(text.length).toBeLessThan(17_000)
    expect(shownOf(text, 1)).toBe(80)
    expect(text).toContain('<data name="output of s1">\n{"list":"xxx')
  })

  test('do not name a tool that the model does not have', () => {
    expect(describeResults(steps(8, 15_000)).join()).not.toContain('read_result')
  })

  test('are shorter in a window that is too small', () => {
    const shown = { resultLength: 2_000 }
    expect(describeResults(steps(8, 15_000), shown).join().length).toBeLessThan(5_000)
    expect(cutsResults(steps(1, 2_001), shown)).toBe(true)
  })
})
