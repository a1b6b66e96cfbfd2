// JSON as nested tables, so that a person can read what a tool is called with. Texts are shown whole, and what they
// could hide is visible.
import { visibleText } from '@runwright/contract'
import { type ReactNode, useState } from 'react'
import { RowBudget, rowsAtFirst, useRowBudget } from './row-budget.ts'
import { useOpenedAt, usePartEnd } from './shown-parts.ts'
import { TextDiff } from './text-diff.tsx'
import { type TextPair, textPairsOf } from './text-pairs.ts'

interface ArgumentsTableProps {
  readonly value: unknown
  /** For screen readers: `Arguments of send_mail`. */
  readonly label: string
}

export function ArgumentsTable({ value, label }: ArgumentsTableProps) {
  return (
    // A group, not a region: a page may have several of one name, and landmarks must be told apart.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrollable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div role="group" aria-label={label} tabIndex={0} className="overflow-x-auto rounded-md border border-line text-sm">
      <Value value={value} depth={0} />
    </div>
  )
}

/** Deeper values are shown as JSON: a table in a table in a table cannot be read any more. */
const deepest = 4

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function Value({ value, depth }: { readonly value: unknown; readonly depth: number }) {
  if (typeof value === 'string') return <LongText text={visibleText(value)} />
  if (!isRecord(value)) return <Plain text={value === undefined ? 'none' : String(value)} />
  if (depth >= deepest) return <LongText text={visibleText(JSON.stringify(value, undefined, 2))} />
  const isList = Array.isArray(value)
  const pairs = isList ? [] : textPairsOf(value)
  const inPairs = new Set(pairs.flatMap(({ oldName, newName }) => [oldName, newName]))
  const rows = Object.entries(value).filter(([name]) => !inPairs.has(name))
  if (rows.length === 0 && pairs.length === 0) return <Plain text={isList ? 'empty list' : 'empty'} />
  return <Rows rows={rows} pairs={pairs} isList={isList} depth={depth} />
}

interface RowsProps {
  readonly rows: readonly [string, unknown][]
  /** Texts that a tool replaces, as a comparison. */
  readonly pairs: readonly TextPair[]
  readonly isList: boolean
  readonly depth: number
}

/** More rows are shown on request. An approver gets all. */
function Rows({ rows, pairs, isList, depth }: RowsProps) {
  const count = rows.length + pairs.length
  const { atFirst, share } = useRowBudget(count)
  const [most, setMost] = useState(atFirst)
  const openedAt = useOpenedAt()
  const shown = openedAt > 0 ? rows : rows.slice(0, most)
  const shownPairs = openedAt > 0 ? pairs : pairs.slice(0, Math.max(0, most - rows.length))
  const left = count - shown.length - shownPairs.length
  const rest = usePartEnd(true)
  return (
    <RowBudget value={share}>
      <table className="w-full">
        <tbody className="divide-y divide-line">
          {shown.map(([name, value]) => (
            <Row key={name} name={isList ? String(Number(name) + 1) : visibleText(name)}>
              <Value value={value} depth={depth + 1} />
            </Row>
          ))}
          {shownPairs.map(({ oldName, newName, oldText, newText }) => (
            <Row key={oldName} name={`${visibleText(oldName)} → ${visibleText(newName)}`}>
              <TextDiff
                before={oldText}
                after={newText}
                label={`${visibleText(oldName)} and ${visibleText(newName)}`}
              />
            </Row>
          ))}
          {left > 0 && (
            <Row name="…">
              <button
                ref={rest}
                type="button"
                className="px-2.5 py-1.5 font-medium text-accent underline"
                onClick={() => setMost(most + rowsAtFirst)}
              >
                Show {Math.min(left, rowsAtFirst)} more of {count}
              </button>
            </Row>
          )}
        </tbody>
      </table>
    </RowBudget>
  )
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <tr className="align-top">
      <th
        scope="row"
        className="w-px border-r border-line bg-sunken/60 px-2.5 py-1.5 text-left font-mono text-code font-medium text-muted"
      >
        {name}
      </th>
      <td className="p-0">{children}</td>
    </tr>
  )
}

function Plain({ text }: { readonly text: string }) {
  const end = usePartEnd(false)
  return (
    <span ref={end} className="block px-2.5 py-1.5 font-mono text-code text-muted">
      {text}
    </span>
  )
}

const shownAtFirst = 600

/** Long texts are folded, never cut: an approver must be able to see all of it. */
function LongText({ text }: { readonly text: string }) {
  const [isOpened, setOpened] = useState(text.length <= shownAtFirst)
  const openedAt = useOpenedAt()
  const isWhole = isOpened || openedAt > 0
  const end = usePartEnd(!isWhole)
  return (
    <div className="px-2.5 py-1.5">
      <p className="leading-5 whitespace-pre-wrap wrap-anywhere">
        {text === '' ? (
          <span className="text-muted">empty text</span>
        ) : isWhole ? (
          text
        ) : (
          `${text.slice(0, shownAtFirst)}…`
        )}
        <span ref={end} className="inline-block size-px" />
      </p>
      {!isWhole && (
        <button type="button" className="font-medium text-accent underline" onClick={() => setOpened(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  )
}
