// Example bodies of the memory, key, agent and health routes.

import type { Agent, Skill } from '../schemas/agents.ts'
import type { Key } from '../schemas/keys.ts'
import type { MemoryItem } from '../schemas/memory.ts'
import { exampleError } from './errors.ts'
import { agentHash, createdAt, keyIds, memoryIds, requestIds, runId, scheduleId, webhookId } from './ids.ts'

const fact: MemoryItem = {
  id: memoryIds.fact,
  workspace_id: 'acme-finance',
  subject_id: 'user-42',
  run_id: null,
  kind: 'fact',
  status: 'active',
  harness: false,
  title: 'Approval limit',
  content: 'Payments over 1,000.00 need an approval.',
  tags: ['payments'],
  confidence: 0.9,
  superseded_by: null,
  embedding_model: 'offline/use-lite-en',
  created_at: '2026-11-14T16:02:11.000Z',
  updated_at: '2026-11-14T16:02:11.000Z',
}

const episode: MemoryItem = {
  ...fact,
  id: memoryIds.episode,
  run_id: runId,
  kind: 'episode',
  harness: true,
  title: 'Invoice 4711',
  content: 'Checked the total, asked for an approval, prepared the payment.',
  tags: [],
  confidence: null,
  created_at: '2026-11-15T09:30:13.120Z',
  updated_at: '2026-11-15T09:30:13.120Z',
}

const callerKey: Key = {
  id: keyIds.caller,
  name: 'backend',
  scopes: ['runs:read', 'runs:write', 'usage:read', 'memory:read', 'keys:admin'],
  roles: [],
  person: null,
  signs_in: false,
  created_at: '2026-11-01T08:00:00.000Z',
  updated_at: '2026-11-01T08:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: createdAt,
}

const createdKey: Key = {
  id: keyIds.created,
  name: 'nightly report',
  scopes: ['runs:read', 'usage:read'],
  roles: [],
  person: null,
  signs_in: false,
  created_at: '2026-11-15T10:00:00.000Z',
  updated_at: '2026-11-15T10:00:00.000Z',
  expires_at: '2027-11-15T10:00:00.000Z',
  revoked_at: null,
  last_used_at: null,
}

const markdown = `---\nid: ${fact.id}\nkind: fact\nstatus: active\n---\n\n# ${fact.title}\n\n${fact.content}\n`

export const memoryExports = {
  files: {
    summary: 'An index and one file per item',
    value: {
      files: [
        { path: 'index.md', content: '# Memory\n\n- Approval limit (fact, active)\n' },
        {
          path: `workspaces/acme-finance/subjects/user-42/fact/approval-limit-${fact.id}.md`,
          content: markdown,
        },
      ],
    },
  },
}

export const memoryLists = {
  page: {
    summary: 'With `include_harness=true`, newest first',
    value: { items: [episode, fact], limit: 50, offset: 0 },
  },
}

export const memoryItems = {
  item: { summary: 'Without its embedding', value: fact },
  embedded: {
    summary: 'With `include_embedding=true` (shortened)',
    value: { ...fact, embedding: [0.0132, -0.0871, 0.0456] },
  },
}

export const deletedMemoryItems = {
  deleted: {
    summary: 'The item is deleted',
    value: { id: memoryIds.fact, deleted: true, request_id: requestIds.retry },
  },
}

export const createKeyBodies = {
  narrow: {
    summary: 'A read-only key that expires after a year',
    value: { name: createdKey.name, scopes: createdKey.scopes, expires_at: createdKey.expires_at },
  },
  approver: {
    summary: 'A key of a person who approves',
    value: { name: 'ada', scopes: ['runs:read', 'runs:signal'], roles: ['finance'], person: 'ada@example.com' },
  },
  defaults: { summary: "The caller's own scopes without `keys:admin`", value: {} },
}

export const rotateKeyBodies = {
  overlap: { summary: 'The old secret stays valid for ten minutes', value: { overlap_seconds: 600 } },
}

const secret = 'example-secret-example-secret-example-0'

export const keysWithSecret = {
  key: { summary: 'The secret is shown only once', value: { key: createdKey, secret, request_id: requestIds.create } },
}

export const keyLists = {
  keys: {
    summary: 'Both keys',
    value: { keys: [createdKey, callerKey], next_cursor: null, request_id: requestIds.create },
  },
}

export const keyDetails = {
  leaves: {
    summary: 'When it is revoked, a schedule, a webhook and a key go on',
    value: {
      key: callerKey,
      leaves: {
        schedules: [
          {
            id: scheduleId,
            name: 'Daily report',
            cron: '0 9 * * MON-FRI',
            time_zone: 'Europe/Berlin',
            next_at: '2026-11-16T08:00:00.000Z',
          },
        ],
        webhooks: [{ id: webhookId, host: 'shop.example.com' }],
        keys: [{ id: createdKey.id, name: createdKey.name }],
      },
      request_id: requestIds.create,
    },
  },
}

export const revokedKeys = {
  revoked: {
    summary: 'Revoked; the same again for a second call',
    value: { key: { ...createdKey, revoked_at: '2026-11-16T07:00:00.000Z' }, request_id: requestIds.retry },
  },
}

