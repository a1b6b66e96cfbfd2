// The tree of steps with the waterfall beside it. Only the rows in view are on the page.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import { readableDuration } from '../../parts/values/readable.ts'
import { useNow } from '../../parts/values/use-now.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import type { Span } from '../story/spans.ts'
import { type TimeScale, timeScale } from '../story/time-scale.ts'
import { stateFills, stateWord } from './card-state.tsx'
import type { StepRow } from './step-rows.ts'

const rowHeight = 34
const mostHeight = 640

export interface Choice {
  readonly key: string
  readonly attempt: number | undefined
}

interface StepTreeProps {
  readonly rows: readonly StepRow[]
  readonly chosen: Choice | undefined
  readonly startedAt: string
  /** Undefined while something works. */
  readonly endedAt: string | undefined
  readonly onChoose: (choice: Choice) => void
}

const isChosen = ({ card, attempt }: StepRow, chosen: Choice | undefined) =>
  card.key === chosen?.key && attempt === chosen.attempt

/** A wait for a person is no work: it is cut out of the axis. */
const busyOf = (rows: readonly StepRow[], now: number) =>
  rows.flatMap(({ card, attempt, spans }) =>
    attempt !== undefined || card.kind === 'gate' ? [] : spans.map(({ from, to }) => ({ from, to: to ?? now })),
  )

const useScale = ({ rows, startedAt, endedAt }: StepTreeProps) => {
  const now = useNow(endedAt === undefined ? 1_000 : null)
  return useMemo(() => {
    const busy = busyOf(rows, endedAt === undefined ? now : Date.parse(endedAt))
    const from = Math.min(Date.parse(startedAt), ...busy.map((one) => one.from))
    const to = Math.max(from + 1, endedAt === undefined ? now : Date.parse(endedAt), ...busy.map((one) => one.to))
    return { scale: timeScale(busy, { from, to }), end: to }
  }, [rows, startedAt, endedAt, now])
}

export function StepTree(props: StepTreeProps) {
  const { rows, chosen, onChoose } = props
  const scroller = useRef<HTMLElement>(null)
  const { scale, end } = useScale(props)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    initialRect: { width: 0, height: mostHeight },
  })
  const at = rows.findIndex((row) => isChosen(row, chosen))
  useEffect(() => {
    if (at >= 0) list.scrollToIndex(at)
  }, [at, list])
  const move = (by: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, at + by))]
    if (row) onChoose({ key: row.card.key, attempt: row.attempt })
  }
  useShortcut('j', 'Next step', () => move(1))
  useShortcut('k', 'Previous step', () => move(-1))
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border border-line bg-surface">
      <Axis scale={scale} />
      <section
        ref={scroller}
        aria-label="Steps of the run"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the list must be scrollable by keyboard.
        tabIndex={0}
        className="overflow-y-auto -outline-offset-2"
        style={{ height: Math.min(mostHeight, rows.length * rowHeight), maxHeight: '70dvh' }}
      >
        <ol className="relative w-full" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]
            return (
              row && (
                <TreeRow
                  key={`${row.card.key} ${row.attempt ?? ''}`}
                  row={row}
                  start={start}
                  position={{ index, count: rows.length }}
                  isChosen={isChosen(row, chosen)}
                  scale={scale}
                  end={end}
                  onChoose={onChoose}
                />
              )
            )
          })}
        </ol>
      </section>
    </div>
  )
}

/** The length of the work; cuts are gaps in which nothing worked. */
function Axis({ scale: { length, cuts } }: { readonly scale: TimeScale }) {
  return (
    <p className="flex justify-between gap-3 border-b border-line px-3 py-1.5 text-xs text-muted tabular-nums">
      <span>{readableDuration(length)} of work</span>
      {cuts.length > 0 && (
        <span>
          {cuts.length === 1 ? 'a pause' : `${cuts.length} pauses`} of{' '}
          {readableDuration(cuts.reduce((sum, { from, to }) => sum + to - from, 0))} cut out
        </span>
      )}
    </p>
  )
}

interface TreeRowProps {
  readonly row: StepRow
  readonly start: number
  readonly position: { readonly index: number; readonly count: number }
  readonly isChosen: boolean
  readonly scale: TimeScale
  /** When what still works is drawn to. */
  readonly end: number
  readonly onChoose: (choice: Choice) => void
}

const attemptFill = ({ card, attempt }: StepRow) => {
  const count = card.step?.attempts.length ?? 1
  return attempt === count - 1 ? stateFills[card.state] : 'bg-bad'
}

function TreeRow({ row, start, position, isChosen: isCurrent, scale, end, onChoose }: TreeRowProps) {
  const { card, attempt, spans } = row
  const last = spans.at(-1)
  const length = last && readableDuration(Math.max(0, (last.to ?? end) - last.from))
  return (
    <li
      aria-setsize={position.count}
      aria-posinset={position.index + 1}
      className="absolute inset-x-0 top-0 border-b border-line"
      style={{ transform: `translateY(${start}px)`, height: rowHeight }}
    >
      <button
        type="button"
        aria-current={isCurrent}
        data-step={card.key}
        onClick={() => onChoose({ key: card.key, attempt })}
        className="grid h-full w-full grid-cols-[minmax(0,1fr)_38%_3.75rem] items-center gap-2 px-3 text-left text-sm -outline-offset-2 hover:bg-sunken/60 aria-[current=true]:bg-accent/10 aria-[current=true]:shadow-marked"
      >
        <span className={`flex min-w-0 items-center gap-2 ${attempt === undefined ? '' : 'pl-4 text-muted'}`}>
          <span
            aria-hidden="true"
            className={`size-2 shrink-0 rounded-full ${attempt === undefined ? stateFills[card.state] : attemptFill(row)}`}
          />
          <span className="truncate">{attempt === undefined ? card.title : `Attempt ${attempt + 1}`}</span>
          {attempt === undefined && <span className="sr-only">, {stateWord(card.state)}</span>}
        </span>
        <Bars row={row} scale={scale} end={end} />
        <span className="text-right text-xs text-muted tabular-nums">{length}</span>
      </button>
    </li>
  )
}

/** The least width of a bar, in percent: a short step must stay visible. */
const leastWidth = 0.8

const placeOf = ({ from, to }: Span, { scale, end }: { scale: TimeScale; end: number }) => {
  const left = scale.at(from) * 100
  const width = Math.max(leastWidth, scale.at(to ?? end) * 100 - left)
  return { left: `${Math.min(left, 100 - leastWidth)}%`, width: `${width}%` }
}

/** An earlier attempt has failed; a wait for a person is not work. */
const fillOf = (row: StepRow, index: number) => {
  if (row.card.kind === 'gate') return 'bg-warn/45'
  if (row.attempt !== undefined) return attemptFill(row)
  return index === row.spans.length - 1 ? stateFills[row.card.state] : 'bg-bad/60'
}

function Bars({ row, scale, end }: { readonly row: StepRow; readonly scale: TimeScale; readonly end: number }) {
  return (
    <span aria-hidden="true" className="relative block h-4 border-l border-line">
      {scale.cuts.map((cut) => (
        <span
          key={cut.from}
          className="absolute inset-y-0 w-px border-l border-dashed border-edge/50"
          style={{ left: `${cut.at * 100}%` }}
        />
      ))}
      {row.spans.map((span, index) => (
        <span
          key={span.from}
          data-span={row.attempt === undefined ? row.card.key : undefined}
          className={`absolute top-0.5 h-3 rounded-sm ${fillOf(row, index)}`}
          style={placeOf(span, { scale, end })}
        />
      ))}
    </span>
  )
}
