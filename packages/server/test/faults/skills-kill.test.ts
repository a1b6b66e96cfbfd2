// A worker dies in a step that has loaded a skill, and the skill has changed when the next worker goes on. The run
// keeps the one that it began with.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roleOf, verdict } from '../support/agents.ts'
import { expectInvariants } from '../support/invariants.ts'
import { type HostedFleet, newFolder, rowOf, startFleet, untilOver } from '../support/processes.ts'
import { startMockProvider } from '../support/providers/mock-provider.ts'
import { callTools, type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

let hosted: HostedFleet
beforeAll(async () => {
  hosted = await startFleet({ env: { RUNWRIGHT_LEASE_SECONDS: '600', RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05' } })
})
afterAll(async () => {
  await expectInvariants(hosted.database)
  await hosted.close()
})

const expireLeases = () =>
  hosted.database.run({
    text: `update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null`,
  })
const turnOf = ({ messages }: NeutralRequest) => messages.filter(({ from }) => from === 'tool').length
const load = callTools([{ name: 'load_skill', args: { name: 'greeting' } }])
const turns: Reply[] = [load, load, say('Hello.')]

test('killed after a skill was loaded', { timeout: 60_000 }, async () => {
  const folder = join(await newFolder(), 'skills')
  const write = async (description: string, instructions: string) => {
    await mkdir(join(folder, 'greeting'), { recursive: true })
    const text = `---\nname: greeting\ndescription: ${description}\n---\n${instructions}\n`
    await writeFile(join(folder, 'greeting', 'SKILL.md'), text)
  }
  await write('Greets people.', 'Say hello.')
  let hangs = true
  const provider = await startMockProvider('openai-chat', (request) => {
    if (roleOf(request) === 'judge') return verdict('stop')
    const turn = turnOf(request)
    return turn === 1 && hangs ? say('x', { delivery: { hang: true } }) : (turns[turn] as Reply)
  })
  const env = {
    RUNWRIGHT_MODEL: 'openai-compatible/any',
    OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl,
    OPENAI_COMPATIBLE_API_KEY: 'sk-test',
    RUNWRIGHT_SKILLS_DIR: folder,
  }
  const caller = hosted.fleet.caller(await hosted.fleet.start('api', env))
  const first = await hosted.fleet.start('worker', env)
  const created = await caller.create({ input: { question: 'Greet' }, metadata: {}, routing_hint: 'skip_planning' })
  const { id } = created.json<{ id: string }>()
  await provider.stalled(1)
  await first.kill()
  hangs = false
  await write('Insults people.', 'Be rude.')
  const second = await hosted.fleet.start('worker', env)
  await expireLeases()
  await untilOver(hosted.database, id, 30_000)
  await second.stop()
  expect((await rowOf(hosted.database, id)).state).toBe('succeeded')
  const asked = provider.requests.filter((request) => roleOf(request) === 'worker')
  expect(asked.length).toBe(4)
  expect(new Set(asked.map(({ system }) => system)).size).toBe(1)
  const results = asked.at(-1)?.messages.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)) ?? []
  expect(results.map((text) => JSON.parse(text).instructions)).toEqual(['Say hello.', 'Say hello.'])
  await provider.close()
})
