// Costs in words and figures. A sum that leaves something out says so.
import { type CostRow, describeUnpriced, type UnpricedTokens } from '@runwright/contract'
import { safeLine } from '../output/safe-text.ts'

export const money = ({ cost, unpriced }: Pick<CostRow, 'cost' | 'unpriced'>): string =>
  unpriced.length === 0 ? cost.toFixed(6) : `${cost.toFixed(6)} + ?`

export const notIncluded = (tokens: UnpricedTokens): string => describeUnpriced(tokens, safeLine)
