import { describe, expect, test } from 'vitest'
import { ServiceError } from '../service-error.ts'
import { type Choices, checkChoices } from './check-choices.ts'

const messageOf = (metadata: Record<string, unknown>, choices: Choices): string | undefined => {
  try {
    checkChoices(metadata, choices)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError)
    expect((error as ServiceError).reason).toBe('INPUT_PAYLOAD_INVALID')
    return (error as ServiceError).message
  }
}

const known = (...names: string[]) => ({ current: { names, has: (name: string) => names.includes(name) } })

describe('metadata.agent', () => {
  test.each([{}, { agents: { current: undefined } }])('is refused without agents: %j', (choices) => {
    expect(messageOf({}, choices)).toBeUndefined()
    expect(messageOf({ agent: 'x' }, choices)).toBe(
      'metadata.agent names an unknown agent: "x"; no agents are configured.',
    )
    for (const agent of [17, null, {}])
      expect(messageOf({ agent }, choices)).toBe(
        'metadata.agent must be the name of an agent; no agents are configured.',
      )
  })

  test('must be one of the agents', () => {
    const agents = known('a', 'b')
    expect(messageOf({ agent: 'b' }, { agents })).toBeUndefined()
    expect(messageOf({}, { agents })).toBeUndefined()
    expect(messageOf({ agent: 'c' }, { agents })).toBe(
      'metadata.agent names an unknown agent: "c"; the agents are "a", "b".',
    )
    expect(messageOf({ agent: 17 }, { agents })).toBe(
      'metadata.agent must be the name of an agent; the agents are "a", "b".',
    )
    expect(messageOf({ agent: 'c' }, { agents: known() })).toBe(
      'metadata.agent names an unknown agent: "c"; there are no agents.',
    )
  })

  test('is refused with at most 20 names', () => {
    const names = Array.from({ length: 22 }, (_, index) => `agent${index}`)
    const message = messageOf({ agent: 'c' }, { agents: known(...names) })
    expect(message).toContain('"agent19" and 2 more.')
    expect(message).not.toContain('agent20')
  })
})

describe('metadata.model', () => {
  test.each([{}, { allowedModels: [] }])('is refused without a list: %j', (choices) => {
    expect(messageOf({}, choices)).toBeUndefined()
    expect(messageOf({ model: 'x' }, choices)).toBe(
      'metadata.model names a model that is not allowed: "x"; no models are allowed.',
    )
    for (const model of [17, null])
      expect(messageOf({ model }, choices)).toBe('metadata.model must be a model; no models are allowed.')
  })

  test('is refused with at most 20 names', () => {
    const allowedModels = Array.from({ length: 23 }, (_, index) => `openai/model${index}`)
    const message = messageOf({ model: 'x' }, { allowedModels })
    expect(message).toContain('"openai/model19" and 3 more.')
    expect(message).not.toContain('model20')
  })

  test('must be one of the list', () => {
    const allowedModels = ['openai/a', 'openai/b']
    expect(messageOf({ model: 'openai/b' }, { allowedModels })).toBeUndefined()
    expect(messageOf({}, { allowedModels })).toBeUndefined()
    expect(messageOf({ model: 'openai/a, openai/b' }, { allowedModels })).toBe(
      'metadata.model names a model that is not allowed: "openai/a, openai/b"; the allowed models are "openai/a", "openai/b".',
    )
    expect(messageOf({ model: null }, { allowedModels })).toContain('metadata.model must be a model; ')
  })
})
