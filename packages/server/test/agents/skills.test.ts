// Skills: what models are told about them, how they load one, and that a run keeps those it began with.
import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { replayCommand } from '../../src/cli/admin/replay.ts'
import { SealingKeys } from '../../src/store/sealed/sealing-keys.ts'
import { builtInTools } from '../../src/tools/built-in/built-in-tools.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { outline, planned } from '../support/engine.ts'
import { callTools, fail, type NeutralRequest, say } from '../support/providers/script.ts'

const example = join(import.meta.dirname, '../../../../examples/skills')
const greeting = '---\nname: greeting\ndescription: Greets people.\n---\nSay hello to them.\n'
const files = {
  'skills/greeting/SKILL.md': greeting,
  'agents/clerk.md': '---\ndescription: Writes.\nskills: [greeting]\njudge: never\n---\nBe brief.',
  'agents/plain.md': '---\ndescription: Writes.\nskills: []\njudge: never\n---\nBe brief.',
  'agents/counter.md': '---\ndescription: Counts.\ntools: []\njudge: never\n---\nBe brief.',
  'agents/reader.md': '---\ndescription: Reads.\ntools: []\nskills: [greeting]\njudge: never\n---\nBe brief.',
}

let root: string
let agents: AgentBench
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'runwright-skills-'))
  await cp(example, join(root, 'skills'), { recursive: true })
  for (const [path, text] of Object.entries(files)) await write(path, text)
  const env = { RUNWRIGHT_SKILLS_DIR: join(root, 'skills'), RUNWRIGHT_AGENTS_DIR: join(root, 'agents') }
  agents = await AgentBench.start({ env })
})
afterAll(async () => {
  await agents.stop()
  await rm(root, { recursive: true })
  expect(agents.provider.refusals).toEqual([])
})
beforeEach(async () => {
  await write('skills/greeting/SKILL.md', greeting)
  await agents.bench.service.reload()
})

const load = (name: string, file?: string) =>
  callTools([{ name: 'load_skill', args: { name, ...(file !== undefined && { file }) } }])
const run = { input: { question: 'Write the notes' }, metadata: {}, routing_hint: 'skip_planning' }
const namesIn = (request: NeutralRequest | undefined) => request?.tools.map(({ name }) => name) ?? []
const resultsIn = (request: NeutralRequest | undefined) =>
  (request?.messages ?? []).flatMap(({ toolResults }) => toolResults.map(({ text }) => text))
const withAgent = (agent: string) => ({ ...run, metadata: { agent } })

async function replay(id: string): Promise<string[]> {
  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  const { database } = agents.bench.service
  const sealing = new SealingKeys(database, { encryptionKey: randomBytes(32) })
  const command = replayCommand((work) => work({ database, sealing }), {}, builtInTools())
  await command.parseAsync([id], { from: 'user' })
  log.mockRestore()
  return printed
}

test('a model is told one line of each skill, and loads one with one of its files', async () => {
  const file = 'references/breaking-changes.md'
  const { events } = await agents.play(
    { worker: [load('release-notes'), load('release-notes', file), say('Written.')] },
    run,
  )
  const [first, , last] = agents.asked('worker')
  expect(first?.system).toContain('- greeting: Greets people.\n- release-notes: Writes release notes from a list')
  expect(first?.system).not.toContain('Group the changes')
  expect(namesIn(first).at(-1)).toBe('load_skill')
  const [skill, text] = resultsIn(last).map((result) => JSON.parse(result))
  expect(skill).toMatchObject({ name: 'release-notes', files: [file] })
  expect(skill.instructions).toContain('1. Group the changes under Added, Changed, Fixed and Removed.')
  expect(text).toEqual({
    name: 'release-notes',
    file,
    text: await readFile(join(example, 'release-notes', file), 'utf8'),
  })
  expect(outline(events).filter((line) => line === 'invoked load_skill succeeded').length).toBe(2)
  for (const request of agents.asked('worker')) {
    expect([request.system, JSON.stringify(request.tools)]).toEqual([first?.system, JSON.stringify(first?.tools)])
  }
})

test.each([
  ['clerk', ['- greeting: Greets people.'], true],
  ['plain', [], false],
  ['counter', [], false],
  ['reader', ['- greeting: Greets people.'], true],
])('the agent %s gets the skills that it names', async (agent, lines, offers) => {
  await agents.play({ worker: say('Done.') }, withAgent(agent))
  const [request] = agents.asked('worker')
  expect(request?.system.match(/^- (?:greeting|release-notes): .*$/gm) ?? []).toEqual(lines)
  expect(namesIn(request).includes('load_skill')).toBe(offers)
})

test('an agent cannot load a skill that it does not name, and is told which there are', async () => {
  await agents.play({ worker: [load('release-notes'), load('greeting', '../../x'), say('Done.')] }, withAgent('clerk'))
  const [first, second] = resultsIn(agents.asked('worker')[2])
  expect(first).toContain('The skills are greeting.')
  expect(second).toContain('Its files are none.')
})

