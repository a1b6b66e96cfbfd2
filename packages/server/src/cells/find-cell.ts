// Finds the cell that a customer is moved from.
import { findMoveState } from '../store/cells/move-state.ts'
import type { OpenCell } from './cell.ts'
import { MoveRefused } from './move-refused.ts'

const livingMoves: ReadonlySet<string> = new Set(['copying', 'leaving', 'held'])

/**
 * The cell where the customer lives; or, if a move to `target` was interrupted after the switch, the one it has left.
 */
export async function findCellOf(customerId: string, cells: readonly OpenCell[], target: OpenCell): Promise<OpenCell> {
  const states = await Promise.all(
    cells.map(async (cell) => ({ cell, state: await findMoveState(cell.database, customerId) })),
  )
  const living = states.filter(({ state }) => state && (state.move === null || livingMoves.has(state.move)))
  const [home] = living
  if (home && living.length > 1) {
    const names = living.map(({ cell }) => cell.name).join(' and ')
    throw new MoveRefused(`The cells ${names} each have a customer ${customerId}. Two customers cannot share an id.`)
  }
  const left = states.find(({ state }) => state?.move === 'moved' && state.cell === target.name)
  if (home && home.cell !== target) return home.cell
  if (left) return left.cell
  throw new MoveRefused(
    home ? `${customerId} is already in ${target.name}.` : `No cell has a customer ${customerId}. Check the id.`,
  )
}
