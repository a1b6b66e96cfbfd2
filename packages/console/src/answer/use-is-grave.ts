// Whether an answer that lets the call be made needs a chord or a hold: the call must not be repeated, or it sends data
// out. What is not known counts as grave.
import type { AwaitingInput, Tool } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'

export const useTools = () => {
  const { client } = useSession()
  return useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => client.tools.list({ signal }),
    staleTime: 60_000,
  })
}

export const isGraveTool = (tool: Tool | undefined): boolean =>
  !tool || (tool.effect !== 'read' && tool.effect !== 'idempotent') || (tool.exposure?.sends_out ?? true)

/** Whether one of the tools is. */
export const useAreGrave = (tools: readonly string[]): boolean => {
  const { data } = useTools()
  return tools.some((tool) => isGraveTool(data?.tools.find(({ name }) => name === tool)))
}

export const useIsGrave = ({ tool }: Pick<AwaitingInput, 'tool'>): boolean => useAreGrave(tool === null ? [] : [tool])
