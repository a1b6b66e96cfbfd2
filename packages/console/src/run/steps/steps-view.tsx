// The steps of the run: the plan as a graph, the waterfall, and a card for each step.
import { isTerminalStatus } from '@runwright/client'
import type { RunDetail } from '@runwright/contract'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import type { Card } from '../story/cards.ts'
import { type SpanRow, spanRows } from '../story/spans.ts'
import type { Story } from '../story/story.ts'
import { Decisions, DecisionsToGoOn } from './decisions.tsx'
import { PlanGraph } from './plan-graph.tsx'
import { cardId, StepCard } from './step-card.tsx'
import { Waterfall } from './waterfall.tsx'

interface StepsViewProps {
  readonly run: RunDetail
  readonly story: Story
  readonly cards: readonly Card[]
}

const showCard = (key: string) => {
  const card = document.getElementById(cardId(key))
  card?.scrollIntoView({ block: 'start' })
  card?.focus({ preventScroll: true })
}

export function StepsView({ run, story, cards }: StepsViewProps) {
  if (cards.length === 0) return <NoSteps run={run} />
  const rows = spanRows(cards)
  const spans = new Map(rows.map((row) => [row.card.key, row.spans.at(-1)]))
  return (
    <div className="flex flex-col gap-4">
      <h2 className="sr-only">Steps</h2>
      <Overview run={run} story={story} cards={cards} rows={rows} />
      {cards.map((card) => (
        <StepCard key={card.key} card={card} span={spans.get(card.key)} />
      ))}
      <Decisions decisions={story.decisions} />
      <DecisionsToGoOn decisions={story.steps.flatMap(({ decisions }) => decisions).concat(story.decisions)} />
    </div>
  )
}

interface OverviewProps extends StepsViewProps {
  readonly rows: readonly SpanRow[]
}

function Overview({ run, story, cards, rows }: OverviewProps) {
  const hasPlan = (run.plan?.steps.length ?? 0) > 1
  if (cards.length < 2) return null
  // Between an end and a retry, or while it waits, nothing works: the line must not grow.
  const isOver = isTerminalStatus(run.status)
  return (
    <Panel title={hasPlan ? 'Plan' : 'Time'}>
      <div className="flex flex-col gap-4">
        {hasPlan && <PlanGraph cards={cards} onChoose={showCard} />}
        {rows.length > 0 && story.startedAt !== undefined && (
          <Waterfall
            rows={rows}
            startedAt={story.startedAt}
            endedAt={isOver ? (story.endedAt ?? story.lastAt) : undefined}
            onChoose={showCard}
          />
        )}
      </div>
    </Panel>
  )
}

function NoSteps({ run }: { readonly run: RunDetail }) {
  if (run.status === 'queued') {
    return <EmptyState title="The run is queued. Its steps appear here as soon as it starts." />
  }
  return <EmptyState title={isTerminalStatus(run.status) ? 'The run did nothing.' : 'The first step has begun.'} />
}
