// Compares two runs side by side: facts, cost, plan, steps, turns and result.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Problem } from '../parts/errors/problem.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { type Pair, readCompared } from './compared-run.ts'
import { FactsTable } from './facts-table.tsx'
import { RunPicker } from './run-picker.tsx'
import { StepsTable } from './steps-table.tsx'
import { TurnsSideBySide } from './turns-side-by-side.tsx'
import { ValueDiff } from './value-diff.tsx'

const route = getRouteApi('/compare')

export function CompareView() {
  const { can } = useSession()
  return (
    <Page title="Compare two runs">
      {can('runs:read') ? <Compare /> : <MissingScope scope="runs:read" allows="read runs" />}
    </Page>
  )
}

const useCompared = (id: string | undefined) => {
  const { client } = useSession()
  return useQuery({
    queryKey: ['compared', id],
    queryFn: ({ signal }) => readCompared(client, id ?? '', signal),
    enabled: id !== undefined,
  })
}

function Compare() {
  const search = route.useSearch()
  const left = useCompared(search.left)
  const right = useCompared(search.right)
  const error = left.error ?? right.error
  return (
    <>
      <RunPicker search={search} />
      {error && <Problem error={error} onRetry={() => void Promise.all([left.refetch(), right.refetch()])} />}
      {(left.isLoading || right.isLoading) && <Loading what="the runs" />}
      {left.data && right.data && <Comparison left={left.data} right={right.data} />}
    </>
  )
}

function Comparison({ left, right }: Pair) {
  const search = route.useSearch()
  const navigate = useNavigate()
  const choose = (turn: string) => void navigate({ to: '/compare', search: { ...search, turn }, replace: true })
  return (
    <>
      <FactsTable left={left} right={right} />
      <ValueDiff title="Plan" left={left.run.plan} right={right.run.plan} />
      <StepsTable left={left} right={right} />
      <TurnsSideBySide left={left} right={right} chosen={search.turn} onChoose={choose} />
      <ValueDiff
        title="Result"
        left={left.run.event_payload.value ?? left.run.failure}
        right={right.run.event_payload.value ?? right.run.failure}
      />
    </>
  )
}
