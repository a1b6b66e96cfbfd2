import { expect, test } from 'vitest'
import { readJson, repairRequest } from './read-output.ts'

test.each([
  ['{"n": 1}', { n: 1 }],
  ['Here: ```json\n{"n": 1,}\n``` done', { n: 1 }],
  ['<think>{"n": 2}</think> {"n": 1}', { n: 1 }],
])('%j is read', (text, value) => {
  expect(readJson({ text })).toEqual({ ok: true, value })
})

test.each([
  ['', 'the answer is empty'],
  ['  \n', 'the answer is empty'],
  ['no idea', 'the answer holds no JSON'],
])('%j is not', (text, problem) => {
  expect(readJson({ text })).toEqual({ ok: false, problem })
})

test('output that is not text takes precedence over the text', () => {
  expect(readJson({ text: '{"n": 1}', output: { n: 2 } })).toEqual({ ok: true, value: { n: 2 } })
  expect(readJson({ text: '{"n": 1}', output: null })).toEqual({ ok: true, value: null })
})

test('a repair names the problem', () => {
  expect(repairRequest('n must be integer')).toMatch(/cannot be used: n must be integer\. .*JSON and nothing else/)
})
