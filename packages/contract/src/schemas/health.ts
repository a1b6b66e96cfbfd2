// Health probes on the wire. A 503 has the error envelope beside its own fields.
import { z } from 'zod'
import { errorSchema } from './errors.ts'
import { instant, openEnum } from './wire.ts'

const dependencyStatus = openEnum(['ok', 'down'])

export const liveSchema = z.object({ status: z.literal('ok') }).meta({ id: 'Live' })
export const readySchema = z.object({ status: openEnum(['ok', 'unavailable']) }).meta({ id: 'Ready' })
export const notReadySchema = errorSchema.extend({ status: z.literal('unavailable') }).meta({ id: 'NotReady' })

export const dependenciesSchema = z
  .object({
    status: dependencyStatus,
    checked_at: instant,
    dependencies: z.object({
      database: z.object({
        status: dependencyStatus,
        latency_ms: z.number().nullable(),
        engine: z.string(),
        version: z.string().nullable(),
      }),
      queue: z.object({
        status: dependencyStatus,
        latency_ms: z.number().nullable(),
        depth: z.int().nullable().describe('Queued runs. Counted up to 10,001, which means more than 10,000'),
        oldest_seconds: z.number().nullable().describe('How long the oldest of the counted runs has been queued'),
        workers: z.int().nullable().describe('Processes that execute runs'),
        places: z.int().nullable().optional().describe('How many runs these processes can execute at the same time'),
        busy_places: z
          .int()
          .nullable()
          .optional()
          .describe('How many they execute now. Counted up to 10,001, which means more than 10,000'),
      }),
    }),
    version: z.string().optional().describe('The version of the service. Only with a key'),
    node_version: z.string().optional().describe('The version of Node.js that executes it. Only with a key'),
    held_snapshot_seconds: z
      .int()
      .optional()
      .describe(
        'For how long a transaction has held a snapshot of the database. Only if that is more than five minutes',
      ),
    breakers: z
      .array(z.object({ model: z.string(), failures: z.int(), retry_in_seconds: z.number() }))
      .optional()
      .describe('Models that are not called for a while because they failed several times in a row. Only with a key'),
    mcp_servers: z
      .array(
        z.object({
          server: z.string(),
          worker_id: z.string().describe('As `worker` in the log'),
          connected: z.boolean(),
          tools: z.int().describe('How many tools of the server its runs can use, or could when it was last connected'),
        }),
      )
      .optional()
      .describe('The MCP servers of each process that executes runs. Only with a key'),
    mcp_changes: z
      .array(z.object({ server: z.string(), tool: z.string(), changed_at: instant }))
      .optional()
      .describe(
        'Tools of MCP servers whose definition differs from the one first seen or last accepted. Only with a key',
      ),
  })
  .meta({ id: 'Dependencies' })
export const dependenciesDownSchema = dependenciesSchema.extend(errorSchema.shape).meta({ id: 'DependenciesDown' })
export type Dependencies = z.infer<typeof dependenciesSchema>
