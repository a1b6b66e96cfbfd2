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
  /** No price in the file; counted neither as input nor as output; or no record of the call. */
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
    const row = this.#rowOf(key)
    row.tokens += tokens.total
    if (price === undefined) {
      addUnpriced(row, { model, reason: 'no_price', tokens: tokens.total })
      return
    }
    const parts = partsOf(tokens)
    row.cost += costOf(price, parts)
    addUnpriced(row, { model, reason: 'no_counts', tokens: parts.neither })
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

interface TokenParts {
  readonly input: number
  readonly output: number
  readonly cached: number
  /** Counted in the total only: the provider did not say whether they were input or output. */
  readonly neither: number
}

/** With one of the two counts, the rest of the total is the other. */
function partsOf({ total, input, output, cached = 0 }: CallTokens): TokenParts {
  if (input === undefined && output === undefined) return { input: 0, output: 0, cached: 0, neither: total }
  const known = {
    input: input ?? Math.max(0, total - (output ?? 0)),
    output: output ?? Math.max(0, total - (input ?? 0)),
  }
  return {
    ...known,
    cached: Math.min(cached, known.input),
    neither: Math.max(0, total - known.input - known.output),
  }
}

const costOf = (price: ModelPrice, { input, output, cached }: TokenParts): number =>
  ((input - cached) * price.input + cached * (price.cached ?? price.input) + output * price.output) / million
