// The examples that need a model, run as written against one service whose models are played by the strict mock.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AwaitingInput } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { ofType } from '../support/engine.ts'
import { type PretendWeb, startPretendWeb } from '../support/pretend-web.ts'
import { callTools, type NeutralRequest, say } from '../support/providers/script.ts'
import { ExampleProgram, exampleFile } from './example-program.ts'

/** The agents of two examples, because a service has one folder. */
const folder = mkdtempSync(join(tmpdir(), 'runwright-agents-'))
let agents: AgentBench
let web: PretendWeb
beforeAll(async () => {
  for (const name of ['agents', 'support/agents']) cpSync(exampleFile(name), folder, { recursive: true })
  web = await startPretendWeb()
  const env = {
    RUNWRIGHT_AGENTS_DIR: folder,
    RUNWRIGHT_MCP_CONFIG: exampleFile('support/mcp.json'),
    RUNWRIGHT_TOOL_POLICY: exampleFile('support/policy.json'),
  }
  agents = await AgentBench.start({ env, tools: [web.tool] })
  await agents.bench.service.log.nth(1, (line) => line.includes('MCP server connected'))
})
afterAll(async () => {
  await agents.stop()
  await web.stop()
  rmSync(folder, { recursive: true })
  expect(agents.provider.refusals).toEqual([])
})

const start = (file: string, ...args: string[]) => new ExampleProgram(agents.bench.service, file, ...args)
const waitOf = (id: string) => agents.bench.include<AwaitingInput>(id, 'awaiting_input')
const idIn = ([, id = '']: readonly string[]) => id
const link = /Approve it: http:\S+\/console\/#\/runs\/(run_\w+)/

test('research: reads pages for both sides, asks with what it found, and writes the report', async () => {
  // Every prompt shows the whole plan, and then the step.
  const side = (request: NeutralRequest) =>
    /.*speaks (for|against) it: Should we move/s.exec(AgentBench.textOf(request))?.[1] ?? ''
  agents.script({
    worker: (request) => {
      // The question that was approved shows them as well.
      const found = new Set(AgentBench.textOf(request).match(/found \w+/g))
      if (request.tools.length === 0) return say(`The report on ${[...found]}.`)
      const hasRead = request.messages.some(({ toolResults }) => toolResults.length > 0)
      const url = `http://pages.test/${side(request)}`
      return hasRead ? say(`found ${side(request)}`) : callTools([{ name: 'http_fetch', args: { url } }])
    },
    judge: verdict('continue'),
  })
  const program = start('research/research.mjs', 'Should we move?')
  const id = idIn(await program.says(link))
  expect((await waitOf(id)).prompt).toBe('Write the report from this?\n\nFor: found for\n\nAgainst: found against')
  expect(web.requests.map(({ line }) => line).sort()).toEqual(['GET pages.test/against', 'GET pages.test/for'])
  expect(agents.calls.filter((role) => role === 'worker')).toHaveLength(4)
  await agents.bench.signal(id, 'approve')
  expect(await program.ended).toMatchObject({ code: 0, stdout: 'The report on found for,found against.\n' })
})

test('research: a rejection ends the program with an error, and no report is written', async () => {
  agents.script({ worker: say('found it'), judge: verdict('continue') })
  const program = start('research/research.mjs')
  await agents.bench.signal(idIn(await program.says(link)), 'reject')
  expect(await program.ended).toMatchObject({ code: 1, stdout: '' })
  expect(agents.asked('worker')).toHaveLength(2)
})

describe('extraction', () => {
  const invoice = {
    number: '4711',
    supplier: 'Harbor Prints Ltd',
    date: '2026-11-14',
    currency: 'GBP',
    lines: [{ text: '2,000 flyers', amount: 340 }],
    total: 642,
  }

  test('prints the JSON that matches the schema, after one correction', async () => {
    agents.script({ worker: [json({ ...invoice, currency: '£' }), json(invoice)] })
    const { code, stdout } = await start('extraction/extract.mjs').ended
    expect([code, JSON.parse(stdout)]).toEqual([0, invoice])
    expect(AgentBench.textOf(agents.asked('worker')[0])).toContain('Harbor Prints Ltd · 12 Quay Street')
    expect(agents.asked('worker')).toHaveLength(2)
  })

  test('says why there is no result, and prints none', async () => {
    agents.script({ worker: json({ ...invoice, total: 'a lot' }) })
    const { code, stdout, stderr } = await start('extraction/extract.mjs').ended
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^The run failed: output_invalid\. .*total/)
  })
})

describe('support', () => {
  const order = (name: string, args: object) =>
    callTools([{ name: `orders__${name}`, args: { number: 'A-1001', ...args } }])
  const refund = order('refund_order', { amount: 49, reason: 'broken' })

  test('looks the order up, refunds it only after an approval, and answers', async () => {
    agents.script({ worker: [order('get_order', {}), refund, say('We refunded 49.00.')] })
    const program = start('support/ask.mjs')
    const id = idIn(await program.says(link))
    expect(await waitOf(id)).toMatchObject({
      tool: 'orders.refund_order',
      arguments: { number: 'A-1001', amount: 49, reason: 'broken' },
      has_read: ['private'],
    })
    expect(ofType(await agents.bench.events(id), 'run.tool.invoked')).toMatchObject([{ tool_name: 'orders.get_order' }])
    await agents.bench.signal(id, 'approve')
    const { code, stdout, stderr } = await program.ended
    expect([code, stdout]).toEqual([0, 'We refunded 49.00.\n'])
    expect(stderr).toContain('orders.refund_order: succeeded')
    expect(AgentBench.textOf(agents.asked('worker')[2])).toContain('"refunded":49')
  })

  test('does not refund more than was paid', async () => {
    agents.script({ worker: [refund, say('A colleague will write to you.')] })
    const program = start('support/ask.mjs', 'Refund A-1001 again!')
    await agents.bench.signal(idIn(await program.says(link)), 'approve')
    const { stdout, stderr } = await program.ended
    expect(stderr).toContain('orders.refund_order: failed')
    expect(stdout).toBe('A colleague will write to you.\n')
  })
})
