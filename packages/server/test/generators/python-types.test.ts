// The types of the Python client: the package and the code of its README pass the checkers of Python in strict mode.
// pyright is installed with the generators. Without httpx or mypy (pip install httpx mypy), a test is skipped.
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPython } from '../support/python.ts'
import { installGenerators } from './install-generators.ts'

const source = join(import.meta.dirname, '../../../../clients/python')
const python = findPython()
const pythonWithMypy = findPython('mypy')
const checkMs = 120_000

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'runwright-python-types-'))
  cpSync(join(source, 'runwright'), join(folder, 'runwright'), { recursive: true })
  const code = readFileSync(join(source, 'README.md'), 'utf8').matchAll(/^```python\n([\s\S]*?)^```$/gm)
  for (const [index, [, block = '']] of [...code].entries()) writeFileSync(join(folder, `readme_${index}.py`), block)
  writeFileSync(join(folder, 'wrong.py'), wrong)
  const settings = { include: ['.'], typeCheckingMode: 'strict', pythonVersion: '3.11' }
  writeFileSync(join(folder, 'pyrightconfig.json'), JSON.stringify(settings))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Mistakes that the types must find, one in each line that ends in a comment. */
const wrong = `from runwright import Runwright

with Runwright() as client:
    client.signal("run_1", "approved")  # no such action
    client.create_run({"inputs": {}})  # no such field
    for event in client.events("run_1"):
        if event["type"] == "run.awaiting_input":
            print(event["payload"]["value"]["content"])  # of another event
    for run in client.iter_runs():
        print(run["state"])  # no such field
`
const wrongPlaces = wrong.split('\n').flatMap((line, index) => (/ {2}# /.test(line) ? [`wrong.py:${index + 1}`] : []))

const run = async (program: string, args: readonly string[]): Promise<string> => {
  try {
    return (await promisify(execFile)(program, args, { cwd: folder })).stdout
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

test('pyright accepts the package and the README, and finds mistakes', { timeout: 600_000 }, async ({ skip }) => {
  skip(python === undefined, 'needs Python 3.11 and httpx')
  const pyright = join(await installGenerators(), 'node_modules/pyright/index.js')
  expect(placesOf(await run(process.execPath, [pyright, '--pythonpath', pathOf(python)]))).toEqual(wrongPlaces)
})

test('mypy accepts the package and the README, and finds mistakes', { timeout: checkMs }, async ({ skip }) => {
  skip(pythonWithMypy === undefined, 'needs Python 3.11, httpx and mypy')
  expect(placesOf(await run(String(pythonWithMypy), ['-m', 'mypy', '--strict', '.']))).toEqual(wrongPlaces)
})

const pathOf = (program: string | undefined): string =>
  spawnSync(String(program), ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout.trim()

/** Where a checker has found errors, in all files. */
const placesOf = (found: string): string[] => [
  ...new Set([...found.matchAll(/(\w+\.py:\d+)(?::\d+)?(?: -|:) error/g)].map(([, place = '']) => place)),
]