export const createTokenBodies = {
  subject: {
    summary: 'For the browser of one end user, for 15 minutes',
    value: {
      scopes: ['runs:read', 'runs:write'],
      subject_id: 'user-7',
      expires_in: 900,
      origin: 'https://app.example.com',
    },
  },
  run: { summary: 'To watch one run', value: { scopes: ['runs:read'], run_id: runId, expires_in: 600 } },
}

export const createLinkBodies = {
  day: {
    summary: 'For one person, for a day',
    value: { await_seq: 14, person: 'ada@example.com', expires_in: 86_400 },
  },
  role: { summary: 'For a mailbox of a role', value: { await_seq: 14, role: 'finance', expires_in: 86_400 } },
}

export const decisionLinks = {
  day: {
    summary: 'Nothing is stored but an entry in the audit log',
    value: {
      url: 'https://agents.example.com/decide/eyJwIjoiYWRhIn0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      run_id: runId,
      await_seq: 14,
      person: 'ada@example.com',
      role: null,
      expires_at: '2026-11-16T09:30:12.000Z',
      request_id: requestIds.create,
    },
  },
}

export const tokenResults = {
  subject: {
    summary: 'Nothing is stored: each request makes another token',
    value: {
      token: 'tok_1.eyJ2IjoxfQ.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      scopes: ['runs:read', 'runs:write'],
      subject_id: 'user-7',
      workspace_id: null,
      run_id: null,
      origin: 'https://app.example.com',
      expires_at: '2026-11-15T09:45:00.120Z',
      request_id: requestIds.create,
    },
  },
}

const triage: Agent = {
  name: 'support-triage',
  description: 'Sorts a support ticket: category, urgency and a first reply.',
  hash: agentHash,
  model: 'openai-compatible/gpt-5-mini',
  tools: ['memory_search'],
  skills: null,
  judge: 'never',
  max_turns: 5,
  output_schema: {
    type: 'object',
    required: ['category'],
    properties: { category: { type: 'string', enum: ['billing', 'bug', 'other'] } },
  },
  rubric: { criteria: 'The category fits the ticket.', max_revisions: 1 },
}

const releaseNotes: Skill = {
  name: 'release-notes',
  description: 'Writes the release notes of a software version from a list of changes.',
  hash: agentHash,
  files: ['references/breaking-changes.md'],
}

export const agentLists = {
  one: { summary: 'One agent', value: { agents: [triage], skills: [releaseNotes], request_id: requestIds.signal } },
}

const dependencies = (status: 'ok' | 'down') => ({
  status,
  checked_at: createdAt,
  dependencies: {
    database: {
      status,
      latency_ms: status === 'ok' ? 0.8 : null,
      engine: 'postgresql',
      version: status === 'ok' ? '18.4' : null,
    },
    queue: {
      status,
      latency_ms: status === 'ok' ? 1.1 : null,
      depth: status === 'ok' ? 3 : null,
      oldest_seconds: status === 'ok' ? 0.4 : null,
      workers: status === 'ok' ? 2 : null,
      places: status === 'ok' ? 64 : null,
      busy_places: status === 'ok' ? 12 : null,
    },
  },
  version: '0.1.0',
  node_version: '24.11.0',
})

export const health = {
  live: { ok: { summary: 'The process responds', value: { status: 'ok' } } },
  ready: { ok: { summary: 'Ready for requests', value: { status: 'ok' } } },
  notReady: {
    unavailable: {
      summary: 'Starting or shutting down',
      value: { status: 'unavailable', ...exampleError('SHUTTING_DOWN') },
    },
  },
  dependencies: {
    ok: { summary: 'All dependencies are up', value: dependencies('ok') },
    heldSnapshot: {
      summary: 'A transaction has held a snapshot of the database for 90 minutes',
      value: { ...dependencies('ok'), held_snapshot_seconds: 5_400 },
    },
    breaker: {
      summary: 'A model that keeps failing is not called for a while',
      value: {
        ...dependencies('ok'),
        breakers: [{ model: 'openai-compatible/gpt-5', failures: 5, retry_in_seconds: 21.4 }],
      },
    },
    mcpServers: {
      summary: 'A worker has lost one of its MCP servers',
      value: {
        ...dependencies('ok'),
        mcp_servers: [
          { server: 'mail', worker_id: '0199a6b4-6f1c-7d3e-8a52-5f0c9d1e2b3a', connected: true, tools: 12 },
          { server: 'tracker', worker_id: '0199a6b4-6f1c-7d3e-8a52-5f0c9d1e2b3a', connected: false, tools: 4 },
        ],
      },
    },
    changedTool: {
      summary: 'An MCP server has changed one of its tools',
      value: {
        ...dependencies('ok'),
        mcp_changes: [{ server: 'tracker', tool: 'create_issue', changed_at: '2026-11-15T09:00:00.120Z' }],
      },
    },
  },
  dependenciesDown: {
    down: {
      summary: 'The database is down',
      value: { ...dependencies('down'), ...exampleError('DATABASE_UNAVAILABLE') },
    },
  },
}
