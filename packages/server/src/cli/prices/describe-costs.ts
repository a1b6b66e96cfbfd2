// Costs in words and figures. A sum that leaves something out says so.
import type { CostRow, Unpriced, UnpricedTokens } from '../../domain/prices/cost-sheet.ts'
import { safeLine } from '../output/safe-text.ts'

export const money = ({ cost, unpriced }: Pick<CostRow, 'cost' | 'unpriced'>): string =>
  unpriced.length === 0 ? cost.toFixed(6) : `${cost.toFixed(6)} + ?`

const reasons: Readonly<Record<Unpriced, (model: string) => string>> = {
  no_price: (model) => `the file has no price for ${model}`,
  no_counts: (model) => `${model} did not say which were input and which output`,
  no_record: () => 'their calls have no record, such as those of the sandbox',
}

export const describeUnpriced = ({ model, reason, tokens }: UnpricedTokens): string =>
  `Not included: ${tokens.toLocaleString('en')} tokens: ${reasons[reason](safeLine(model ?? '-'))}.`
