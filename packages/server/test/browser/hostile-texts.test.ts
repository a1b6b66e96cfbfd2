// Texts that clients, models and tools choose, on every page of the console: markup stays text, no script runs, nothing
// is loaded, and a person who approves sees characters that would turn or hide text.
import type { KeyWithSecret, RunDetail } from '@runwright/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { remember } from '../support/drive.ts'
import { openConsole } from './open-console.ts'

const { service, caller, arrive } = await openConsole({}, { worker: true })

const markup =
  '<img src=x onerror="window.owned=1"><script>window.owned=1</script><svg onload="window.owned=1">' +
  '[a](javascript:window.owned=1)![b](https://evil.example/spy.png)"><b id=owned>'
const turned = 'pay 1\u202efdp.exe\u200b\u{e0041}'
const evil = `${markup}${turned}`

/** In Markdown a character can be named. */
const named = `${turned} &#x202e;named \`&#x200b;\` ![pay &#x202e;now](https://example.com/a.png)`

const run = {} as Record<'done' | 'read' | 'titled' | 'failed' | 'asking' | 'calling', string>
const labels = { workspace_id: evil, subject_id: evil, metadata: { title: evil, note: evil } }
const sandbox = (step: object) => ({
  ...{ ...labels, routing_hint: 'skip_planning' },
  input: { goal: evil, [evil]: evil, sandbox: { steps: [step] } },
})
const planned = (step: object) => ({
  ...labels,
  input: { goal: evil },
  plan: { version: 'v2', goal: evil, steps: [step] },
})

beforeAll(async () => {
  const tools = [{ name: 'json_query', input: { json: { [evil]: evil }, path: '$' } }]
  run.done = await caller.newRunUntil('run.worker.succeeded', sandbox({ say: evil, output: { [evil]: evil }, tools }))
  const titled = { ...sandbox({ say: 'done' }), metadata: { title: turned } }
  run.titled = await caller.newRunUntil('run.worker.succeeded', titled)
  run.failed = await caller.newRunUntil('run.worker.failed', sandbox({ fail: { reason_code: evil, message: evil } }))
  run.asking = await caller.newRunUntil(
    'run.awaiting_input',
    planned({ id: 'gate', await_input: { prompt: evil, reason_code: 'x' } }),
  )
  const input = { json: { [evil]: evil }, path: '$' }
  const call = { id: 'sum', tool: 'json_query', input, approval: 'required' }
  run.calling = await caller.newRunUntil('run.awaiting_input', planned(call))
  run.read = await caller.newRunUntil('run.awaiting_input', {
    ...labels,
    input: { goal: evil, sandbox: { steps: [{ say: named, output: { [evil]: evil } }] } },
    plan: {
      ...{ version: 'v2', goal: evil },
      steps: [
        { id: 'write', instruction: evil },
        { id: 'read', tool: 'json_query', input, depends_on: ['write'] },
        { id: 'gate', await_input: { prompt: 'Go on?', reason_code: 'x' }, depends_on: ['read'] },
      ],
    },
  })
  await caller.post('/v1/schedules', { name: evil, cron: '0 9 * * *', run: { input: { evil }, metadata: {} } })
  await caller.post('/v1/webhooks', {
    name: `<img src=x onerror="window.owned=1">${turned}`,
    url: `https://example.com/?${encodeURIComponent(evil)}`,
  })
  const { key } = (await caller.post('/v1/keys', { name: evil })).json<KeyWithSecret>()
  await caller.send({ method: 'DELETE', path: `/v1/keys/${key.id}` })
  await remember(service.database, { title: evil, content: evil, tags: [evil], workspace_id: evil, subject_id: evil })
})

