// Creates take turns: the worst body that is accepted holds the event loop for a short time only.

import { expect, test } from 'vitest'
import { longestTurnMs, promisedTurnMs, turnsOf } from '../../test/support/cpu-time.ts'
import { worstBodies } from '../../test/support/worst-bodies.ts'
import { operator } from '../domain/actor.ts'
import { Keyring } from '../runtime/secrets/cipher-keyring.ts'
import { type CreateDependencies, createRun } from './create-run.ts'

const keyring = new Keyring()
keyring.learn(new Map([[1, Buffer.alloc(32)]]))
const dependencies = {
  creator: { create: async () => ({ outcome: 'created', createdAt: new Date() }) },
  queueLimit: { reserve: async () => ({ release: () => undefined }) },
  hashBody: () => Buffer.alloc(32),
  keyring,
  limits: { default: { tokens: 1, durationSeconds: 1, signalTimeoutSeconds: 1 } },
  knownTools: new Set(['calculator']),
  workerIsSandbox: true,
} as unknown as CreateDependencies

const create = (body: string) =>
  createRun(dependencies, { customerId: 'acme', requestId: 'req_1', idempotencyKey: 'k', body, by: operator })

test.each(Object.entries(worstBodies))('%s: a short time only', async (_, body) => {
  const text = JSON.stringify(body)
  expect(await longestTurnMs(() => create(text))).toBeLessThan(promisedTurnMs)
})

test('the work is done in several turns', async () => {
  const text = JSON.stringify(worstBodies['keys that contain a tagged text'])
  expect((await turnsOf(() => create(text))).count).toBeGreaterThan(3)
})
