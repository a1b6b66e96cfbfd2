// `runwright eval` from the command line's view: what is printed, written and returned for cases on the sandbox.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseUrl, EvalFolder, runPrinted } from './run-eval.ts'

let folder: EvalFolder
beforeAll(async () => {
  folder = await EvalFolder.create()
})
afterAll(() => folder.remove())

/** A case whose only step says this. */
const saying = (name: string, text: string, more = '') => `
name: ${name}
routing_hint: skip_planning
input: { sandbox: { steps: [{ say: ${JSON.stringify(text)}, tokens: 12 }] } }
${more}`

const problemsOf = ({ cases }: Awaited<ReturnType<EvalFolder['evaluate']>>['report']) =>
  cases.flatMap(({ trials }) => trials.flatMap(({ problems }) => problems))

test('passes: table, totals and exit code 0', async () => {
  const file = await folder.write(
    saying('says-four', 'The answer is 4.', 'checks: [{ contains: answer IS 4 }]\ntrials: 2'),
  )
  const { code, out, err, report } = await folder.evaluate([file])
  expect(out.split('\n')[0]).toBe('CASE       TRIALS  PASSED  PASS^2  TOKENS  TURNS  SECONDS')
  expect(out.split('\n')[1]).toMatch(/^says-four {2}2 {7}2 {7}1\.00 {4}12 {6}1\.0 {4}\d/)
  expect(out).toContain('1 of 1 cases passed, 2 of 2 trials.\npass@1 1.000  pass^2 1.000')
  expect(err.split('\n')).toEqual([
    expect.stringMatching(/^1\/2 says-four, trial [12]: passed$/),
    expect.stringMatching(/^2\/2 says-four, trial [12]: passed$/),
  ])
  expect(report.models).toEqual({ planner: 'sandbox', worker: 'sandbox', judge: 'sandbox' })
  expect(code).toBe(0)
})

test('a failed check: said in words, exit code 1', async () => {
  const file = await folder.write(saying('says-five', 'Five.', 'checks: [{ matches: "^Four" }, { equals: Four. }]'))
  const { code, out, report } = await folder.evaluate([file])
  expect(out).toContain('FAILED says-five, trial 1: matches: the result does not match ^Four: "Five."')
  expect(problemsOf(report)).toEqual([
    'matches: the result does not match ^Four: "Five."',
    'equals: the value is "Five.", expected "Four."',
  ])
  expect(code).toBe(1)
})

test('checks of structured results, calls and limits', async () => {
  const file = await folder.write(`
defaults:
  routing_hint: skip_planning
  input:
    sandbox:
      steps: [{ say: '{"price": 4}', output: { price: 4 }, tools: [{ name: calculator, input: { expression: 2+2 } }] }]
cases:
  - name: right
    limits: { max_turns: 2, max_tokens: 100, max_seconds: 60 }
    checks:
      - equals: { price: 4 }
      - schema: { type: object, required: [price], properties: { price: { type: number } } }
      - called: { name: calculator, with: { expression: 2+2 }, times: 1, outcome: succeeded }
      - not_called: { name: http_fetch }
      - not_called: { name: calculator, with: { expression: 3+3 } }
  - name: wrong
    limits: { max_turns: 1 }
    checks:
      - equals: { price: 5 }
      - schema: { type: object, required: [currency] }
      - called: { name: calculator, with: { expression: 3+3 } }
      - called: { name: calculator, times: 2 }
      - not_called: { name: calculator }
`)
  const { report } = await folder.evaluate([file])
  const [right, wrong] = report.cases
  expect(right?.trials[0]?.problems).toEqual([])
  expect(wrong?.trials[0]?.problems).toEqual([
    'equals: /price is 4, expected 5',
    "schema: the value must have required property 'currency'",
    'called: calculator with {"expression":"3+3"} was not called; calculator was called with {"expression":"2+2"}',
    'called: calculator was called 1 times, expected 2',
    'not_called: calculator was called with {"expression":"2+2"} (succeeded)',
    'max_turns: used 2, at most 1 allowed',
  ])
})

