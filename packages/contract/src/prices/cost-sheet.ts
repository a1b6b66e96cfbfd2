// Adds up what calls of models have cost. Tokens that cannot be priced are named, and never count as free.
import type { ModelPrice, PriceList } from './price-list.ts'

/** The tokens of a call. */
export interface CallTokens {
  readonly total: number
  readonly input?: number | undefined
  readonly output?: number | undefined
  /** The part of `input` from the cache of the provider. */
  readonly cached?: number | undefined
}

export type Unpriced = 'no_price' | 'no_counts' | 'no_record'

export interface UnpricedTokens {
  readonly model: string | null
  /** No price in the file; no separate counts of input and output; or no record of the call. */
  readonly reason: Unpriced
  readonly tokens: number
}

export interface CostRow {
  readonly key: string
  /** Of the tokens that have a price. */
  readonly cost: number
  readonly tokens: number
  readonly unpriced: readonly UnpricedTokens[]
}

interface Sums {
  cost: number
  tokens: number
  readonly unpriced: Map<string, UnpricedTokens>
}

const million = 1_000_000

export class CostSheet {
  readonly #prices: PriceList
  readonly #rows = new Map<string, Sums>()

  constructor(prices: PriceList) {
    this.#prices = prices
  }

  addCall(key: string, model: string, tokens: CallTokens): void {
    const price = Object.hasOwn(this.#prices.models, model) ? this.#prices.models[model] : undefined
    const cost = price === undefined ? undefined : costOf(price, tokens)
    const row = this.#rowOf(key)
    row.tokens += tokens.total
    if (cost !== undefined) row.cost += cost
    else addUnpriced(row, { model, reason: price === undefined ? 'no_price' : 'no_counts', tokens: tokens.total })
  }

  /** Tokens of a run that no recorded call explains, such as those of the sandbox. */
  addUnrecorded(key: string, tokens: number): void {
    const row = this.#rowOf(key)
    row.tokens += tokens
    addUnpriced(row, { model: null, reason: 'no_record', tokens })
  }

  /** By key. */
  rows(): readonly CostRow[] {
    const sorted = [...this.#rows].sort(([one], [other]) => (one < other ? -1 : 1))
    return sorted.map(([key, { cost, tokens, unpriced }]) => ({ key, cost, tokens, unpriced: [...unpriced.values()] }))
  }

  #rowOf(key: string): Sums {
    const row = this.#rows.get(key) ?? { cost: 0, tokens: 0, unpriced: new Map() }
    this.#rows.set(key, row)
    return row
  }
}

/** All rows as one. */
export function sumOfCosts(rows: readonly CostRow[]): Omit<CostRow, 'key'> {
  const sum: Sums = { cost: 0, tokens: 0, unpriced: new Map() }
  for (const { cost, tokens, unpriced } of rows) {
    sum.cost += cost
    sum.tokens += tokens
    for (const each of unpriced) addUnpriced(sum, each)
  }
  return { ...sum, unpriced: [...sum.unpriced.values()] }
}

function addUnpriced({ unpriced }: Sums, { model, reason, tokens }: UnpricedTokens): void {
  if (tokens === 0) return
  const key = `${reason} ${model}`
  unpriced.set(key, { model, reason, tokens: tokens + (unpriced.get(key)?.tokens ?? 0) })
}

/** Undefined: the provider did not say which tokens were input and which output. */
function costOf(price: ModelPrice, { total, ...parts }: CallTokens): number | undefined {
  const output = parts.output ?? (parts.input === undefined ? undefined : Math.max(0, total - parts.input))
  const input = parts.input ?? (output === undefined ? undefined : Math.max(0, total - output))
  if (input === undefined || output === undefined) return total === 0 ? 0 : undefined
  const cached = Math.min(parts.cached ?? 0, input)
  const fresh = input - cached
  return (fresh * price.input + cached * (price.cached ?? price.input) + output * price.output) / million
}
