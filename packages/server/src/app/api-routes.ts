// The routes of the API, and what each group of them is made of.
import type { FastifyInstance } from 'fastify'
import type { Authenticator } from '../access/authenticator.ts'
import type { CurrentAgents } from '../agents/definitions/agent-set.ts'
import type { KnownTools } from '../domain/plan/plan.ts'
import { agentHandlers } from '../http/routes/agents.ts'
import { auditHandlers } from '../http/routes/audit.ts'
import { budgetHandlers } from '../http/routes/budgets.ts'
import { decisionLinkHandlers } from '../http/routes/decision-links.ts'
import { eventHandlers } from '../http/routes/events.ts'
import { keyHandlers } from '../http/routes/keys.ts'
import { memoryHandlers } from '../http/routes/memory.ts'
import { runCommandHandlers } from '../http/routes/run-commands.ts'
import { runHandlers } from '../http/routes/runs.ts'
import { scheduleHandlers } from '../http/routes/schedules.ts'
import { tokenHandlers } from '../http/routes/tokens.ts'
import { toolHandlers } from '../http/routes/tools.ts'
import { turnHandlers } from '../http/routes/turns.ts'
import { usageHandlers } from '../http/routes/usage.ts'
import { webhookHandlers } from '../http/routes/webhooks.ts'
import type { Gate } from '../http/server/admission/admission.ts'
import { mountRoutes } from '../http/server/mount-routes.ts'
import type { EventWaits } from '../http/streams/event-waits.ts'
import type { Database } from '../store/postgres/database.ts'
import type { RunCreator } from '../store/run-log/run-creator.ts'
import { endpointRules } from '../tools/http-fetch/endpoint-rules.ts'
import type { InstalledTools } from '../tools/installed-tools.ts'
import type { Core } from './core.ts'
import { creationIn } from './creation.ts'
import { decisionsIn } from './decisions.ts'

interface Mounting {
  readonly core: Core
  readonly reads: Database
  readonly creator: RunCreator
  readonly authenticator: Authenticator
  readonly gate: Gate
  readonly knownTools: KnownTools
  readonly tools: InstalledTools
  readonly agents: CurrentAgents
  readonly waits: EventWaits
}

export function mountApiRoutes(http: FastifyInstance, mounting: Mounting): void {
  const { core, reads, creator, authenticator, gate, knownTools, tools, agents, waits } = mounting
  const { settings, secrets, keys, database, logger } = core
  const { hashBody, keyring } = keys
  const creation = creationIn(core, creator, { knownTools, agents })
  mountRoutes(
    http,
    { gate, logger },
    {
      ...runHandlers(
        { one: { database, keys, agents }, many: { database: reads, keys, agents } },
        { ...creation, database, keys },
      ),
      ...scheduleHandlers({ database, reads, keyring, intake: creation, hashBody }),
      ...runCommandHandlers({ ...decisionsIn(core), announce: core.announce }),
      ...agentHandlers(agents),
      ...toolHandlers(tools),
      ...eventHandlers(waits),
      ...turnHandlers(reads),
      ...usageHandlers({ database: reads }),
      ...budgetHandlers({ database, reads, onChanged: core.announceBudgets }),
      ...memoryHandlers({ reads, database }),
      ...keyHandlers({ database, authenticator, keyPepper: secrets.keyPepper, hashBody }),
      ...decisionLinkHandlers({ database, keyPepper: secrets.keyPepper, settings: settings.http }),
      ...tokenHandlers({ database, authenticator }),
      ...webhookHandlers({
        database,
        reads,
        keyring,
        keyPepper: secrets.keyPepper,
        hashBody,
        rules: endpointRules(settings.webhooks.privateAddresses),
        onDeliveries: core.announceDeliveries,
      }),
      ...auditHandlers(reads),
    },
  )
}
