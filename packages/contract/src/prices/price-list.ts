// The prices of models, from the file that `RUNWRIGHT_PRICES` names. The command line and the console compute costs
// with it. The service counts tokens; it only checks the file and hands it to the console.
import { z } from 'zod'
import { describeIssue } from '../checks/describe-issue.ts'

const price = z.number().min(0).max(1_000_000)

/** For a million tokens. */
const modelPriceSchema = z.strictObject({
  input: price,
  output: price,
  /** For tokens of the prompt from the cache of the provider. Left out: as `input`. */
  cached: price.optional(),
})
export type ModelPrice = z.infer<typeof modelPriceSchema>

const day = z.iso.date()

const priceListSchema = z.strictObject({
  currency: z
    .string()
    .refine((text) => /^[A-Z]{3}$/.test(text), { error: 'must be three capital letters, such as EUR' }),
  /** The day of the prices: they change. */
  date: z.string().refine((text) => day.safeParse(text).success, { error: 'must be a day, such as 2026-11-01' }),
  models: z.record(z.string().min(1).max(255), modelPriceSchema),
})
export type PriceList = z.infer<typeof priceListSchema>

type ReadPrices =
  | { readonly ok: true; readonly prices: PriceList }
  /** Clauses without a full stop, one for each mistake. */
  | { readonly ok: false; readonly problems: readonly string[] }

const maxProblems = 10

export function readPriceList(value: unknown): ReadPrices {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, problems: ['it must be an object with currency, date and models'] }
  const { data, error } = priceListSchema.safeParse(value)
  if (data) return { ok: true, prices: data }
  const problems = error.issues.map((issue) => describeIssue({ error: { issues: [issue] }, value }))
  return { ok: false, problems: problems.slice(0, maxProblems) }
}
