// The agents of examples/agents: the service loads them, and a run with each sends what its file says.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { AgentBench, json } from '../support/agents.ts'
import { ofType } from '../support/engine.ts'
import { callTools, say } from '../support/providers/script.ts'

const folder = join(import.meta.dirname, '../../../../examples/agents')

interface FrontMatter {
  readonly name: string
  readonly description: string
  readonly tools: readonly string[]
  readonly output_schema?: object
}

const files = readdirSync(folder).map((file) => {
  const [, front = '', instructions = ''] =
    /^---\n([\s\S]+?)\n---\n([\s\S]+)$/.exec(readFileSync(join(folder, file), 'utf8')) ?? []
  return { file, instructions: instructions.trim(), ...(parse(front) as FrontMatter) }
})

let agents: AgentBench
beforeAll(async () => {
  agents = await AgentBench.start({ env: { RUNWRIGHT_AGENTS_DIR: folder } })
})
afterAll(async () => {
  await agents.stop()
  expect(agents.provider.refusals).toEqual([])
})

const resultOf = async (id: string) => (await agents.bench.acme.run(id)).event_payload.value
const task = (agent: string, input: object) => ({ input, metadata: { agent }, routing_hint: 'skip_planning' })

const answers: Readonly<Record<string, object>> = {
  'support-triage': { category: 'billing', urgency: 'normal', summary: 'Was charged twice.', reply: 'Hello,' },
  'data-analyst': { answer: 'Six.', figures: [{ name: 'total', value: 6 }], method: 'Added all values.' },
}

test('there are three, each listed with its description', async () => {
  const listed = await agents.bench.acme.get('/v1/agents')
  expect(files.map(({ name }) => name)).toEqual(['data-analyst', 'researcher', 'support-triage'])
  expect(listed.json()).toMatchObject({ agents: files.map(({ name, description }) => ({ name, description })) })
})

test.each(files)('$file: a run sends its instructions, tools and schema', async (file) => {
  const answer = answers[file.name]
  const { id } = await agents.play(
    { worker: answer ? json(answer) : say('It opened in 1889.') },
    task(file.name, { text: 'x' }),
  )
  const [request] = agents.asked('worker')
  expect(file.instructions.length).toBeGreaterThan(500)
  expect(request?.system.endsWith(file.instructions)).toBe(true)
  expect(request?.tools.map(({ name }) => name).sort()).toEqual([...file.tools].sort())
  const prompt = AgentBench.textOf(request)
  if (file.output_schema) expect(prompt).toContain(JSON.stringify(file.output_schema))
  else expect(prompt).not.toContain('JSON Schema')
  expect(await resultOf(id)).toMatchObject({ output: answer ?? null })
})

test('support-triage is not judged; an answer without a known category is repaired', async () => {
  const bad = { ...answers['support-triage'], category: 'angry' }
  const worker = [json(bad), json(answers['support-triage'])]
  const { id } = await agents.play({ worker }, task('support-triage', { ticket: 'I was charged twice!' }))
  expect(agents.calls).toEqual(['worker', 'worker'])
  expect(await resultOf(id)).toMatchObject({ output: { category: 'billing' } })
})

test('data-analyst computes with run_javascript', async () => {
  const code = 'return input.values.reduce((sum, value) => sum + value, 0)'
  const calls = callTools([{ name: 'run_javascript', args: { code, input: { values: [1, 2, 3] } } }])
  const worker = [calls, json(answers['data-analyst'])]
  const { events } = await agents.play({ worker }, task('data-analyst', { values: [1, 2, 3] }))
  expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ tool_name: 'run_javascript', tool_outcome: 'succeeded' }])
  expect(agents.asked('worker')[1]?.messages.at(-1)?.toolResults[0]?.text).toContain('6')
  expect(agents.calls.at(-1)).toBe('judge')
})
