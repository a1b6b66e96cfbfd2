// The short form of `npm run chaos`, and, with its variables set, the long one.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { type PlantName, plant, plants } from './faults/planted.ts'
import { type Scenario, scenarios } from './faults/schedule.ts'
import { runTrial, type TrialResult } from './trial.ts'

interface Chosen {
  readonly scenario: Scenario
  /** The defect of the build. */
  readonly planted?: PlantName
}

const { CHAOS_SCENARIO = 'all', CHAOS_SECONDS, CHAOS_SEED, CHAOS_FAULTS, CHAOS_RESULT, CHAOS_PLANT } = process.env
const seconds = Number(CHAOS_SECONDS ?? (CHAOS_PLANT ? 30 : 90))
const seed = CHAOS_SEED === undefined ? Math.floor(Math.random() * 1_000_000) : Number(CHAOS_SEED)
const chosen: readonly Chosen[] = CHAOS_PLANT
  ? namesOf(CHAOS_PLANT).map((planted) => ({ planted, scenario: plants[planted].scenario }))
  : CHAOS_SCENARIO.split(',').map((scenario) => ({ scenario: scenario as Scenario }))

function namesOf(list: string): PlantName[] {
  const all = Object.keys(plants) as PlantName[]
  if (list === 'all') return all
  const unknown = list.split(',').filter((name) => !(name in plants))
  if (unknown.length > 0) throw new Error(`No such defect: ${unknown.join(', ')}. There are ${all.join(', ')} and all.`)
  return list.split(',') as PlantName[]
}

const say = (text: string) => process.stdout.write(`${text}\n`)
const timeout = (seconds + 600) * 1_000

test.each(chosen)(`${seconds} s, seed ${seed}: $scenario $planted`, { timeout }, async ({ scenario, planted }) => {
  expect(Object.keys(scenarios)).toContain(scenario)
  const result = await runTrial({
    scenario,
    seed,
    seconds,
    report: (line) => say(`${scenario}, seed ${seed}, ${line}`),
    ...(CHAOS_FAULTS && { faults: Number(CHAOS_FAULTS) }),
    ...(planted && { program: plant(planted) }),
  })
  keep(result, planted)
  const { violations, ...figures } = result
  say(JSON.stringify(figures))
  for (const { rule, what, story } of violations.slice(0, 10)) say(`\nBROKEN: ${rule}\n${what}\n${story ?? ''}`)
  if (planted) return expectReport(planted, result)
  expect(violations.map(({ rule, what }) => `seed ${seed}, ${rule}: ${what}`)).toEqual([])
})

function expectReport(name: PlantName, { violations }: TrialResult): void {
  const rules: readonly string[] = plants[name].rules
  const broken = [...new Set(violations.map(({ rule }) => rule))]
  say(`planted: ${plants[name].what}; reported: ${broken.join('; ')}`)
  expect(broken.filter((rule) => rules.includes(rule))).not.toEqual([])
}

/** For the table of `npm run chaos`. */
function keep(result: TrialResult, planted: PlantName | undefined): void {
  if (!CHAOS_RESULT) return
  mkdirSync(dirname(CHAOS_RESULT), { recursive: true })
  const defect = planted && { planted, what: plants[planted].what }
  writeFileSync(CHAOS_RESULT, `${JSON.stringify({ ...result, ...defect })}\n`, { flag: 'a' })
}
