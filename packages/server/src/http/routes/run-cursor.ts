// The opaque cursor of the list of runs: the position of the last run on a page.
import type { RunPosition } from '../../store/runs/run-list.ts'
import { badCursor } from '../answers/list-page.ts'

const form = /^(\d{1,15}):([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

export const cursorOf = ({ createdAtMs, id }: RunPosition): string =>
  Buffer.from(`${createdAtMs}:${id}`).toString('base64url')

export function positionOf(cursor: string): RunPosition {
  const [, createdAtMs, id] = form.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (createdAtMs === undefined || id === undefined) {
    throw badCursor('RUNS_QUERY_PARAMS_INVALID')
  }
  return { createdAtMs: Number(createdAtMs), id }
}
