// The entries of the palette: pages, actions, agents and tools of this service, what the customer has set up, and runs
// by id or title.
import { visibleText } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useSettled } from '../../parts/use-settled.ts'
import { runName } from '../../runs/run-name.tsx'
import { type SavedView, useSavedViews } from '../../runs/saved-views.ts'
import { useSession } from '../../session/session.ts'
import { density, switchDensity } from '../density.ts'
import { destinations } from '../destinations.ts'
import { openShortcutHelp } from '../shortcut-help.tsx'
import { theme, themes } from '../theme.ts'
import { grouped, matching, type PaletteEntry } from './entries.ts'
import { useSetUp } from './use-set-up.ts'

const foundRuns = 8

type Navigate = ReturnType<typeof useNavigate>

const pages = (navigate: Navigate): readonly PaletteEntry[] =>
  destinations.map(({ name, to }) => ({ id: to, group: 'Pages', name, open: () => void navigate({ to }) }))

const viewEntries = (views: readonly SavedView[], navigate: Navigate): readonly PaletteEntry[] =>
  views.map(({ name, filter }) => ({
    id: name,
    group: 'Saved views',
    name: visibleText(name),
    open: () => void navigate({ to: '/runs', search: filter }),
  }))

const actions = (navigate: Navigate): readonly PaletteEntry[] => {
  const action = (name: string, open: () => void): PaletteEntry => ({ id: name, group: 'Actions', name, open })
  const to = { create: '/create', schedule: '/schedules/create' } as const
  return [
    action('Create a run', () => void navigate({ to: to.create })),
    action('Create a schedule', () => void navigate({ to: to.schedule })),
    action('Show what awaits my decision', () => void navigate({ to: '/inbox', search: { assigned: 'me' } })),
    action(
      'Show failed runs of the last 24 hours',
      () => void navigate({ to: '/runs', search: { status: 'failed', period: '24h' } }),
    ),
    action(density.get() === 'compact' ? 'Use comfortable lines' : 'Use compact lines', switchDensity),
    ...themes
      .filter((name) => name !== theme.get())
      .map((name) =>
        action(`Use the ${name === 'system' ? 'theme of the system' : `${name} theme`}`, () => theme.choose(name)),
      ),
    action('Show the shortcuts', openShortcutHelp),
  ]
}

const useNamed = (navigate: Navigate): readonly PaletteEntry[] => {
  const { client, can } = useSession()
  const enabled = can('runs:read')
  const agents = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => client.agents.list({ signal }),
    enabled,
  })
  const tools = useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => client.tools.list({ signal }),
    staleTime: 60_000,
    enabled,
  })
  return [
    ...(agents.data?.agents ?? []).map(({ name, description }) => ({
      id: `agent ${name}`,
      group: 'Agents',
      name: `Runs of ${visibleText(name)}`,
      note: visibleText(description),
      open: () => void navigate({ to: '/runs', search: { agent: name } }),
    })),
    ...(tools.data?.tools ?? []).map(({ name, description }) => ({
      id: `tool ${name}`,
      group: 'Tools',
      name: `Try ${visibleText(name)}`,
      note: visibleText(description ?? ''),
      open: () => void navigate({ to: '/tools/$toolName', params: { toolName: name } }),
    })),
  ]
}

/** A pasted id needs no search. */
const runId = /^run_[\w-]{8,60}$/

const useRuns = (text: string, navigate: Navigate) => {
  const { client, can } = useSession()
  const settled = useSettled(text.trim())
  const enabled = settled.length > 1 && settled.length <= 200 && can('runs:read')
  const { data, isFetching, error } = useQuery({
    queryKey: ['palette-runs', settled],
    queryFn: ({ signal }) => client.runs.list({ q: settled, limit: foundRuns, include: ['title'] }, { signal }),
    enabled,
  })
  const open = (id: string) => () => void navigate({ to: '/runs/$runId', params: { runId: id } })
  const pasted = text.trim()
  const found = (enabled ? (data?.runs ?? []) : []).map((run) => ({
    id: run.id,
    group: 'Runs',
    name: runName(run),
    note: run.title ? run.id : undefined,
    open: open(run.id),
  }))
  const isMissing = runId.test(pasted) && !found.some(({ id }) => id === pasted)
  return {
    entries: isMissing ? [{ id: pasted, group: 'Runs', name: pasted, open: open(pasted) }, ...found] : found,
    isSearching: isFetching || settled !== text.trim(),
    error,
  }
}

export const useEntries = (text: string) => {
  const navigate = useNavigate()
  const named = useNamed(navigate)
  const { entries: runs, isSearching, error } = useRuns(text, navigate)
  const { views } = useSavedViews()
  const setUp = useSetUp()
  const fixed = [...pages(navigate), ...viewEntries(views, navigate), ...actions(navigate), ...named]
  // These can be many: they are shown once somebody types.
  const all = text.trim() === '' ? fixed : [...fixed, ...setUp]
  const isRun = runId.test(text.trim())
  const matched = matching(all, text)
  // The service has matched the runs.
  return { entries: isRun ? runs : [...grouped(matched), ...runs], isSearching, error }
}
