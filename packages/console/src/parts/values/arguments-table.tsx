// JSON as nested tables, so that a person can read what a tool is called with. Texts are shown whole, and what they
// could hide is visible.
import { visibleText } from '@runwright/contract'
import { type ReactNode, useMemo, useState } from 'react'
import { RowBudget, rowsAtFirst, useRowBudget } from './row-budget.ts'
import { usePartEnd } from './shown-parts.ts'
import { TextDiff } from './text-diff.tsx'
import { type TextPair, textPairsOf } from './text-pairs.ts'
import { TextParts } from './text-parts.tsx'

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
  const shown = rows.slice(0, most)
  const shownPairs = pairs.slice(0, Math.max(0, most - rows.length))
  const left = count - shown.length - shownPairs.length
  const showMore = () => setMost((was) => was + rowsAtFirst)
  const rest = usePartEnd(showMore)
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
                onClick={showMore}
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

/** A name of this length is a text, of which all must be seen, too. */
const longName = 80

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <tr className="align-top">
      <th
        scope="row"
        className="w-px border-r border-line bg-sunken/60 px-2.5 py-1.5 text-left font-mono text-code font-medium text-muted"
      >
        {name.length > longName ? (
          <div className="min-w-40">
            <LongText text={name} />
          </div>
        ) : (
          name
        )}
      </th>
      <td className="p-0">{children}</td>
    </tr>
  )
}

function Plain({ text }: { readonly text: string }) {
  const end = usePartEnd()
  return (
    <span ref={end} data-part="" className="block scroll-mt-20 px-2.5 py-1.5 font-mono text-code text-muted">
      {text}
    </span>
  )
}

/** In blocks. */
const shownAtFirst = 2

function LongText({ text }: { readonly text: string }) {
  const parts = useMemo(() => [{ kind: 'same', text }] as const, [text])
  if (text === '') return <Plain text="empty text" />
  return <TextParts parts={parts} atFirst={shownAtFirst} className="leading-5" />
}
