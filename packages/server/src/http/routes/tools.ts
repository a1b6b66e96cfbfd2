// The list of tools over HTTP.
import type { ToolExposure, Tool as ToolView } from '@runwright/contract'
import type { InstalledTool, InstalledTools } from '../../tools/installed-tools.ts'
import type { Exposure } from '../../tools/port/tool.ts'
import type { Handlers } from '../server/response/handler.ts'

export const toolHandlers = (tools: Pick<InstalledTools, 'list'>): Pick<Handlers, 'listTools'> => ({
  listTools: async ({ principal, requestId }) => {
    const installed = await tools.list(principal.customerId)
    return { body: { tools: installed.map(viewOf), request_id: requestId } }
  },
})

const viewOf = ({ name, description, source, inputSchema, effect, exposure, policy }: InstalledTool): ToolView => ({
  name,
  description,
  source: source.kind,
  file: source.kind === 'own' ? (source.file ?? null) : null,
  server: source.kind === 'mcp' ? source.server : null,
  input_schema: inputSchema,
  effect: effect ?? null,
  exposure: exposure ? viewOfExposure(exposure) : null,
  policy,
})

const viewOfExposure = ({ readsPrivate, takesUntrusted, sendsOut }: Exposure): ToolExposure => ({
  reads_private: readsPrivate === true,
  takes_untrusted: takesUntrusted === true,
  sends_out: sendsOut === true,
})
