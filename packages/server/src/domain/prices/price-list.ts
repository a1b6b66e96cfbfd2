// The prices of models, from the file that `RUNWRIGHT_PRICES` names. Only programs that show costs read it: the service
// counts tokens, and knows no prices.
import { describeIssue } from '@runwright/contract'
import { z } from 'zod'

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
  /** A clause without a full stop. */
  | { readonly ok: false; readonly problem: string }

export function readPriceList(value: unknown): ReadPrices {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, problem: 'must be an object with currency, date and models' }
  const { data, error } = priceListSchema.safeParse(value)
  return data ? { ok: true, prices: data } : { ok: false, problem: describeIssue({ error, value }) }
}
