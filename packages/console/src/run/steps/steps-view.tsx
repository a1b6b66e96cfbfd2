// The steps of the run: at the left the tree with the times, at the right the chosen step. The choice is in the URL.
import { isTerminalStatus } from '@runwright/client'
import type { RunDetail } from '@runwright/contract'
import { useMemo } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import type { Card } from '../story/cards.ts'
import type { Story } from '../story/story.ts'
import { Decisions, DecisionsToGoOn } from './decisions.tsx'
import { PlanGraph } from './plan-graph.tsx'
import { detailId, StepDetail } from './step-detail.tsx'
import { firstChoice, stepRows } from './step-rows.ts'
import { type Choice, StepTree } from './step-tree.tsx'

export interface StepsSearch {
  readonly step?: string
  /** From 1. */
  readonly attempt?: string
  readonly graph?: 'yes'
}

interface StepsViewProps {
  readonly run: RunDetail
  readonly story: Story
  readonly cards: readonly Card[]
  readonly search: StepsSearch
  readonly onSearch: (search: StepsSearch) => void
}

/** On a narrow screen the chosen step is below the tree. */
const showDetail = () => {
  const detail = document.getElementById(detailId)
  detail?.scrollIntoView({ block: 'nearest' })
  detail?.focus({ preventScroll: true })
}

const choiceOf = ({ step, attempt }: StepsSearch, cards: readonly Card[]): Choice | undefined => {
  const card = cards.find(({ key }) => key === step)
  if (!card) return undefined
  const index = attempt === undefined ? undefined : Number(attempt) - 1
  return { key: card.key, attempt: index !== undefined && card.step?.attempts[index] ? index : undefined }
}

export function StepsView({ run, story, cards, search, onSearch }: StepsViewProps) {
  const rows = useMemo(() => stepRows(cards), [cards])
  if (cards.length === 0) return <NoSteps run={run} />
  const first = firstChoice(cards)
  const choice = choiceOf(search, cards) ?? (first && { key: first.key, attempt: undefined })
  const card = cards.find(({ key }) => key === choice?.key)
  // Between an end and a retry, or while it is stalled, nothing works: the line must not grow.
  const isLive = !isTerminalStatus(run.status) && run.status !== 'stalled'
  const isWorking = isLive && !run.awaiting_input
  const choose = ({ key, attempt }: Choice) => {
    onSearch({
      ...(search.graph && { graph: search.graph }),
      step: key,
      ...(attempt !== undefined && { attempt: String(attempt + 1) }),
    })
  }
  return (
    <div className="flex flex-col gap-4">
      <h2 className="sr-only">Steps</h2>
      <Plan run={run} cards={cards} search={search} chosen={choice?.key} onSearch={onSearch} onChoose={choose} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] xl:grid-cols-[26rem_minmax(0,1fr)]">
        <div className="min-w-0 lg:sticky lg:top-20">
          <StepTree
            rows={rows}
            chosen={choice}
            startedAt={story.startedAt ?? run.metadata.created_at}
            endedAt={isWorking ? undefined : (story.endedAt ?? story.lastAt ?? run.metadata.updated_at)}
            onChoose={(chosen) => {
              choose(chosen)
              requestAnimationFrame(showDetail)
            }}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {card && (
            <StepDetail
              card={card}
              span={rows.find((row) => row.card === card)?.spans.at(-1)}
              isLive={isWorking}
              attempt={choice?.attempt}
              onChooseAttempt={(attempt) => choose({ key: card.key, attempt })}
            />
          )}
          <Decisions decisions={story.decisions} />
          <DecisionsToGoOn decisions={story.steps.flatMap(({ decisions }) => decisions).concat(story.decisions)} />
        </div>
      </div>
    </div>
  )
}

/** A larger graph is drawn only when somebody asks for it: it has a node for each step. */
const mostShown = 30

interface PlanProps extends Pick<StepsViewProps, 'run' | 'cards' | 'search' | 'onSearch'> {
  readonly chosen: string | undefined
  readonly onChoose: (choice: Choice) => void
}

function Plan({ run, cards, search, chosen, onSearch, onChoose }: PlanProps) {
  if ((run.plan?.steps.length ?? 0) < 2) return null
  if (cards.length > mostShown && search.graph === undefined) {
    return (
      <Button className="self-start" onClick={() => onSearch({ ...search, graph: 'yes' })}>
        Show the plan as a graph
      </Button>
    )
  }
  const choose = (key: string) => {
    onChoose({ key, attempt: undefined })
    requestAnimationFrame(showDetail)
  }
  return <PlanGraph cards={cards} chosen={chosen} onChoose={choose} />
}

function NoSteps({ run }: { readonly run: RunDetail }) {
  if (run.status === 'queued') {
    return <EmptyState title="The run is queued. Its steps appear here as soon as it starts." />
  }
  return <EmptyState title={isTerminalStatus(run.status) ? 'The run did nothing.' : 'The first step has begun.'} />
}
