// The plan as a graph with the current state of each step. The nodes are buttons that lead to the cards; the lines are
// drawn behind them.
import { useEffect, useRef } from 'react'
import type { Card } from '../story/cards.ts'
import { layOut, type PlacedCard } from '../story/layers.ts'
import { stateFills, stateWord } from './card-state.tsx'

const nodeWidth = 152
const nodeHeight = 44
const gapX = 44
const gapY = 14

const leftOf = ({ column }: PlacedCard) => column * (nodeWidth + gapX)
const topOf = ({ row }: PlacedCard) => row * (nodeHeight + gapY)

const lineOf = (from: PlacedCard, to: PlacedCard): string => {
  const x1 = leftOf(from) + nodeWidth
  const y1 = topOf(from) + nodeHeight / 2
  const x2 = leftOf(to)
  const y2 = topOf(to) + nodeHeight / 2
  const bend = Math.max(gapX / 2, (x2 - x1) / 2)
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

/** Scrolls the graph sideways only: the page stays where it is. */
function bringIntoView(section: HTMLElement | null, chosen: string | undefined): void {
  const node = [...(section?.querySelectorAll<HTMLElement>('[data-key]') ?? [])].find(
    ({ dataset }) => dataset.key === chosen,
  )
  if (!section || !node) return
  const isInView =
    node.offsetLeft >= section.scrollLeft && node.offsetLeft + nodeWidth <= section.scrollLeft + section.clientWidth
  if (!isInView) section.scrollLeft = node.offsetLeft - (section.clientWidth - nodeWidth) / 2
}

interface PlanGraphProps {
  readonly cards: readonly Card[]
  /** The key of the chosen card. */
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
}

export function PlanGraph({ cards, chosen, onChoose }: PlanGraphProps) {
  const section = useRef<HTMLElement>(null)
  useEffect(() => bringIntoView(section.current, chosen), [chosen])
  const { placed, edges, columns, rows } = layOut(cards)
  const width = columns * (nodeWidth + gapX) - gapX
  const height = rows * (nodeHeight + gapY) - gapY
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide graph must be scrollable by keyboard.
    <section ref={section} aria-label="Graph of the plan" tabIndex={0} className="overflow-x-auto p-1">
      <div className="relative" style={{ width, height }}>
        <svg aria-hidden="true" width={width} height={height} className="absolute inset-0">
          {edges.map(({ from, to }) => (
            <path
              key={`${from.card.key} ${to.card.key}`}
              d={lineOf(from, to)}
              fill="none"
              strokeWidth="1.5"
              className={
                from.card.state === 'succeeded' || from.card.state === 'kept' ? 'stroke-good' : 'stroke-edge/60'
              }
            />
          ))}
        </svg>
        {placed.map((place) => (
          <button
            key={place.card.key}
            type="button"
            data-key={place.card.key}
            aria-current={place.card.key === chosen}
            onClick={() => onChoose(place.card.key)}
            className="absolute flex items-center gap-2 rounded-md border border-edge/60 bg-surface px-2.5 text-left hover:border-accent aria-[current=true]:border-accent aria-[current=true]:shadow-marked"
            style={{ left: leftOf(place), top: topOf(place), width: nodeWidth, height: nodeHeight }}
          >
            <span aria-hidden="true" className={`size-2.5 shrink-0 rounded-full ${stateFills[place.card.state]}`} />
            <span className="flex min-w-0 flex-col">
              <span className="truncate text-sm leading-tight font-medium">{place.card.title}</span>
              <span className="text-xs leading-tight text-muted">{stateWord(place.card.state)}</span>
            </span>
          </button>
        ))}
      </div>
    </section>
  )
}