describe('a run under way', () => {
  const changed = '---\nname: greeting\ndescription: Insults people.\n---\nBe rude.\n'

  test('keeps the skills that it began with, over a wait and a retry', async () => {
    agents.script({
      worker: [say('First.'), load('greeting'), fail('bad_request'), load('greeting'), say('Second.')],
      judge: verdict('continue'),
    })
    const id = await agents.bench.create(
      planned([
        { id: 'a', instruction: 'Do it' },
        { id: 'gate', await_input: { prompt: 'Go on?' } },
        { id: 'b', instruction: 'Greet them' },
      ]),
    )
    await agents.bench.waits(id)
    await write('skills/greeting/SKILL.md', changed)
    await agents.bench.service.reload()
    await agents.bench.signal(id, 'approve')
    await agents.bench.ended(id)
    await agents.bench.command(id, 'retry')
    expect(outline(await agents.bench.ended(id, 2)).at(-1)).toBe('succeeded')
    const requests = agents.asked('worker')
    expect(new Set(requests.map(({ system }) => system)).size).toBe(1)
    expect(resultsIn(requests.at(-1)).map((result) => JSON.parse(result).instructions)).toEqual([
      'Say hello to them.',
      'Say hello to them.',
    ])
    await agents.play({ worker: say('Done.') }, run)
    expect(agents.asked('worker')[0]?.system).toContain('- greeting: Insults people.')
  })

  test('is forked and replayed with those skills', async () => {
    const steps = planned([
      { id: 'a', instruction: 'Greet them' },
      { id: 'b', instruction: 'Greet them again' },
    ])
    const worker = [load('greeting'), say('Hello.'), load('greeting'), say('Hello again.')]
    const { id } = await agents.play({ worker, judge: verdict('continue') }, steps)
    await write('skills/greeting/SKILL.md', changed)
    await agents.bench.service.reload()
    expect(await replay(id)).toEqual(['No difference: 6 calls, 7 decisions.'])
    agents.script({ worker: [load('greeting'), say('Hello again.')], judge: verdict('continue') })
    const body = { from_step: 'a' }
    const headers = { 'idempotency-key': 'fork-with-skills' }
    const forked = (await agents.bench.acme.post(`/v1/runs/${id}/fork`, body, headers)).json<{ id: string }>().id
    expect(outline(await agents.bench.ended(forked)).at(-1)).toBe('succeeded')
    const requests = agents.asked('worker')
    expect(requests.map(({ system }) => system.includes('- greeting: Greets people.'))).toEqual([true, true])
    expect(resultsIn(requests.at(-1)).map((result) => JSON.parse(result).instructions)).toEqual(['Say hello to them.'])
  })

  test('fails by name if its skills are no longer stored', async () => {
    agents.script({ worker: say('First.'), judge: verdict('continue') })
    const id = await agents.bench.create(
      planned([
        { id: 'a', instruction: 'Do it' },
        { id: 'gate', await_input: { prompt: 'Go on?' } },
        { id: 'b', instruction: 'Go on' },
      ]),
    )
    await agents.bench.waits(id)
    const { database } = agents.bench.service
    await database.run({
      text: `update journal set body = '{"set":"gone"}' where key = 'agents:run' and run_id = (select id from runs order by id desc limit 1)`,
    })
    await agents.bench.signal(id, 'approve')
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('failed agent_unavailable')
  })
})

test('skills alone tell the planner nothing of agents, and the list of agents has them', async () => {
  const env = { RUNWRIGHT_SKILLS_DIR: join(root, 'skills') }
  const alone = await AgentBench.start({ env })
  try {
    const plan = json({ steps: [{ id: 'a', instruction: 'Do it', agent: 'nobody' }] })
    const { events } = await alone.play(
      { planner: plan, worker: say('Done.') },
      { ...run, routing_hint: 'require_planning' },
    )
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(alone.asked('planner').length).toBe(1)
    expect(alone.asked('worker')[0]?.system).toContain('- greeting: Greets people.')
    const { agents: none, skills } = (await alone.bench.acme.get('/v1/agents')).json<{ agents: []; skills: object[] }>()
    expect(none).toEqual([])
    expect(skills).toMatchObject([
      { name: 'greeting', files: [] },
      { name: 'release-notes', files: ['references/breaking-changes.md'] },
    ])
  } finally {
    await alone.stop()
  }
})

test('the service does not start with an agent that names an unknown skill', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
  await writeFile(join(folder, 'clerk.md'), '---\ndescription: x\nskills: [dancing]\n---\nDo.')
  const env = { RUNWRIGHT_SKILLS_DIR: join(root, 'skills'), RUNWRIGHT_AGENTS_DIR: folder }
  await expect(AgentBench.start({ env })).rejects.toThrow(
    `RUNWRIGHT_AGENTS_DIR: in ${join(folder, 'clerk.md')}, skills names an unknown skill: "dancing".`,
  )
  await rm(folder, { recursive: true })
})
