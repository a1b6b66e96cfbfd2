// A join condition that PostgreSQL can only execute as an index look-up per row.

/**
 * Use it to join a batch to a large table: each key is a column of the table, in the order of its index, and each value
 * an expression over the batch. With `=` PostgreSQL may plan to scan the whole table while the table is small, and keep
 * that plan of a prepared statement when the table has grown. `= any(array[…])` can be neither hashed nor merged, so
 * that only look-ups are left. Before version 17 PostgreSQL may use it for the first column of an index only, and then
 * read all runs of a customer; `between` has it use the other columns, too.
 */
export const lookUp = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([column, value], index) =>
      index === 0 ? isAny(column, value) : `${isAny(column, value)} and ${column} between ${value} and ${value}`,
    )
    .join(' and ')

const isAny = (column: string, value: string): string => `${column} = any(array[${value}])`

/** For a `from`: the rows of the customer `$1` whose ids are in the array `$2`. */
export const rowsOf = (table: string, id: string, alias = table): string =>
  `unnest($2::uuid[]) as wanted (wanted_id)
join ${table} ${alias} on ${lookUp({ [`${alias}.customer_id`]: '$1', [`${alias}.${id}`]: 'wanted_id' })}`