test('the input of a tool step of a plan can be checked', async () => {
  const file = await folder.write(`
name: tool-step
input: {}
plan: { steps: [{ tool: calculator, input: { expression: 6*7 } }] }
checks: [{ equals: { result: 42 } }, { called: { name: calculator, with: { expression: 6*7 } } }]
`)
  expect(problemsOf((await folder.evaluate([file])).report)).toEqual([])
})

describe('a run that asks', () => {
  const gated = (more: string) => `
name: gate-${more.length}
input: {}
plan:
  steps:
    - { id: gate, await_input: { input_kind: payload, prompt: "Which size?" } }
    - { id: use, tool: json_query, input: { json: "{{steps.gate.output}}", path: "$.size" } }
${more}`

  test('gets the answers of the case', async () => {
    const file = await folder.write(
      gated('answers: [{ action: submit_input, payload: { size: 42 } }]\nchecks: [{ equals: { matches: [42] } }]'),
    )
    expect(problemsOf((await folder.evaluate([file])).report)).toEqual([])
  })

  test('fails if no answer is left, and shows the question', async () => {
    const { report } = await folder.evaluate([await folder.write(gated(''))])
    expect(problemsOf(report)).toEqual(['status: is awaiting_input, expected succeeded: Which size?'])
  })

  test('passes if the case expects the question', async () => {
    const { code } = await folder.evaluate([await folder.write(gated('checks: [{ status: awaiting_input }]'))])
    expect(code).toBe(0)
  })
})

test('a run that fails: the reason is the problem, unless the case expects the failure', async () => {
  const failing = (name: string, more: string) => `
name: ${name}
routing_hint: skip_planning
input: { sandbox: { steps: [{ fail: { reason_code: provider_refused, message: "I will not.", retryable: false } }] } }
${more}`
  const files = [
    await folder.write(failing('unexpected', '')),
    await folder.write(failing('expected', 'checks: [{ status: failed }]')),
  ]
  const { report } = await folder.evaluate(files)
  expect(report.cases.map(({ name, passed }) => [name, passed])).toEqual([
    ['unexpected', 0],
    ['expected', 1],
  ])
  expect(problemsOf(report)).toEqual([
    expect.stringMatching(/^status: is failed, expected succeeded: provider_refused/),
  ])
})

test('a run that the service refuses is a failed trial with the words of the service', async () => {
  const file = await folder.write('name: bad-plan\ninput: {}\nplan: { steps: [{ tool: no_such_tool, input: {} }] }')
  expect(problemsOf((await folder.evaluate([file])).report)).toEqual([
    expect.stringMatching(/^status: is refused, expected succeeded: INPUT_PLAN_INVALID: .*no_such_tool/),
  ])
})

test('a run that takes too long is cancelled and fails', async () => {
  const file = await folder.write(`
name: slow
input: {}
plan: { steps: [{ tool: wait, input: { seconds: 600 } }] }
limits: { max_seconds: 0.2 }
`)
  expect(problemsOf((await folder.evaluate([file])).report)).toEqual([
    'status: is timeout, expected succeeded: the run did not end in time and was cancelled',
  ])
})

test('notes that a trial saves in memory are not seen by another one', async () => {
  const note = '{ name: memory_save, input: { title: Shoe size, content: The shoe size is 42 } }'
  const file = await folder.write(`
defaults: { routing_hint: skip_planning }
cases:
  - name: saves
    input: { sandbox: { steps: [{ tools: [${note}] }] } }
    checks: [{ called: { name: memory_save, outcome: succeeded } }]
  - name: searches
    input: {}
    plan: { steps: [{ tool: memory_search, input: { query: shoe size } }] }
    checks: [{ equals: { items: [] } }]
`)
  expect(problemsOf((await folder.evaluate([file], { concurrency: 1 })).report)).toEqual([])
})

