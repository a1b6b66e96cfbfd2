// What the JSON of the docs is, by the word after its fence, and how the service itself reads it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  awaitingInputSchema,
  dependenciesSchema,
  errorSchema,
  eventPayloads,
  eventSchema,
  sensitivityTagSchema,
  toolSummarySchema,
  usageEventPageSchema,
  webhookMessageSchema,
} from '@runwright/contract'
import { expect } from 'vitest'
import type { z } from 'zod'
import { readOidc } from '../../src/access/sign-in/oidc-file.ts'
import { readJudge } from '../../src/agents/judge.ts'
import { knownTools as toolsOf } from '../../src/app/known-tools.ts'
import { readCells } from '../../src/cells/read-cells.ts'
import { readPrices } from '../../src/cli/prices/read-prices.ts'
import { readCreateRun } from '../../src/domain/intake/intake.ts'
import { parsePlan } from '../../src/domain/plan/plan.ts'
import { readProviders } from '../../src/models/config/read-providers.ts'
import { readLocalClient } from '../../src/runtime/files/local-client.ts'
import { limitsByClass, readSettings } from '../../src/runtime/settings/settings.ts'
import { readMcpConfig } from '../../src/tools/mcp/read-config.ts'
import { readPolicy } from '../../src/tools/policy/read-policy.ts'
import { readMailAddresses } from '../../src/webhooks/mail/mail-addresses.ts'

type Check = (value: unknown) => unknown

const names = ['support-triage', 'researcher', 'data-analyst']
const agents = { names, has: (name: string) => names.includes(name) }
export const knownTools = toolsOf({ ownTools: [], mcpServers: [] })

const plan: Check = (value) => parsePlan(value, knownTools, { agents })

/** A step of a larger plan may use the result of the step before. */
const step: Check = (value) =>
  plan({ steps: [{ id: 'orders', tool: 'http_fetch', input: { url: 'https://shop.example/orders' } }, value] })

function createRun(value: unknown): void {
  const reading = readCreateRun(JSON.stringify(value), {
    knownTools,
    workerIsSandbox: false,
    agents: { current: agents },
    stepTimeoutSeconds: 600,
    limits: limitsByClass(readSettings({}).limits),
  })
  while (!reading.next().done);
}

/** Parsing drops fields that the schema does not know. */
const answer =
  (schema: z.ZodType): Check =>
  (value) =>
    expect(schema.parse(value)).toEqual(value)

function event(value: unknown): void {
  answer(eventSchema)(value)
  const { type, payload } = eventSchema.parse(value)
  answer(eventPayloads[type])(payload.value)
}

function judge(value: unknown): void {
  const reply = readJudge({ text: JSON.stringify(value), output: undefined })
  if (typeof reply === 'string') throw new Error(reply)
}

const file =
  (name: string, read: (path: string) => unknown): Check =>
  (value) => {
    const folder = mkdtempSync(join(tmpdir(), 'runwright-page-'))
    try {
      writeFileSync(join(folder, name), JSON.stringify(value), { mode: 0o600 })
      read(join(folder, name))
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

export const jsonForms: Readonly<Record<string, Check>> = {
  'create-run': createRun,
  plan,
  step,
  event,
  'judge-reply': judge,
  decision: answer(eventPayloads['run.coordination.decision']),
  error: answer(errorSchema),
  health: answer(dependenciesSchema),
  'part-of-health': answer(dependenciesSchema.partial()),
  'sensitivity-tag': (value) => sensitivityTagSchema.parse(value),
  'tool-summary': answer(toolSummarySchema),
  'usage-events': answer(usageEventPageSchema),
  wait: answer(awaitingInputSchema),
  message: answer(webhookMessageSchema),
  'mcp-config': file('mcp.json', (path) => readMcpConfig(path, { TRACKER_TOKEN: 'secret' })),
  providers: file('providers.json', readProviders),
  mail: file('mail.json', readMailAddresses),
  prices: file('prices.json', readPrices),
  policy: file('policy.json', readPolicy),
  oidc: file('oidc.json', (path) =>
    readOidc(readSettings({ RUNWRIGHT_OIDC: path, RUNWRIGHT_PUBLIC_URL: 'https://agents.example.com' })),
  ),
  cells: file('cells.json', readCells),
  client: file('client.json', (path) => readLocalClient(join(path, '..'))),
}

/** A part of an object is shown without the braces around it. */
export const parseShown = (text: string): unknown => JSON.parse(text.startsWith('"') ? `{${text}}` : text)
