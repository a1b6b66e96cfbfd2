// Moves through the rows of the list by keyboard. The focus is the cursor: it stands on the link of a row, so that
// Enter and Ctrl+Enter do what the browser does with links.
import { useShortcut } from '../shell/shortcuts.ts'
import { type CurrentRow, linkOf } from './use-current-row.ts'

interface RowKeys {
  /** What a row is called in the list of shortcuts: `run`. */
  readonly what: string
}

export const useRowKeys = ({ find, move }: CurrentRow<HTMLElement>, { what }: RowKeys): void => {
  useShortcut('j', `Next ${what}`, () => move(1))
  useShortcut('k', `Previous ${what}`, () => move(-1))
  useShortcut('Enter', `Open the ${what}`, () => linkOf(find())?.click())
}