describe('reports', () => {
  const half = (first: string, second: string) => `
cases:
  - { name: first, routing_hint: skip_planning, input: { sandbox: { steps: [{ say: ${first} }] } }, checks: [{ equals: "yes" }] }
  - { name: second, routing_hint: skip_planning, input: { sandbox: { steps: [{ say: ${second} }] } }, checks: [{ equals: "yes" }] }`

  test('JUnit has a test for each case and escapes what models wrote', async () => {
    const file = await folder.write(half('"yes"', '"<no> & \\u0007"'), 'junit.yaml')
    const junit = join(folder.path, 'junit.xml')
    await folder.evaluate([file], { junit })
    const xml = await readFile(junit, 'utf8')
    expect(xml).toContain(`<testsuite name="${file}" tests="2" failures="1" errors="0" time="`)
    expect(xml).toMatch(/<testcase name="first" classname="[^"]+" time="[\d.]+"\/>/)
    expect(xml).toContain('trial 1: equals: the value is &quot;&lt;no&gt; &amp;')
    expect(xml).not.toContain('<no>')
  })

  test('a drop of pass@1 fails, and what got better or worse is named', async () => {
    const before = join(folder.path, 'before.json')
    const previous = await folder.evaluate([await folder.write(half('"yes"', '"yes"'))], { json: before })
    expect(previous.code).toBe(0)
    const dropped = await folder.evaluate([await folder.write(half('"no"', '"yes"'))], { compare: before })
    expect(dropped.out).toContain('pass@1 of the cases in both: 1.000 -> 0.500\nWORSE first: 1.00 -> 0.00')
    expect(dropped.code).toBe(1)
  })

  test('with a comparison, failures that were there before do not fail', async () => {
    const json = join(folder.path, 'same.json')
    const file = await folder.write(half('"no"', '"yes"'))
    expect((await folder.evaluate([file], { json })).code).toBe(1)
    expect((await folder.evaluate([file], { compare: json })).code).toBe(0)
  })
})

test('Ctrl-C: running trials are cancelled, what has ended is shown, and the exit code is 130', async () => {
  const stop = new AbortController()
  const file = await folder.write(`
defaults: { routing_hint: skip_planning }
cases:
  - { name: quick, input: { sandbox: { steps: [{ say: done }] } } }
  - { name: slow, input: {}, plan: { steps: [{ tool: wait, input: { seconds: 600 } }] } }
  - { name: never, input: { sandbox: { steps: [{ say: done }] } } }
`)
  const onReport = (text: string) => text.includes('quick: passed') && stop.abort()
  const { code, out } = await runPrinted([file], { concurrency: 2 }, { signal: stop.signal, onReport })
  expect(code).toBe(130)
  expect(out).toContain('1 of 1 cases passed')
  expect(out).not.toMatch(/slow|never/)
})

describe('exit code 2, and nothing runs', () => {
  test.each([
    ['an unknown field', 'name: a\ninput: {}\nchekcs: []', /:3: chekcs is not a known field; did you mean checks\?$/],
    ['a missing field', 'name: a', /:1: input is required\.$/],
    ['a judge that is the sandbox', saying('a', 'b', 'checks: [{ judged: { rubric: polite } }]'), /needs a real model/],
    ['an agent without a folder', 'name: a\ninput: {}\nagent: helper', /RUNWRIGHT_AGENTS_DIR is not set/],
    ['a world that does not load', 'name: a\ninput: {}\nworld: none.mjs', /none\.mjs: the module does not load/],
  ])('%s', async (_, text, message) => {
    const { code, out, err } = await runPrinted([await folder.write(text)])
    expect(err).toMatch(message)
    expect(out).toBe('')
    expect(code).toBe(2)
  })

  test('a file that does not exist, a pattern without a match, a report that is none', async () => {
    expect(await runPrinted(['nowhere.yaml'])).toMatchObject({ code: 2, err: 'nowhere.yaml cannot be read: ENOENT.' })
    expect(await runPrinted(['nowhere/*.yaml'])).toMatchObject({ code: 2, err: 'No file matches nowhere/*.yaml.' })
    const file = await folder.write(saying('fine', 'fine'))
    const { code, err } = await runPrinted([file], { compare: file })
    expect({ code, err }).toEqual({ code: 2, err: `${file} is not JSON.` })
  })

  test('a setting that is wrong', async () => {
    const file = await folder.write(saying('fine', 'fine'))
    const env = { DATABASE_URL: await databaseUrl(), RUNWRIGHT_MODEL: 'nonsense' }
    expect(await runPrinted([file], {}, { env })).toMatchObject({ code: 2, err: expect.stringContaining('nonsense') })
  })
})
