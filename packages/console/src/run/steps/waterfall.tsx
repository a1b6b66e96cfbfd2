// When each step worked, on one time line. Steps side by side stand side by side.
import { readableDuration } from '../../parts/values/readable.ts'
import { useNow } from '../../parts/values/use-now.ts'
import type { Span, SpanRow } from '../story/spans.ts'
import { stateFills, stateWord } from './card-state.tsx'

interface WaterfallProps {
  readonly rows: readonly SpanRow[]
  readonly startedAt: string
  /** Undefined while the run goes on. */
  readonly endedAt: string | undefined
  readonly onChoose: (key: string) => void
}

interface Scale {
  readonly from: number
  readonly to: number
}

/** The least width of a bar, in percent: a short step must stay visible. */
const leastWidth = 0.4

const place = ({ from, to = Number.POSITIVE_INFINITY }: Span, scale: Scale) => {
  const length = scale.to - scale.from
  const left = ((Math.max(from, scale.from) - scale.from) / length) * 100
  const width = ((Math.min(to, scale.to) - Math.max(from, scale.from)) / length) * 100
  return { left: `${Math.min(left, 100 - leastWidth)}%`, width: `${Math.max(leastWidth, width)}%` }
}

/** An earlier attempt has failed; a wait for a person is not work. */
const fillOf = (card: SpanRow['card'], isLast: boolean) => {
  if (card.kind === 'gate') return 'bg-warn/45'
  return isLast ? stateFills[card.state] : 'bg-bad/60'
}

const lengthOf = ({ from, to }: Span, scale: Scale) => readableDuration(Math.max(0, (to ?? scale.to) - from))

export function Waterfall({ rows, startedAt, endedAt, onChoose }: WaterfallProps) {
  const now = useNow(endedAt === undefined ? 500 : null)
  const from = Math.min(Date.parse(startedAt), ...rows.flatMap(({ spans }) => spans.map((span) => span.from)))
  const end = endedAt === undefined ? now : Date.parse(endedAt)
  const scale = { from, to: Math.max(from + 1, end, ...rows.flatMap(({ spans }) => spans.map(({ to = 0 }) => to))) }
  return (
    <figure className="flex flex-col gap-1">
      <figcaption className="sr-only">When each step worked</figcaption>
      <div aria-hidden="true" className="ml-[30%] flex justify-between text-xs text-muted tabular-nums sm:ml-44">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share}>{readableDuration(share * (scale.to - scale.from))}</span>
        ))}
      </div>
      <ol aria-label="Waterfall" className="flex flex-col">
        {rows.map((row) => (
          <WaterfallRow key={row.card.key} row={row} scale={scale} onChoose={onChoose} />
        ))}
      </ol>
    </figure>
  )
}

interface WaterfallRowProps {
  readonly row: SpanRow
  readonly scale: Scale
  readonly onChoose: (key: string) => void
}

function WaterfallRow({ row: { card, spans, calls }, scale, onChoose }: WaterfallRowProps) {
  const last = spans.at(-1)
  return (
    <li className="grid grid-cols-[30%_1fr] items-center sm:grid-cols-[11rem_1fr]">
      <button
        type="button"
        className="truncate rounded py-1 pr-3 text-left text-sm hover:text-accent"
        onClick={() => onChoose(card.key)}
      >
        {card.title}
        <span className="sr-only">
          , {stateWord(card.state)}
          {last && `, ${lengthOf(last, scale)}`}
        </span>
      </button>
      <div
        aria-hidden="true"
        className="relative h-6 border-l border-line bg-[linear-gradient(to_right,var(--color-line)_1px,transparent_1px)] bg-[length:25%_100%]"
      >
        {spans.map((span, index) => (
          <div
            key={span.from}
            data-span={card.key}
            title={`${card.title}: ${lengthOf(span, scale)}`}
            className={`absolute top-1 h-4 rounded-sm ${fillOf(card, index === spans.length - 1)}`}
            style={place(span, scale)}
          />
        ))}
        {calls.map((call) => (
          <div
            key={call.from}
            title={`${call.name}: ${lengthOf(call, scale)}`}
            className="absolute top-4 h-1 rounded-sm bg-ink/60"
            style={place(call, scale)}
          />
        ))}
      </div>
    </li>
  )
}
