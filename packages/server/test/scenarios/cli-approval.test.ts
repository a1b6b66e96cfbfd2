// The question of `runwright run` and `watch` at a terminal: what a person sees before an answer, and what the answer
// does.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Runwright } from '@runwright/client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { commandLine } from '../../src/cli/output/command-line.ts'
import { environmentOf, ownConnections, Terminal } from '../support/cli.ts'
import { planned, thenStep } from '../support/engine.ts'
import { Caller } from '../support/http.ts'
import { addPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

const timeout = 60_000
const question = '[r]eject or [s]ubmit input: '
const esc = '\u001b'

let service: Service
let caller: Caller
let client: Runwright
beforeAll(async () => {
  service = await startService({}, { worker: true })
  caller = new Caller(service.url, service.key)
  client = new Runwright({ baseUrl: service.url, apiKey: service.key })
})
const connections = ownConnections()
afterAll(async () => {
  await connections.close()
  await service.stop()
})

const gate = (prompt: string) => ({ id: 'gate', await_input: { input_kind: 'approval' as const, prompt } })
const calculate = (expression: string) => ({
  id: 'sum',
  tool: 'calculator',
  input: { expression },
  approval: 'required' as const,
})

/** A terminal that watches a new run until the question. */
async function watch(body: object) {
  const { id } = await caller.newRun(body)
  const terminal = new Terminal(environmentOf(service))
  const code = terminal.run('watch', id)
  await terminal.sees(question)
  return { id, terminal, code }
}

const signalsOf = async (id: string) => (await client.runs.get(id, { include: ['signals'] })).signals ?? []

describe('the question', { timeout }, () => {
  test('shows the tool and its arguments in full', async () => {
    const expression = `1${'+1'.repeat(400)}`
    const { terminal, code } = await watch(planned([calculate(expression)]))
    expect(terminal.screen).toContain('Tool: calculator')
    expect(terminal.screen).toContain(`"expression": "${expression}"`)
    terminal.type('a\r')
    expect(await code).toBe(0)
  })

  test('shows what text would hide: control, bidirectional and invisible characters', async () => {
    const { terminal, code } = await watch(
      planned([gate(`Pay${esc}[2K\rnothing\u202e\u200b?\u009b1m\nTool: harmless`)]),
    )
    expect(terminal.screen).toContain('│ Pay\\u{1b}[2K\\u{d}nothing\\u{202e}\\u{200b}?\\u{9b}1m\n')
    // A line of the prompt cannot pass for a line of the command.
    expect(terminal.screen).toContain('  │ Tool: harmless\n')
    terminal.type('a\r')
    await code
  })

  test('is not answered by what was typed before', async () => {
    const { id } = await caller.newRun(planned([gate('Go on?')]))
    const terminal = new Terminal(environmentOf(service))
    terminal.type('a\r')
    const code = terminal.run('watch', id)
    await terminal.sees(question)
    terminal.type('r\r')
    await terminal.sees('Reason (optional): ')
    terminal.type('\r')
    expect(await code).toBe(1)
    expect(await signalsOf(id)).toMatchObject([{ action: 'reject', payload: null }])
  })
})

describe('the answer', { timeout }, () => {
  test('approve: the run goes on to its result', async () => {
    const script = [thenStep('await_input', { say: 'Look.', await: { prompt: 'Order?' } }), { say: 'Ordered.' }]
    const { id, terminal, code } = await watch({ input: { sandbox: { steps: script } } })
    terminal.type('a\r')
    expect(await code).toBe(0)
    expect(terminal.screen).toMatch(/│ Order\?\n[\s\S]*\n✓ Approved\.\n[\s\S]*│ Ordered\.\n/)
    // The text is on the screen already.
    expect(terminal.output).toBe('')
    expect(await signalsOf(id)).toMatchObject([{ action: 'approve' }])
  })

  test('reject asks for a reason, and the run fails with it', async () => {
    const { id, terminal, code } = await watch(planned([gate('Pay?')]))
    terminal.type('r\r')
    await terminal.sees('Reason (optional): ')
    terminal.type('Too expensive\r')
    expect(await code).toBe(1)
    expect(await signalsOf(id)).toMatchObject([{ action: 'reject', payload: { reason: 'Too expensive' } }])
    expect(terminal.screen).toContain('✗ Rejected: Too expensive.')
  })

  test.each([
    ['JSON', '{"price": 12}', { price: 12 }],
    ['text', 'next Tuesday', 'next Tuesday'],
  ])('submit takes %s', async (_what, typed, payload) => {
    const { id, terminal, code } = await watch(planned([gate('When?')]))
    terminal.type('s\r')
    await terminal.sees('Input (JSON or text): ')
    terminal.type(`${typed}\r`)
    expect(await code).toBe(0)
    expect(await signalsOf(id)).toMatchObject([{ action: 'submit_input', payload }])
  })

  test('anything else asks again', async () => {
    const { id, terminal, code } = await watch(planned([gate('Sure?')]))
    const before = terminal.screen.length
    terminal.type('yes\r')
    await terminal.sees(question, before)
    expect(await signalsOf(id)).toEqual([])
    terminal.type('approve\r')
    expect(await code).toBe(0)
  })

  test('of someone else ends the question and says who answered', async () => {
    const { key, secret } = await client.keys.create({ name: 'Ada', scopes: ['runs:read', 'runs:signal'] })
    const ada = new Runwright({ baseUrl: service.url, apiKey: `${key.id}:${secret}` })
    const { id, terminal, code } = await watch(planned([gate('Who is first?')]))
    await ada.runs.signal(id, { action: 'approve' })
    expect(await code).toBe(0)
    expect(terminal.screen).toContain(`✓ Approved by Ada (${key.id}).`)
  })

  test('of several people is told with all who decided', async () => {
    const step = { ...calculate('2+2'), approval: { approvers: ['finance'], approvals: 2 } }
    const { id } = await caller.newRun(planned([step as never]))
    const terminal = new Terminal(environmentOf(service))
    const code = terminal.run('watch', id)
    await terminal.sees('Needs 2 people')
    for (const name of ['ada', 'bob']) {
      const one = await addPerson({ ...service, admin: caller }, { person: name, roles: ['finance'] })
      expect((await one.caller.post(`/v1/runs/${id}/signal`, { action: 'approve' })).status).toBe(200)
    }
    expect(await code).toBe(0)
    expect(terminal.screen).toMatch(/✓ Approved by ada \(.*, finance\), and others have to decide, too\.\n/)
    expect(terminal.screen).toMatch(/✓ Approved by bob \(.*, finance\)\.\n/)
  })

  test('names the wait, so that it cannot answer a later one', async () => {
    const sent: number[] = []
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      if (String(input).endsWith('/signal')) sent.push(JSON.parse(String(init?.body)).await_seq)
      return real(input, init)
    })
    const { id, terminal, code } = await watch(planned([gate('First?'), { ...gate('Second?'), id: 'second' }]))
    terminal.type('a\r')
    await terminal.sees('│ Second?')
    terminal.type('a\r')
    expect(await code).toBe(0)
    vi.restoreAllMocks()
    const waits = (await caller.events(id)).filter(({ type }) => type === 'run.awaiting_input')
    expect(sent).toEqual(waits.map(({ seq }) => seq))
  })
})

