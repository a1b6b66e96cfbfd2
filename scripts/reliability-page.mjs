// @ts-check
// docs/reliability.md: what the fault harness, the mutants and the soak have shown, from bench/reliability.json.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const figuresFile = join(root, 'bench/reliability.json')
const pageFile = join(root, 'docs/reliability.md')

/**
 * @typedef {{ scenario: string, seed: number, seconds: number, date?: string, faults: Record<string, number>,
 * runs: number, operations: number, tasks?: number, effects: number, questions: number, toldLate?: number,
 * violations: unknown[] | number }} Trial
 */
/** @typedef {{ name: string, what: string, seed: number, seconds: number | null, reported: string[] }} Planted */
/**
 * @typedef {{ date: string, seconds: number, runs: number, slopes: Record<string, number>, first: Record<string,
 * number>, last: Record<string, number> }} Soak
 */
/** @typedef {{ area: string, all: number, tried: number, noticed: number }} Area */
/** @typedef {{ file: string, line: number, kind: string, was: string, why: string }} Survivor */
/**
 * @typedef {{ trials: Trial[], planted: Planted[], plantedNotes: string[], soak: Soak | null, mutants: { date: string,
 * command: string, areas: Area[], survivors: Survivor[], note?: string } | null, notes: string[] }} Figures
 */

/** @returns {Figures} */
export const readFigures = () => JSON.parse(readFileSync(figuresFile, 'utf8'))

/** @param {Trial['violations']} violations */
const countOf = (violations) => (typeof violations === 'number' ? violations : violations.length)

/** @param {Trial} trial */
export const trialRow = ({
  scenario,
  seed,
  seconds,
  faults,
  runs,
  operations,
  tasks,
  effects,
  questions,
  violations,
}) => [
  scenario,
  String(seed),
  String(seconds),
  Object.entries(faults)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ') || 'none',
  String(runs),
  operations.toLocaleString('en'),
  `${tasks ?? '–'}`,
  String(effects),
  String(questions),
  String(countOf(violations)),
]

const trialColumns = [
  'scenario',
  'seed',
  'seconds',
  'faults',
  'runs',
  'operations',
  'tasks',
  'calls',
  'questions',
  'broken',
]

