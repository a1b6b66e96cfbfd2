// How many rows of a value are on the page at first, in all its nested tables together: a list of lists of lists would
// have too many, although each of them is short. A table shows its own rows, and shares what is left among them.
import { createContext, useContext } from 'react'

/** Of one table. */
export const rowsAtFirst = 100
const rowsOfValue = 1_500

const RowBudgetContext = createContext(rowsOfValue)
/** For the tables in the rows of a table. */
export const RowBudget = RowBudgetContext.Provider

/** Rows that are shown on request come with a few of theirs. */
const shareOf = (budget: number, rows: number): number =>
  rows === 0 ? rowsOfValue / rowsAtFirst : Math.floor(Math.max(0, budget - rows) / rows)

/** How many of its rows a table shows at first, and the budget of the tables in each of them. */
export const useRowBudget = (rows: number): { readonly atFirst: number; readonly share: number } => {
  const budget = useContext(RowBudgetContext)
  const atFirst = Math.min(rows, rowsAtFirst, budget)
  return { atFirst, share: shareOf(budget, atFirst) }
}
