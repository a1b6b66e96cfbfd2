import { describe, expect, test } from 'vitest'
import { longestTurnMs, promisedTurnMs } from '../../../test/support/cpu-time.ts'
import { largestReply } from '../../models/provider/reply/incoming-reply.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import { findModelJson, findWholeJson, maxModelParts, parseModelJson, withoutReasoning } from './model-json.ts'

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

  test('many parts are not read, and neither is what nests deeper than can be stored', () => {
    const list = (length: number) => `[${'0,'.repeat(length - 1)}0]`
    expect(findModelJson(list(maxModelParts - 1))).toBeDefined()
    expect(findModelJson(list(maxModelParts))).toBeUndefined()
    expect(findWholeJson(`{"a":${'['.repeat(63)}${']'.repeat(63)}}`)).toBeDefined()
    expect(findWholeJson(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`)).toBeUndefined()
  })

  test('is found behind a container that is not JSON, and inside it', () => {
    expect(findModelJson(`[see {"a":1}]`)).toEqual({ value: { a: 1 } })
    expect(findModelJson(`${'{'.repeat(7)}"a":1}`)).toEqual({ value: { a: 1 } })
  })
})

const fill = (part: string): string => part.repeat(Math.floor(largestReply / part.length))

describe('a hostile text of the largest length', () => {
  test.each([
    ['a fence that line breaks follow', `\`\`\`json${fill('\n').slice(10)}x`],
    ['fences', fill('```')],
    ['fences of languages', fill('```json ')],
    ['escaped quotes', fill('\\"')],
    ['open strings', fill('"\\')],
    ['open braces', fill('{')],
    ['open brackets and commas', fill('[,')],
    ['brackets that nest', '['.repeat(largestReply / 2) + ']'.repeat(largestReply / 2)],
    ['brackets around what is not JSON', `[[[[[[[[${fill('[],').slice(20)}x]]]]]]]]`],
    ['trailing commas', `[${fill('[0,],').slice(10)}0]`],
    ['commas and spaces', fill(', ')],
    ['empty arrays', `[${fill('[],').slice(10)}0]`],
    ['reasoning that opens', fill('<think>')],
    ['reasoning that opens and closes', fill('<think></think>')],
    ['the keys of an object', `{${Array.from({ length: 100_000 }, (_, n) => `"${n}":0`).join()}}`],
    ['as many keys as are read', `{${Array.from({ length: 24_999 }, (_, n) => `"${n}":0`).join()}}`],
    ['as many texts as are read', `[${Array.from({ length: 49_000 }, () => '"\\u00e9\\u0000"').join()}]`],
  ])('%s: takes a moment', async (_, text) => {
    const readAll = async () => {
      for (const read of [findModelJson, findWholeJson, parseModelJson, withoutReasoning]) {
        read(text)
        await nextTurn()
      }
    }
    expect(await longestTurnMs(readAll)).toBeLessThan(promisedTurnMs)
  })
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
