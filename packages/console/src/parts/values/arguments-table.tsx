// JSON as nested tables, so that a person can read what a tool is called with. Texts are shown whole, and what they
// could hide is visible.
import { visibleText } from '@runwright/contract'
import { useState } from 'react'

interface ArgumentsTableProps {
  readonly value: unknown
  /** For screen readers: `Arguments of send_mail`. */
  readonly label: string
}

export function ArgumentsTable({ value, label }: ArgumentsTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrollable by keyboard.
    <section aria-label={label} tabIndex={0} className="overflow-x-auto rounded-md border border-line text-sm">
      <Value value={value} depth={0} />
    </section>
  )
}

/** Deeper values are shown as JSON: a table in a table in a table cannot be read any more. */
const deepest = 4

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function Value({ value, depth }: { readonly value: unknown; readonly depth: number }) {
  if (typeof value === 'string') return <LongText text={visibleText(value)} />
  if (!isRecord(value)) return <Plain text={value === undefined ? 'none' : String(value)} />
  if (depth >= deepest) return <LongText text={visibleText(JSON.stringify(value, undefined, 2))} />
  const rows = Object.entries(value)
  if (rows.length === 0) return <Plain text={Array.isArray(value) ? 'empty list' : 'empty'} />
  return <Rows rows={rows} isList={Array.isArray(value)} depth={depth} />
}

interface RowsProps {
  readonly rows: readonly [string, unknown][]
  readonly isList: boolean
  readonly depth: number
}

function Rows({ rows, isList, depth }: RowsProps) {
  return (
    <table className="w-full">
      <tbody className="divide-y divide-line">
        {rows.map(([name, value]) => (
          <tr key={name} className="align-top">
            <th
              scope="row"
              className="w-px border-r border-line bg-sunken/60 px-2.5 py-1.5 text-left font-mono text-xs leading-5 font-medium text-muted"
            >
              {isList ? Number(name) + 1 : visibleText(name)}
            </th>
            <td className="p-0">
              <Value value={value} depth={depth + 1} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Plain({ text }: { readonly text: string }) {
  return <span className="block px-2.5 py-1.5 font-mono text-xs leading-5 text-muted">{text}</span>
}

const shownAtFirst = 600

/** Long texts are folded, never cut: an approver must be able to see all of it. */
function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(text.length <= shownAtFirst)
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
      </p>
      {!isWhole && (
        <button type="button" className="font-medium text-accent underline" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  )
}
