import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newWebhookSecret } from './delivery/webhook-secret.ts'
import { problemOf } from './verify-message.ts'

const [secret, other] = [newWebhookSecret(), newWebhookSecret()]
const at = new Date('2026-11-17T10:00:00Z')
const body = '{"type":"run.created"}'

const headers = (changes: Record<string, string> = {}) => ({
  'webhook-id': 'run_1_1',
  'webhook-timestamp': String(at.getTime() / 1000),
  'webhook-signature': new Webhook(secret).sign('run_1_1', at, body),
  ...changes,
})
const check = (changes: Record<string, string> = {}, text = body, late = 0) =>
  problemOf({ headers: headers(changes), body: text }, { secret, nowMs: at.getTime() + late })

test('a message that the library of the standard has signed is genuine, also beside another signature', () => {
  expect(check()).toBeUndefined()
  const both = [new Webhook(other), new Webhook(secret)].map((webhook) => webhook.sign('run_1_1', at, body)).join(' ')
  expect(check({ 'webhook-signature': both })).toBeUndefined()
})

test('another secret, another body, another id and an old timestamp are refused', () => {
  expect(check({ 'webhook-signature': new Webhook(other).sign('run_1_1', at, body) })).toContain('signature')
  expect(check({}, '{}')).toContain('signature')
  expect(check({ 'webhook-id': 'run_1_2' })).toContain('signature')
  expect(check({}, body, 301_000)).toContain('timestamp')
  expect(check({ 'webhook-timestamp': 'now' })).toContain('timestamp')
  expect(problemOf({ headers: {}, body }, { secret, nowMs: at.getTime() })).toContain('missing')
})