const waitOf = async (id: string) =>
  (await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json<RunDetail>().awaiting_input?.seq

describe('markup stays text', () => {
  test.each([
    ['the list of runs', () => '#/runs', 'fdp'],
    ['a run that is done', () => `#/runs/${run.done}`, 'fdp'],
    ['its events', () => `#/runs/${run.done}?tab=events`, 'run.created'],
    ['its turns', () => `#/runs/${run.done}?tab=turns`, 'No call to a model is recorded'],
    ['a run that has failed', () => `#/runs/${run.failed}`, 'fdp'],
    ['a run that asks', () => `#/runs/${run.asking}`, 'awaiting input'],
    ['a run that asks about a call', () => `#/runs/${run.calling}`, 'with exactly these arguments'],
    ['the inbox', () => '#/inbox', 'fdp'],
    ['memory', () => '#/memory', 'fdp'],
    ['usage', () => '#/usage', 'Usage'],
    ['keys', () => '#/keys', 'revoked or expired'],
    ['webhooks', () => '#/webhooks', 'example.com'],
    ['agents and tools', () => '#/agents', 'calculator'],
    ['the system', () => '#/system', 'System'],
  ])('on the page of %s', async (_page, hash, words) => {
    const person = await arrive({ hash: hash() })
    await person.page.getByText(words).first().waitFor({ state: 'attached' })
    // Opens what is folded.
    await person.page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    const found = await person.page.evaluate(
      "[window.owned, document.getElementById('owned'), document.querySelectorAll('main img, main script, [onerror], [onload], a[href^=javascript]').length]",
    )
    expect(found).toEqual([undefined, null, 0])
  })
})

test.each(['asking', 'calling'] as const)('a person who is asked sees what text would hide: %s', async (which) => {
  const person = await arrive({ hash: `#/runs/${run[which]}` })
  const panel = person.page.getByRole('region', { name: 'This run is awaiting input' })
  const text = await panel.innerText()
  expect(text).toContain('pay 1\\u{202e}fdp.exe\\u{200b}\\u{e0041}')
  expect(text).not.toMatch(/[\u202e\u200b]/)
  await person.takePicture(`hostile-${which}`)
})

describe('a person who is asked sees what the text of earlier steps would hide', () => {
  const open = "for (const folded of document.querySelectorAll('details')) folded.open = true"

  test('in what led to the question', async () => {
    const person = await arrive({ hash: `#/decide/${run.read}/${await waitOf(run.read)}` })
    const evidence = person.page.getByRole('region', { name: 'What led to this question' })
    await evidence.getByText('So far').waitFor()
    await person.page.evaluate(open)
    await evidence.getByText('fdp').first().waitFor()
    const text = await evidence.innerText()
    for (const part of ['pay 1\\u{202e}fdp', '\\u{202e}named', 'pay \\u{202e}now']) expect(text).toContain(part)
    expect(text).not.toMatch(/[\u202e\u200b]/)
    await person.takePicture('hostile-evidence')
  })

  test.each(['write', 'read'])('in the step %s of the run', async (step) => {
    const person = await arrive({ hash: `#/runs/${run.read}?step=${step}` })
    const card = person.page.getByRole('article')
    await card.getByRole('heading', { name: step, exact: true }).waitFor()
    await person.page.evaluate(open)
    await card.getByText('fdp').first().waitFor({ state: 'attached' })
    const text = await card.innerText()
    expect(text).toContain('pay 1\\u{202e}fdp')
    expect(text).not.toMatch(/[\u202e\u200b]/)
  })

  test('in why a run failed', async () => {
    const person = await arrive({ hash: `#/runs/${run.failed}` })
    const main = person.page.getByRole('main')
    await main.getByRole('region', { name: 'Failure' }).getByText('fdp').first().waitFor()
    await person.page.evaluate(open)
    const text = await main.innerText()
    expect(text).not.toMatch(/[\u202e\u200b]/)
  })
})

describe('labels, titles and notes show what text would hide', () => {
  const raw = /[\u202e\u200b\u{e0041}]/u
  const shown = 'pay 1\\u{202e}fdp.exe\\u{200b}\\u{e0041}'

  test.each([
    ['the list of runs', '#/runs'],
    ['the list of runs of a workspace', `#/runs?workspace_id=${encodeURIComponent(evil)}`],
    ['the inbox', '#/inbox'],
    ['memory', '#/memory'],
    ['usage by workspace', '#/usage?split=workspace_id'],
  ])('on the page of %s', async (_page, hash) => {
    const person = await arrive({ hash })
    const main = person.page.getByRole('main')
    await main.getByText('fdp').first().waitFor({ state: 'attached' })
    const text = await main.innerText()
    expect(text).toContain(shown)
    expect(text).not.toMatch(raw)
  })

  test('in the summary and the heading of a run', async () => {
    const person = await arrive({ hash: `#/runs/${run.titled}` })
    const summary = person.page.getByRole('region', { name: 'Summary' })
    await summary.getByText('Workspace').waitFor()
    const labels = await summary.innerText()
    expect(labels.split(shown)).toHaveLength(3)
    expect(labels).not.toMatch(raw)
    expect(await person.page.getByRole('heading', { level: 1 }).innerText()).toBe(shown)
  })
})
