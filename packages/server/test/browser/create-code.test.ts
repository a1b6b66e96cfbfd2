// What the form of a new run offers to copy runs as it is: each text is copied with the button and executed, with
// nothing but the key in the environment.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { RunDetail } from '@runwright/contract'
import { expect, test } from 'vitest'
import { findPython } from '../support/python.ts'
import { openConsole } from './open-console.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
const python = findPython()
const { service, caller, arrive } = await openConsole()

const env = {
  PATH: process.env.PATH,
  RUNWRIGHT_API_KEY: service.key,
  PYTHONPATH: join(root, 'clients/python'),
}
const programs = {
  curl: (code: string) => run('sh', ['-c', code], { env, cwd: root }),
  TypeScript: (code: string) => run(process.execPath, ['--input-type=module', '-e', code], { env, cwd: root }),
  Python: (code: string) => run(python as string, ['-c', code], { env, cwd: root }),
} as const

const goal = `It's "quoted" \\ $HOME \`id\` ü 😀`
const steps = [
  { id: 'total', tool: 'calculator', input: { expression: '17 * 23' }, depends_on: [] },
  { id: 'gate', depends_on: ['total'], await_input: { prompt: 'Pay {{steps.total.output.result}}?' } },
]

test.for(Object.entries(programs))(
  '%s creates the run of the form',
  { timeout: 60_000 },
  async ([language, execute], { skip }) => {
    skip(language === 'Python' && python === undefined, 'needs Python 3.11 and httpx (Debian: python3-httpx)')
    const person = await arrive({
      hash: '#/create',
      options: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    await person.page.getByLabel('Input', { exact: true }).fill(JSON.stringify({ goal, deep: [true, null, -1.5] }))
    await person.page.getByLabel('Subject (optional)').fill('user-42')
    await person.press('Add a question')
    await person.page.getByLabel('Plan, as JSON').fill(JSON.stringify({ steps }))
    await person.page.getByText('As code').click()
    await person.page.getByRole('tab', { name: language }).click()
    await person.press(`Copy as ${language}`)
    const code = await person.page.evaluate<string>('navigator.clipboard.readText()')
    const ids = [await execute(code), await execute(code)].map(({ stdout }) => /run_\w+/.exec(stdout)?.[0])
    expect(new Set(ids).size).toBe(2)
    const created = (await caller.get(`/v1/runs/${ids[0]}?include=plan,input`)).json<RunDetail>()
    expect(created).toMatchObject({
      subject_id: 'user-42',
      input: { input: { goal, deep: [true, null, -1.5] } },
      plan: { steps },
    })
  },
)
