// Multiplies tokens with prices. What has no price stays in the row, with its model.
import { type CallTokens, type CostRow, CostSheet, type PriceList } from '@runwright/contract'

/** The tokens of calls to one model, as the service adds them up. */
export interface ModelTokens {
  /** Null: nothing is known of the calls. */
  readonly model: string | null
  readonly tokens: CallTokens
}

/** A row for each name that `nameOf` gives. */
export const costsOf = <Row extends ModelTokens>(
  prices: PriceList,
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): readonly CostRow[] => {
  const sheet = new CostSheet(prices)
  for (const row of rows) {
    if (row.model === null) sheet.addUnrecorded(nameOf(row), row.tokens.total)
    else sheet.addCall(nameOf(row), row.model, row.tokens)
  }
  return sheet.rows()
}
