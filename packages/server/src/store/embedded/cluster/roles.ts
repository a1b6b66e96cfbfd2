// The roles of a cluster. The service connects as a role that owns the database and everything in it, and has no other
// rights: what gets into a statement of the service cannot read files, run programs or change the server.

/** initdb creates it, and nothing can take its rights. It has no password: only single-user mode uses it. */
export const SUPERUSER = 'runwright'
export const SERVICE_ROLE = 'runwright_service'

/**
 * Also for a cluster of a version whose service was the superuser. Each is one line, and can be repeated. The verifier
 * is what PostgreSQL stores of a password.
 */
export const roleStatements = (passwordVerifier: string): string[] => [
  `do $$ begin if to_regrole('${SERVICE_ROLE}') is null then create role ${SERVICE_ROLE}; end if; end $$`,
  `alter role ${SERVICE_ROLE} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${passwordVerifier}'`,
  `alter database postgres owner to ${SERVICE_ROLE}`,
  // For `attach`: it shows whether a file is in the folder of the cluster, and its size.
  `grant execute on function pg_stat_file(text, boolean) to ${SERVICE_ROLE}`,
  inOneLine(takeOver),
  `alter role ${SUPERUSER} password null`,
]

const bootstrapSuperuser = 10

// `reassign owned` refuses to work here, because the superuser also owns what belongs to PostgreSQL.
const takeOver = `
do $$
declare
  change text;
begin
  for change in
    with schemas as (
      select oid, nspname, nspowner
      from pg_namespace
      where nspname !~ '^pg_' and nspname <> 'information_schema'
    ), objects as (
      select 'pg_class'::regclass as class, oid, relnamespace as schema, oid::regclass::text as name,
        case relkind
          when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
          else 'table'
        end as kind
      from pg_class
      where relowner = ${bootstrapSuperuser} and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      union all
      select 'pg_proc'::regclass, oid, pronamespace, oid::regprocedure::text, 'routine'
      from pg_proc
      where proowner = ${bootstrapSuperuser}
      union all
      select 'pg_type'::regclass, oid, typnamespace, oid::regtype::text, case typtype when 'd' then 'domain' else 'type' end
      from pg_type
      where typowner = ${bootstrapSuperuser} and typtype in ('d', 'e', 'r')
    )
    select format('alter schema %I owner to ${SERVICE_ROLE}', nspname)
    from schemas
    where nspowner = ${bootstrapSuperuser}
    union all
    select format('alter %s %s owner to ${SERVICE_ROLE}', o.kind, o.name)
    from objects o
    join schemas s on s.oid = o.schema
    where not exists (
      select from pg_depend d
      where d.classid = o.class and d.objid = o.oid
        and (d.deptype = 'e' or (o.kind = 'sequence' and d.deptype in ('a', 'i')))
    )
  loop
    execute change;
  end loop;
end $$`

/** In single-user mode, a statement ends with its line. */
function inOneLine(statement: string): string {
  return statement.trim().replace(/\s+/g, ' ')
}
