// The tools of MCP servers: hashes of the definition that was first seen or last accepted and of one that differs from
// it, and the definition that the server lists now.
import type { Database } from '../postgres/database.ts'

export interface ToolDefinition {
  readonly tool: string
  readonly hash: string
  /** As the server lists it; JSON. */
  readonly definition: object
}

export interface ChangedTool {
  readonly server: string
  readonly tool: string
  readonly changedAt: Date
}

export interface ListedDefinitions {
  readonly server: string
  readonly tools: readonly ToolDefinition[]
  /** Whether a tool that the server adds after its first list has to be accepted. */
  readonly refusesNew: boolean
}

/**
 * Records what a server lists now. Returns the names of tools whose definition differs from the accepted one, and of
 * new ones that have to be accepted: their accepted hash is empty.
 */
export async function recordDefinitions(
  database: Database,
  { server, tools: listed, refusesNew }: ListedDefinitions,
): Promise<string[]> {
  const values = [server, listed.map(({ tool }) => tool), listed.map(({ hash }) => hash)]
  await database.query({
    text: `
insert into mcp_tools (server, tool, hash, changed_hash, changed_at, definition)
select $1, tool,
  case when is_late then '' else hash end,
  case when is_late then hash end,
  case when is_late then clock_timestamp() end,
  definition::json
from unnest($2::text[], $3::text[], $4::text[]) as listed(tool, hash, definition)
cross join (select $5::boolean and exists (select from mcp_tools where server = $1) as is_late) late
order by tool
on conflict (server, tool) do update
set changed_hash = nullif(coalesce(excluded.changed_hash, excluded.hash), mcp_tools.hash),
  changed_at = case coalesce(excluded.changed_hash, excluded.hash)
    when mcp_tools.hash then null
    when mcp_tools.changed_hash then mcp_tools.changed_at
    else clock_timestamp()
  end,
  definition = excluded.definition
where mcp_tools.changed_hash is distinct from nullif(coalesce(excluded.changed_hash, excluded.hash), mcp_tools.hash)
  or mcp_tools.definition::text is distinct from excluded.definition::text`,
    values: [...values, listed.map(({ definition }) => JSON.stringify(definition)), refusesNew],
  })
  await forgetUnlisted(database, server, listed)
  // By the listed hash and not by `changed_hash`: another host may have a server of another version.
  const rows = await database.query<{ tool: string }>({
    text: `
select tool
from mcp_tools
join unnest($2::text[], $3::text[]) as listed(tool, hash) using (tool)
where server = $1
  and mcp_tools.hash <> listed.hash
order by tool`,
    values,
  })
  return rows.map(({ tool }) => tool)
}

/** In order, as the insert locks them: another process may record the same server. */
async function forgetUnlisted(database: Database, server: string, listed: readonly ToolDefinition[]): Promise<void> {
  await database.query({
    text: `
update mcp_tools
set definition = null
from (
  select tool
  from mcp_tools
  where server = $1
    and definition is not null
    and tool <> all($2::text[])
  order by tool
  for update
) unlisted
where mcp_tools.server = $1
  and mcp_tools.tool = unlisted.tool`,
    values: [server, listed.map(({ tool }) => tool)],
  })
}

export interface StoredTool {
  readonly server: string
  readonly tool: string
  readonly definition: unknown
  /** Whether it differs from the accepted definition. */
  readonly hasChanged: boolean
}

/** What these servers listed last. */
export async function listDefinitions(database: Database, servers: readonly string[]): Promise<StoredTool[]> {
  const rows = await database.query<{ server: string; tool: string; definition: string; has_changed: boolean }>({
    text: `
select server, tool, definition, changed_hash is not null as has_changed
from mcp_tools
where server = any($1::text[])
  and definition is not null
order by server, tool`,
    values: [servers],
  })
  return rows.map(({ server, tool, definition, has_changed }) => ({
    server,
    tool,
    definition: JSON.parse(definition),
    hasChanged: has_changed,
  }))
}

const maxChanges = 500

export async function listChangedTools(database: Database): Promise<ChangedTool[]> {
  const rows = await database.query<{ server: string; tool: string; changed_ms: number }>({
    text: `
select server, tool, floor(extract(epoch from changed_at) * 1000)::float8 as changed_ms
from mcp_tools
where changed_hash is not null
order by server, tool
limit $1`,
    values: [maxChanges],
  })
  return rows.map(({ server, tool, changed_ms }) => ({ server, tool, changedAt: new Date(changed_ms) }))
}

/** Accepts the changed definitions of a server, or of one of its tools. Returns the names of these tools. */
export async function acceptDefinitions(database: Database, server: string, tool?: string): Promise<string[]> {
  const rows = await database.query<{ tool: string }>({
    text: `
update mcp_tools
set hash = changed_hash,
  changed_hash = null,
  changed_at = null
where server = $1
  and ($2::text is null or tool = $2)
  and changed_hash is not null
returning tool`,
    values: [server, tool ?? null],
  })
  return rows.map((row) => row.tool).sort()
}
