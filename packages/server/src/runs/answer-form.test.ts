import { expect, test } from 'vitest'
import { canonicalJson } from '../domain/json/canonical-json.ts'
import { answerForm } from './answer-form.ts'

type Said = Parameters<typeof answerForm>[0]

const approve: Said = { action: 'approve', payload: null }
const submit = (more: object): Said => ({ action: 'submit_input', payload: null, ...more })
const formOf = (said: Said) => canonicalJson(answerForm(said, 'a'))

test.each<[string, Said, Said]>([
  ['the order of calls', submit({ calls: [b('no'), ok('a')] }), submit({ calls: [ok('a'), b('no')] })],
  ['a list with only the call: approved', submit({ calls: [ok('a')] }), approve],
  [
    'a list with only the call: denied',
    submit({ calls: [{ call_id: 'a', deny: 'no' }] }),
    submit({ call: { deny: 'no' } }),
  ],
  [
    'the order of the names of arguments',
    submit({ calls: [ok('b'), { call_id: 'a', arguments: { x: { p: 1, q: 2 }, y: 1 } }] }),
    submit({ calls: [{ arguments: { y: 1, x: { q: 2, p: 1 } }, call_id: 'a' }, ok('b')] }),
  ],
])('%s makes no difference', (_, one, other) => {
  expect(formOf(one)).toBe(formOf(other))
})

test.each<[string, Said, Said]>([
  ['which call is approved', submit({ calls: [ok('b')] }), approve],
  // Without a list, the others are asked again.
  ['whether the others are approved as well', submit({ calls: [ok('a'), ok('b')] }), approve],
  ['the payload', submit({ calls: [ok('a')], payload: 1 }), approve],
  ['the reason', submit({ calls: [b('no'), ok('a')] }), submit({ calls: [b('never'), ok('a')] })],
  ['the value of an argument', submit({ call: { arguments: { x: 1 } } }), submit({ call: { arguments: { x: 2 } } })],
  ['the action', submit({}), approve],
])('%s makes one', (_, one, other) => {
  expect(formOf(one)).not.toBe(formOf(other))
})

function ok(call_id: string) {
  return { call_id, approve: true as const }
}

function b(deny: string) {
  return { call_id: 'b', deny }
}