describe('leaving', { timeout }, () => {
  test('Ctrl-C at the question stops watching, and the run keeps waiting', async () => {
    const { id, terminal, code } = await watch(planned([gate('Stay?')]))
    terminal.type('\u0003')
    expect(await code).toBe(130)
    expect(terminal.screen).toContain(`Watch it:  ${commandLine(`watch ${id}`)}`)
    expect((await client.runs.get(id, { include: ['awaiting_input'] })).awaiting_input).not.toBeNull()
  })

  test('the end of the input says how to answer from elsewhere', async () => {
    const { id, terminal, code } = await watch(planned([gate('Gone?')]))
    terminal.stdin.end()
    await terminal.sees(commandLine(`signal ${id} approve --await-seq`))
    await client.runs.signal(id, { action: 'approve' })
    expect(await code).toBe(0)
  })
})

test('a key that may not answer sees why, and how others can', { timeout }, async () => {
  const { key, secret } = await client.keys.create({ name: 'reader', scopes: ['runs:read'] })
  const { id } = await caller.newRun(planned([gate('May I?')]))
  const terminal = new Terminal(environmentOf({ url: service.url, key: `${key.id}:${secret}` }))
  const code = terminal.run('watch', id)
  await terminal.sees(question)
  terminal.type('a\r')
  await terminal.sees(commandLine(`signal ${id} approve`))
  expect(terminal.screen).toMatch(/✗ .*runs:signal.*\(req_\w+\)\n {2}Who may decide can answer with one of:/)
  await client.runs.cancel(id)
  expect(await code).toBe(3)
})