/** @param {readonly string[]} columns @param {readonly (readonly string[])[]} rows */
const table = (columns, rows) =>
  [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** How many faults of a kind all trials had. @param {readonly Trial[]} trials @param {string} kind */
const count = (trials, kind) => trials.reduce((sum, { faults }) => sum + (faults[kind] ?? 0), 0).toLocaleString('en')

/** @param {readonly (readonly string[])[]} rows */
export const trialTable = (rows) => table(trialColumns, rows)

/** Text inside a table. @param {string} text */
const cell = (text) => `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``

/** @param {Soak} soak */
const soakText = ({
  date,
  seconds,
  runs,
  slopes,
  first,
  last,
}) => `\`npm run chaos -- --scenario soak --seconds 600\`, ${date}: ${seconds} s, ${runs} runs. The slopes are those of the last
two thirds, by least squares. A slope of more than 1 per minute fails the soak, except for dead rows, which autovacuum
clears at its own times.

${table(
  ['what', 'first round', 'last round', 'per minute'],
  Object.entries({
    heapMegabytes: 'heap and buffers after a garbage collection, MB',
    descriptors: 'open descriptors',
    connections: 'connections to the database',
    deadRows: 'dead rows',
  }).map(([name, what]) => [what, String(first[name]), String(last[name]), String(slopes[name])]),
)}`

/** @param {NonNullable<Figures['mutants']>} mutants */
const mutantText = ({ date, command, areas, survivors, note }) => `\`${command}\`, ${date}.
\`all\` is the number of mutants of an area, \`tried\` the size of the sample.

${table(
  ['area', 'all', 'tried', 'noticed', 'score'],
  areas.map(({ area, all, tried, noticed }) => [
    area,
    String(all),
    String(tried),
    String(noticed),
    tried === 0 ? '–' : `${Math.round((100 * noticed) / tried)} %`,
  ]),
)}

${[note, survivors.length > 0 && survivorText(survivors)].filter(Boolean).join('\n\n')}`

/** @param {readonly Survivor[]} survivors */
const survivorText = (survivors) => `Mutants that no test noticed:

${table(
  ['where', 'change', 'code', 'why'],
  survivors.map(({ file, line, kind, was, why }) => [`${file}:${line}`, cell(kind), cell(was), why]),
)}`

/** @param {Figures} figures */
export const renderReliability = ({
  trials,
  planted,
  plantedNotes,
  soak,
  mutants,
  notes,
}) => `<!-- Written by scripts/reliability-page.mjs from bench/reliability.json. -->

# Reliability

How the promises of [delivery](delivery.md) and [failures](failures.md) are tested from outside, and with what result.
\`npm run chaos\` starts two processes that serve the API and three workers, keeps them under load, and does harm to
them. Afterwards it checks everything that clients, tools and receivers have seen.

\`\`\`sh setup
npm run chaos                                            # all faults at processes and the network, for 90 s
npm run chaos -- --scenario kill,pause --seconds 600     # other scenarios, one after another
npm run chaos -- --seed 7                                # the same faults and the same load again
npm run chaos -- --plant once                            # a build with a defect, which must be reported
npm run chaos -- --plant all                             # one after another, all builds with a defect
npm run mutants -- --seed 40                             # small changes of the code, which tests must notice
\`\`\`

## Scenarios

| scenario | what happens |
| --- | --- |
| kill | \`kill -9\` of processes that serve or execute, up to four at a time; a spare takes the place of each |
| pause | processes stand still for 0.3 to 4 s, up to four at a time; a lease takes 1.5 s |
| freeze | the same for 2 to 5 s: when a process goes on, others have its runs |
| starve | a process gets 2 to 20 % of a core from its cgroup. Needs root and version 1 of cgroups |
| clock | the wall clock that a process sees is set up to an hour ahead or back, and later set right. The system clock, the clock of the database and the monotonic clocks are left alone |
| network | connections to the database are cut, delayed, swallowed, or lose the answer after the work is done |
| database | the database is stopped and started |
| failover | the primary is killed and its synchronous standby promoted, once |
| disk | the disk of the database is full. Needs root |
| all | kill, pause, starve, clock and network together, two at a time |

The load: half of the runs are tasks of a simulated shop, whose tools must be called once and do not honor idempotency
keys. The model knows only the conversation that it is shown. When the outcome of a call is not known, the operator
looks into the shop before answering. The other runs have parallel steps, gates that two people answer at once, cancels,
retries and forks. A schedule creates runs, a webhook reports ends to a receiver that refuses every twentieth message,
and readers follow streams.

## What is checked

- **Histories.** Each create, signal, cancel, retry, read, page and stream is an operation with a start, an end and an
  answer. For each run there must be one order in which every answer is right and no operation is moved outside of its
  time (linearizability, searched as by Wing and Gong). The order of changes is the log of the run.
- **The shop.** Each task has one right course. Its effects must be there once and in order, and the hash of the shop's
  state must be that of the right courses.
- **Calls.** No idempotency key of a \`once\` call arrives twice, except for those that the service itself
  [reports](failures.md#failure-modes).
- **The database.** The invariants of \`packages/server/test/support/invariants.ts\`, among them: events have no gaps,
  states follow the table, tokens and usage add up.
- **Webhooks, creates, ends.** A message for each event and none for others, one run per idempotency key, all runs end.

A broken rule prints the story of its run, and the seed.

## Results

\`npm run chaos -- --scenario <scenario> --seed <seed> --seconds <seconds of faults>\`, on a machine with 2 cores that
executed other work at the same time. \`seconds\` includes the time until all runs had ended, \`calls\` are effects in the
shop, \`questions\` are calls whose outcome was not known, \`broken\` are broken rules.

${trialTable(trials.map(trialRow))}

Together, these are ${count(trials, 'kill')} kills and ${count(trials, 'pause')} pauses.

${notes.join('\n')}

## Defects on purpose

A checker that never reports anything proves nothing. These builds have a defect, and the harness must report it.
\`seconds\` is the time from the first request of the load to the report.

${table(
  ['defect', 'command', 'seconds', 'reported as'],
  planted.map(({ name, what, seed, seconds, reported }) => [
    what,
    cell(`npm run chaos -- --plant ${name} --seed ${seed}`),
    `${seconds ?? '–'}`,
    reported.join('; ') || 'not reported',
  ]),
)}

${plantedNotes.join('\n')}

## Soak

${soak ? soakText(soak) : 'No figures yet.'}

## Mutants

A mutant is a small change of the code: another operator, a condition that is always true, a statement that is left
out, a changed clause in SQL. A test should turn red. Each mutant is tried against the twelve unit tests that are
nearest by their imports, and, if they stay green, against scenarios of the whole service. The same tests must be green
without the mutants afterwards, in the same process.

${mutants ? mutantText(mutants) : 'No figures yet.'}
`

/** Adds results of `npm run chaos` to the figures. @param {any[]} results */
export function recordFigures(results) {
  const figures = readFigures()
  const date = new Date().toISOString().slice(0, 10)
  for (const result of results) {
    if (result.scenario === 'soak') {
      const { seconds, runs, slopes, samples } = result
      figures.soak = { date, seconds, runs, slopes, first: samples[0], last: samples.at(-1) }
    } else if (result.planted) {
      figures.planted = [...figures.planted.filter(({ name }) => name !== result.planted), plantedOf(result)]
    } else {
      figures.trials.push({ ...result, date, violations: result.violations.length })
    }
  }
  writeFileSync(figuresFile, `${JSON.stringify(figures, null, 2)}\n`)
  writeFileSync(pageFile, renderReliability(figures))
}

/** @param {any} result @returns {Planted} */
const plantedOf = ({ planted: name, what, seed, seconds, violations }) => {
  const rules = violations.map((/** @type {{ rule: string }} */ { rule }) => rule)
  return { name, what, seed, seconds, reported: [...new Set(/** @type {string[]} */ (rules))] }
}

/**
 * The explanations of earlier survivors stay, as long as their code does.
 * @param {string} command
 * @param {readonly { area: string, all: number, mutants: import('./mutants/sample.mjs').Sampled[] }[]} samples
 * @param {Map<string, { isNoticed: boolean }>} outcomes
 */
export function recordMutants(command, samples, outcomes) {
  const figures = readFigures()
  const sameCode = (/** @type {Omit<Survivor, 'why' | 'line'>} */ a, /** @type {Omit<Survivor, 'why' | 'line'>} */ b) =>
    a.file === b.file && a.kind === b.kind && a.was === b.was
  const known = figures.mutants?.survivors ?? []
  const tried = samples.map(({ area, all, mutants }) => {
    const own = mutants.filter(({ key }) => outcomes.has(key))
    return { area, all, own, survivors: own.filter(({ key }) => !outcomes.get(key)?.isNoticed) }
  })
  figures.mutants = {
    date: new Date().toISOString().slice(0, 10),
    command,
    areas: tried.map(({ area, all, own, survivors }) => {
      return { area, all, tried: own.length, noticed: own.length - survivors.length }
    }),
    survivors: tried.flatMap(({ survivors }) =>
      survivors.map((mutant) => {
        const { file, line, kind, was } = mutant
        return { file, line, kind, was, why: known.find((other) => sameCode(mutant, other))?.why ?? '' }
      }),
    ),
  }
  writeFileSync(figuresFile, `${JSON.stringify(figures, null, 2)}\n`)
  writeFileSync(pageFile, renderReliability(figures))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(pageFile, renderReliability(readFigures()))
