// `http_fetch` within a whole service: what a run shows of a fetch, and what becomes of a run whose fetch is denied.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Event } from '@runwright/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench } from '../support/engine.ts'
import { type PretendWeb, page, redirect, startPretendWeb } from '../support/pretend-web.ts'

let web: PretendWeb
let bench: Bench
beforeAll(async () => {
  web = await startPretendWeb()
  bench = await startBench({}, { tools: [web.tool] })
})
afterEach(() => web.forget())
afterAll(async () => {
  await bench.stop()
  await web.stop()
})

const fetchOf = (url: string, more: object = {}) => ({ name: 'http_fetch', input: { url, ...more } })
const invoked = (events: readonly Event[]) => ofType(events, 'run.tool.invoked')
const summary = (preview: unknown) => ({
  schema_version: 'v1',
  preview,
  highlights: expect.any(Array),
  stats: {
    fields_total: expect.any(Number),
    fields_redacted: 0,
    bytes_before_redaction: expect.any(Number),
    bytes_after_redaction: expect.any(Number),
  },
  truncated: expect.any(Boolean),
})

describe('an agent step', () => {
  test('that fetches an address inside is told so, and the run goes on', async () => {
    const url = 'http://169.254.169.254/latest/meta-data/'
    const { events } = await bench.play(scripted([{ say: 'after', tools: [fetchOf(url)] }]))
    expect(outline(events)).toEqual([
      'created',
      'started',
      'tool_call_start http_fetch',
      'tool_call_done http_fetch',
      'invoked http_fetch policy_denied',
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
    expect(invoked(events)).toEqual([
      {
        tool_call_id: expect.stringMatching(/^call_/),
        tool_name: 'http_fetch',
        tool_outcome: 'policy_denied',
        tool_input_summary: summary(`{"url":"${url}"}`),
        tool_output_summary: summary(expect.stringContaining('is not on the public Internet')),
        policy_reason_code: 'address_not_allowed',
        duration_ms: expect.any(Number),
      },
    ])
    expect([web.lookedUp, web.dialled]).toEqual([[], []])
  })

  test.each([
    ['file:///etc/passwd', 'policy_denied', 'scheme_not_allowed'],
    ['http://shop.example:8080/', 'policy_denied', 'address_not_allowed'],
    ['http://inside.example/', 'policy_denied', 'address_not_allowed'],
    ['http://shop.example/inside', 'policy_denied', 'address_not_allowed'],
    ['no URL', 'failed', null],
    ['http://shop.example/picture', 'failed', null],
    ['http://shop.example/missing', 'succeeded', null],
  ])('that fetches %s ends with %s (%s)', async (url, tool_outcome, policy_reason_code) => {
    web.names.set('inside.example', [['10.0.0.1']])
    web.pages
      .set('/inside', redirect(302, 'http://127.0.0.1/'))
      .set('/picture', page('image/png', 'abc'))
      .set('/missing', (_request, response) => response.writeHead(404).end())
    const { events } = await bench.play(scripted([{ tools: [fetchOf(url)] }]))
    expect(invoked(events)).toMatchObject([{ tool_outcome, policy_reason_code }])
    expect(events.at(-1)?.type).toBe('run.worker.succeeded')
  })
})

describe('a tool step', () => {
  test('gives what it fetched to the steps after it', async () => {
    web.pages.set('/price', page('application/json', '{"price":12.5}'))
    const steps = [
      { id: 'ask', tool: 'http_fetch', input: { url: 'https://shop.example/price' } },
      { id: 'total', tool: 'calculator', input: { expression: '{{steps.ask.output.body.price}} * 2' } },
    ]
    const { events } = await bench.play(planned(steps))
    expect(invoked(events).at(-1)?.tool_output_summary).toMatchObject({ preview: '{"result":25}' })
  })

  test('that is denied fails the run with tool_failed at once: it would be denied again', async () => {
    const input = { url: 'http://localhost/' }
    const { events } = await bench.play(planned([{ id: 'ask', tool: 'http_fetch', input }]))
    expect(outline(events).slice(-3)).toEqual(['step.done fail_run', 'judge stop step_failed', 'failed tool_failed'])
    const denied = { tool_outcome: 'policy_denied', policy_reason_code: 'address_not_allowed' }
    expect(invoked(events)).toMatchObject([denied])
    expect(web.requests).toEqual([])
  })
})

test('a POST carries the key of its call', async () => {
  await bench.play(scripted([{ tools: [fetchOf('https://shop.example/pay', { method: 'POST', body: { a: 1 } })] }]))
  expect(web.requests).toMatchObject([{ line: 'POST shop.example/pay', body: '{"a":1}' }])
  expect(web.requests[0]?.headers['idempotency-key']).toMatch(/\S/)
})

test('a cancel ends a fetch whose server has fallen silent', async () => {
  const silent = new Promise<Socket>((resolve) => {
    web.pages.set('/silent', ({ socket }) => resolve(socket))
  })
  const id = await bench.create(scripted([{ tools: [fetchOf('https://shop.example/silent')] }]))
  const closed = once(await silent, 'close')
  expect((await bench.command(id, 'cancel')).status).toBe(200)
  await closed
  expect(outline(await bench.ended(id)).at(-1)).toBe('cancelled')
})
