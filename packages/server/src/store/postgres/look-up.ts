// A join condition that PostgreSQL can only execute as an index look-up per row.

/**
 * Use it to join a batch to a large table: each key is a column of the table, each value an expression over the batch.
 * With `=` PostgreSQL may plan to scan the whole table while the table is small, and keep that plan of a prepared
 * statement when the table has grown. `= any(array[…])` can be neither hashed nor merged, so that only look-ups are
 * left.
 */
export const lookUp = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([column, value]) => `${column} = any(array[${value}])`)
    .join(' and ')
