// The current view, from the fragment of the URL: the server never sees it, and a reload keeps it.
import { type RunStatus, runStatuses } from '@runwright/contract'
import { useSyncExternalStore } from 'react'

export interface RunFilter {
  readonly status?: RunStatus
  readonly awaitingInput?: true
  readonly workspaceId?: string
}

export type Route =
  | { readonly view: 'runs'; readonly filter: RunFilter }
  | { readonly view: 'run'; readonly id: string }
  | { readonly view: 'create' | 'usage' | 'system' | 'unknown' }

const isStatus = (word: string | null): word is RunStatus => (runStatuses as readonly (string | null)[]).includes(word)

const filterOf = (parameters: URLSearchParams): RunFilter => {
  const status = parameters.get('status')
  const workspaceId = parameters.get('workspace_id')
  return {
    ...(isStatus(status) && { status }),
    ...(parameters.get('awaiting_input') === 'true' && { awaitingInput: true }),
    ...(workspaceId && { workspaceId }),
  }
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const parseRoute = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [view, id] = path.split('/').map(decoded)
  if (view === '' || (view === 'runs' && !id)) return { view: 'runs', filter: filterOf(new URLSearchParams(query)) }
  if (view === 'runs' && id) return { view: 'run', id }
  if (view === 'create' || view === 'usage' || view === 'system') return { view }
  return { view: 'unknown' }
}

export const runsHash = ({ status, awaitingInput, workspaceId }: RunFilter = {}): string => {
  const parameters = new URLSearchParams({
    ...(status && { status }),
    ...(awaitingInput && { awaiting_input: 'true' }),
    ...(workspaceId && { workspace_id: workspaceId }),
  })
  return parameters.size > 0 ? `#/runs?${parameters}` : '#/runs'
}

export const runHash = (id: string): string => `#/runs/${encodeURIComponent(id)}`

export const viewHash = (view: 'create' | 'usage' | 'system'): string => `#/${view}`

export const goTo = (hash: string): void => {
  window.location.hash = hash
}

const subscribe = (onChange: () => void) => {
  window.addEventListener('hashchange', onChange)
  return () => window.removeEventListener('hashchange', onChange)
}

export const useRoute = (): Route => parseRoute(useSyncExternalStore(subscribe, () => window.location.hash))