test('a streamed text cannot control the terminal', { timeout }, async () => {
  const { id } = await caller.newRun({ input: { sandbox: { steps: [{ say: `Hi${esc}]0;owned\u0007 there` }] } } })
  const terminal = new Terminal(environmentOf(service))
  expect(await terminal.run('watch', id)).toBe(0)
  expect(terminal.screen).toContain('Hi\\u{1b}]0;owned\\u{7} there')
  expect(terminal.screen + terminal.output).not.toContain(esc)
})

describe('a call at the terminal', { timeout }, () => {
  const editor = (edit: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'editor-'))
    const file = join(folder, 'edit.mjs')
    writeFileSync(
      file,
      `import { readFileSync, statSync, writeFileSync } from 'node:fs'
      const file = process.argv[2]
      if ((statSync(file).mode & 0o77) !== 0) throw new Error('others can read the file')
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, ${edit})`,
    )
    return { EDITOR: `'${process.execPath}' '${file}'`, VISUAL: '' }
  }
  const watchWith = async (body: object, env: Record<string, string>) => {
    const { id } = await caller.newRun(body)
    const terminal = new Terminal({ ...environmentOf(service), ...env })
    const code = terminal.run('watch', id)
    await terminal.sees('[e]dit, [d]eny')
    return { id, terminal, code }
  }

  test('is edited in the editor of the person, and made with the new arguments', async () => {
    const { id, terminal, code } = await watchWith(planned([calculate('2+2')]), editor(`text.replace('2+2', '3+3')`))
    terminal.type('e\r')
    await terminal.sees('Make the call with these?')
    expect(terminal.screen).toContain('"expression": "3+3"')
    terminal.type('y\r')
    expect(await code).toBe(0)
    expect(await signalsOf(id)).toMatchObject([{ call: { arguments: { expression: '3+3' } } }])
    expect((await client.runs.get(id, { include: ['output'] })).output).toEqual({ result: 6 })
  })

  test.each([
    ['is not JSON', `'{'`, 'This is not JSON'],
    ['is what it was', 'text', 'Nothing is changed.'],
    ['does not match the tool', `'{"expression":7}'`, 'call.arguments does not match'],
  ])('an edit that %s is refused, and asked again', async (_, edit, words) => {
    const { terminal, code } = await watchWith(planned([calculate('2+2')]), editor(edit))
    terminal.type('e\r')
    if (words.startsWith('call.')) {
      await terminal.sees('Make the call with these?')
      terminal.type('y\r')
    }
    await terminal.sees(words)
    terminal.type('a\r')
    expect(await code).toBe(0)
  })

  test('is denied with a reason', async () => {
    const { id, terminal, code } = await watchWith(planned([calculate('2+2')]), {})
    terminal.type('d\r')
    await terminal.sees('Why not:')
    terminal.type('Too dear\r')
    expect(await code).not.toBe(0)
    expect(await signalsOf(id)).toMatchObject([{ action: 'submit_input', call: { deny: 'Too dear' } }])
  })
})
