// The list of agents over HTTP.
import type { Agent as AgentView } from '@runwright/contract'
import type { Agent, CurrentAgents } from '../../agents/definitions/agent-set.ts'
import type { Handlers } from '../server/response/handler.ts'

export const agentHandlers = (agents: CurrentAgents): Pick<Handlers, 'listAgents'> => ({
  listAgents: async ({ requestId }) => ({
    body: { agents: (agents.current?.agents ?? []).map(viewOf), request_id: requestId },
  }),
})

/** Without the instructions, which are the operator's. */
const viewOf = ({ name, description, hash, model, tools, judge, maxTurns, outputSchema }: Agent): AgentView => ({
  name,
  description,
  hash,
  model: model ?? null,
  tools: tools ? [...tools] : null,
  judge,
  max_turns: maxTurns ?? null,
  output_schema: outputSchema ?? null,
})
