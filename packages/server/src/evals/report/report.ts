// The result of an evaluation, as it is written to a file and compared with a later one.
import { readFile } from 'node:fs/promises'
import { CostSheet, describeIssue, type PriceList, sumOfCosts } from '@runwright/contract'
import { z } from 'zod'
import type { EvalCase } from '../cases/case.ts'
import { EvaluationError } from '../cases/evaluation-error.ts'
import type { Observation } from '../checks/observation.ts'
import type { TrialResult } from '../run/suite.ts'
import { largestK, meanPassHat } from './pass-rate.ts'

const unpricedSchema = z.object({
  model: z.string().nullable(),
  reason: z.enum(['no_price', 'no_counts', 'no_record']),
  tokens: z.number(),
})

const trialSchema = z.object({
  passed: z.boolean(),
  problems: z.array(z.string()),
  run_id: z.string().nullable(),
  status: z.string(),
  tokens: z.number(),
  turns: z.number(),
  seconds: z.number(),
  /** Only with prices. The cost is that of the tokens that have one; the others are in `unpriced`. */
  cost: z.number().optional(),
  unpriced: z.array(unpricedSchema).optional(),
})

const caseSchema = z.object({
  name: z.string(),
  file: z.string(),
  passed: z.int().min(0),
  trials: z.array(trialSchema).min(1),
})

const reportSchema = z.object({
  version: z.literal(1),
  finished_at: z.string(),
  models: z.record(z.string(), z.string()),
  /** Which prices the costs have. Left out: there are no costs. */
  prices: z.object({ currency: z.string(), date: z.string() }).optional(),
  /** pass^1, pass^2 … over all cases. The first is pass@1. */
  pass_hat: z.array(z.number()),
  cases: z.array(caseSchema),
})

export type Report = z.infer<typeof reportSchema>
export type CaseReport = z.infer<typeof caseSchema>

/** How many trials a case has, and how many of them passed. */
export const countsOf = ({ trials, passed }: CaseReport) => ({ trials: trials.length, passed })

interface ReportOptions {
  readonly models: Readonly<Record<string, string>>
  /** Left out: the report has no costs. */
  readonly prices?: PriceList | undefined
  readonly now: Date
}

/** Cases without a finished trial, because the evaluation was stopped, are left out. */
export function buildReport(
  cases: readonly EvalCase[],
  results: readonly TrialResult[],
  { models, prices, now }: ReportOptions,
): Report {
  const reported = cases.map((asked) => reportCase(asked, results, prices)).filter(({ trials }) => trials.length > 0)
  const counts = reported.map(countsOf)
  const ks = reported.length === 0 ? 0 : largestK(counts)
  return {
    version: 1,
    finished_at: now.toISOString(),
    models: { ...models },
    ...(prices && { prices: { currency: prices.currency, date: prices.date } }),
    pass_hat: Array.from({ length: ks }, (_, index) => meanPassHat(counts, index + 1)),
    cases: reported,
  }
}

function reportCase(asked: EvalCase, results: readonly TrialResult[], prices: PriceList | undefined): CaseReport {
  const own = results.filter((result) => result.asked === asked).sort((a, b) => a.trial - b.trial)
  return {
    name: asked.name,
    file: asked.file,
    passed: own.filter(({ problems }) => problems.length === 0).length,
    trials: own.map(({ problems, observation }) => ({
      passed: problems.length === 0,
      problems: [...problems],
      run_id: observation.runId ?? null,
      status: observation.status,
      tokens: observation.tokens,
      turns: observation.turns,
      seconds: observation.seconds,
      ...(prices && costsOf(observation, prices)),
    })),
  }
}

function costsOf({ modelCalls, tokens: all }: Observation, prices: PriceList) {
  const sheet = new CostSheet(prices)
  let unrecorded = all
  for (const { model, tokens } of modelCalls) {
    sheet.addCall('', model, tokens)
    unrecorded -= tokens.total
  }
  if (unrecorded > 0) sheet.addUnrecorded('', unrecorded)
  const { cost, unpriced } = sumOfCosts(sheet.rows())
  return { cost, unpriced: [...unpriced] }
}

/** Throws an EvaluationError if the file is not a report. */
export async function readReport(path: string): Promise<Report> {
  const value = await readJson(path)
  const checked = reportSchema.safeParse(value)
  if (checked.success) return checked.data
  const problem = describeIssue({ error: checked.error, value, at: ['report'] })
  throw new EvaluationError(`${path} is not a report of runwright eval: ${problem}.`)
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new EvaluationError(`${path} cannot be read (${error.code}).`)
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new EvaluationError(`${path} is not JSON.`)
  }
}
