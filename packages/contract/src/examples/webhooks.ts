// Examples of webhooks, their messages and their deliveries.
import { defaultWebhookEvents } from '../schemas/webhook-events.ts'
import { createdAt, requestIds, runId, webhookId } from './ids.ts'

const url = 'https://app.example.com/hooks/runwright'
const request_id = requestIds.retry
const webhook = {
  id: webhookId,
  name: null,
  url,
  format: 'standard',
  event_types: [...defaultWebhookEvents],
  paused: false,
  created_at: createdAt,
  updated_at: createdAt,
  disabled_at: null,
  paused_until: null,
}
const deliveryId = `${runId}_7`

const delivered = {
  id: deliveryId,
  run_id: runId,
  seq: 7,
  type: 'run.worker.succeeded',
  state: 'delivered',
  event_at: createdAt,
  attempts: 1,
  last_attempt_at: '2026-11-15T09:30:00.140Z',
  next_attempt_at: null,
  response_status: 204,
  error: null,
}

const pending = {
  ...delivered,
  state: 'pending',
  attempts: 2,
  next_attempt_at: '2026-11-15T09:35:08.310Z',
  response_status: 500,
  error: 'The endpoint answered with status 500.',
}

export const createBodies = {
  ends: { summary: 'How runs end, and that they await input', value: { url } },
  chosen: {
    summary: 'Only runs that fail',
    value: { url, event_types: ['run.worker.failed', 'run.limit_exceeded'] },
  },
  named: {
    summary: 'With a name, beside another webhook with this URL',
    value: { url, name: 'failures', event_types: ['run.worker.failed'] },
  },
  slack: {
    summary: 'Questions and answers as messages in Slack',
    value: { url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX', format: 'slack' },
  },
}

export const updateBodies = {
  name: { summary: 'Another name', value: { name: 'failures' } },
  pause: { summary: 'Pause', value: { paused: true } },
  resume: { summary: 'Resume, also after the endpoint answered 410', value: { paused: false } },
  events: { summary: 'Other events', value: { event_types: ['run.worker.failed'] } },
}

export const deletions = { deleted: { summary: 'Deleted', value: { id: webhookId, deleted: true, request_id } } }

export const rotateBodies = { hour: { summary: 'Both secrets for one hour', value: { overlap_seconds: 3600 } } }

export const withSecret = {
  secret: {
    summary: 'The secret is shown only once',
    value: { webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', request_id },
  },
}

export const created = {
  ...withSecret,
  existing: { summary: 'It was there already', value: { webhook, secret: null, request_id } },
}

export const results = { webhook: { summary: 'A webhook', value: { webhook, request_id } } }

export const lists = {
  webhooks: {
    summary: 'One that works and one that was disabled',
    value: {
      webhooks: [webhook, { ...webhook, disabled_at: '2026-11-15T10:00:00.000Z' }],
      next_cursor: null,
      request_id,
    },
  },
}

export const deliveryLists = {
  deliveries: {
    summary: 'One that is repeated and one that was delivered',
    value: { deliveries: [pending, delivered], next_cursor: null, request_id },
  },
}

export const deliveryResults = {
  pending: {
    summary: 'It will be sent now',
    value: {
      delivery: {
        ...delivered,
        state: 'pending',
        attempts: 0,
        last_attempt_at: null,
        next_attempt_at: createdAt,
        response_status: null,
      },
      request_id,
    },
  },
}

export const redeliverBodies = { one: { summary: 'By its id', value: { delivery_id: deliveryId } } }

export const webhookMessages = {
  succeeded: {
    summary: 'A run has succeeded',
    value: {
      type: 'run.worker.succeeded',
      timestamp: createdAt,
      data: { run_id: runId, status: 'succeeded', seq: 7, workspace_id: 'acme-finance', subject_id: 'user-42' },
    },
  },
  awaitingInput: {
    summary: 'A run awaits an approval',
    value: {
      type: 'run.awaiting_input',
      timestamp: createdAt,
      data: {
        run_id: runId,
        status: 'running',
        seq: 4,
        workspace_id: 'acme-finance',
        subject_id: 'user-42',
        awaiting_input: {
          title: 'Pay the invoice of Acme',
          prompt: 'Pay 1146 euros?',
          tool: null,
          url: `https://agents.example.com/console/#/runs/${runId}`,
        },
      },
    },
  },
}
