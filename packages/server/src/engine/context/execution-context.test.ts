import { describe, expect, test } from 'vitest'
import { fakeExecution, fakeTool } from '../../../test/support/fake-execution.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'

describe('tools', () => {
  test('read_result belongs to the run: it is found, and offered only when it is named', () => {
    const { context } = fakeExecution({ tools: [fakeTool('look')] })
    expect(context.catalogue.find('read_result')?.name).toBe('read_result')
    expect(context.catalogue.offers().map(({ name }) => name)).toEqual(['look'])
    expect(context.catalogue.offers(['look', 'read_result']).map(({ name }) => name)).toEqual(['look', 'read_result'])
  })
})

test('a step has the same task id in every execution of the run, and other steps have other ids', () => {
  const [first, second] = [fakeExecution(), fakeExecution({ run: { epoch: 9 } })]
  expect(first.context.stepOf('0/a')).toEqual(second.context.stepOf('0/a'))
  expect(first.context.stepOf('0/a')).not.toEqual(first.context.stepOf('1/a'))
  expect(first.context.stepOf('0/a')).toMatchObject({ requestId: 'req_test', taskId: expect.stringMatching(/^task_/) })
})

test('an abort reaches everything that shares the signal', () => {
  const { context, controller } = fakeExecution()
  context.abort('step_timeout')
  expect([context.signal.aborted, controller.signal.reason]).toEqual([true, 'step_timeout'])
})

test('the end of a text that may become a secret is held back', () => {
  const document = { input: { password: 'correct horse' }, metadata: {} }
  const secrets = SecretKeeper.find(document, [{ path: '$.input.password', classification: 'pii' }])
  const { context } = fakeExecution({ run: { ...document, secrets } })
  expect(context.safeLength?.('it is correct ho')).toBe('it is '.length)
  expect(fakeExecution({ run: document }).context.safeLength).toBeUndefined()
})
