// The tools of the service, for the arguments of tool steps.
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../session/session.ts'

/** Undefined as long as they are not known. */
export const useTools = () => {
  const { client, can } = useSession()
  return useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => client.tools.list({ signal }),
    enabled: can('runs:read'),
  }).data?.tools
}
