import { describe, expect, test } from 'vitest'
import { findModelJson, findWholeJson, parseModelJson, withoutReasoning } from './model-json.ts'

const plan = { steps: [{ instruction: 'x' }] }
const json = JSON.stringify(plan)

describe('JSON in what a model wrote', () => {
  test.each([
    ['alone', json],
    ['with white space around', `\n ${json} \n`],
    ['in a fence', `\`\`\`json\n${json}\n\`\`\``],
    ['in a fence on one line', `\`\`\`JSON ${json}\`\`\``],
    ['in a fence with prose around', `Here is the plan:\n\`\`\`json\n${json}\n\`\`\`\nShall I start?`],
    ['in prose', `Sure! ${json} That is all.`],
    ['after reasoning', `<think>I could write {"steps":[]} but no.</think>${json}`],
    ['after reasoning whose opening is missing', `I could write {"a":1}.</think>\n${json}`],
    ['with a trailing comma', '{"steps":[{"instruction":"x",},],}'],
    ['after braces that are not JSON', `In {curly} words [sic]: ${json}`],
  ])('is found %s', (_, text) => {
    expect(findModelJson(text)).toEqual({ value: plan })
  })

  test.each([[''], ['I would rather not say.'], ['{"steps":'], ['<think>{"steps":[]}'], ['```json\n{"steps":\n```']])(
    'is not found in %j',
    (text) => {
      expect(findModelJson(text)).toBeUndefined()
    },
  )

  test('commas in strings stay', () => {
    expect(findModelJson('{"a":"x,}","b":[1,],}')).toEqual({ value: { a: 'x,}', b: [1] } })
  })

  test('what cannot be stored is replaced, and depth is bounded', () => {
    expect(parseModelJson('{"a":"\\u0000\\ud83d"}')).toEqual({ value: { a: '\uFFFD\uFFFD' } })
    expect(parseModelJson('['.repeat(65) + ']'.repeat(65))).toBeUndefined()
  })

  test.each(['<think>'.repeat(150_000), '{'.repeat(1_000_000), '```'.repeat(300_000), '[,'.repeat(500_000)])(
    'hostile text %# takes a moment',
    (text) => {
      const start = performance.now()
      findModelJson(text)
      expect(performance.now() - start).toBeLessThan(1_000)
    },
  )
})

describe('a text that is JSON as a whole', () => {
  test.each([[json], [`\`\`\`json\n${json}\n\`\`\``], [`<think>hm</think>${json}`]])('%j is', (text) => {
    expect(findWholeJson(text)).toEqual({ value: plan })
  })

  test.each([['42'], ['"text"'], ['null'], [`The plan: ${json}`], [`${json} and more`]])('%j is not', (text) => {
    expect(findWholeJson(text)).toBeUndefined()
  })
})

test('reasoning goes, the rest stays', () => {
  expect(withoutReasoning('a<think>b</think>c<reasoning>d</reasoning>e')).toBe('ace')
  expect(withoutReasoning('no tags at all')).toBe('no tags at all')
})
