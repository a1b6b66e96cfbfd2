import { expect, test } from 'vitest'
import { describeRule } from './describe-rule.ts'

const sentence = (read: string, call = 'A call') =>
  `Calls are made without approval. ${call} needs approval if the run has read ${read}, or if a model fills in a ` +
  'sensitive value that its tag does not allow for the call.'

test('a rule that refuses or asks is told as it is, whatever the tool touches', () => {
  for (const exposure of [undefined, {}, { sendsOut: true }]) {
    expect(describeRule('deny', exposure)).toBe('Calls are refused, and models do not see the tool.')
    expect(describeRule('ask', exposure)).toBe('Each call needs approval.')
  }
})

test('an allowed tool that sends nothing out never needs approval', () => {
  expect(describeRule('allow', {})).toBe('Calls are made without approval.')
  expect(describeRule('allow', { readsPrivate: true })).toBe('Calls are made without approval.')
})

test('an allowed tool that sends data out needs approval in two cases, and they are told', () => {
  expect(describeRule('allow', { sendsOut: true })).toBe(sentence('private data and untrusted text'))
})

test('a tool that reads private data itself needs only untrusted text beside it', () => {
  expect(describeRule('allow', { sendsOut: true, readsPrivate: true })).toBe(sentence('untrusted text'))
})

test('when it depends on the arguments, the sentence says so', () => {
  const text = sentence('private data and untrusted text', 'A call that sends data out')
  expect(describeRule('allow', undefined)).toBe(text)
})
