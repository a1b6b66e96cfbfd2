// A statement whose parameters are the columns of a batch, an array each. The messages that run it (bind, execute, sync) are
// written at once into one buffer, from the items themselves; through the driver's own query every array would be a buffer
// of its own and be copied several times on the way, for a twentieth of all that a create is here. What the answer
// looks like is known as well, and not asked for.
//
// The rest is the driver's: it prepares the statement once per connection, reads the answer and keeps the order.
import pg from 'pg'
import { type Encoding, encodings } from './array-encoding.ts'

type Encodings = typeof encodings
type ValueOf<Type extends keyof Encodings> = Encodings[Type] extends Encoding<infer Value> ? Value : never

export interface BatchColumn<Item> {
  readonly type: keyof Encodings
  readonly encoding: Encoding<unknown>
  readonly read: (item: Item) => unknown
}

/** Makes the columns of a kind of item; null and undefined alike are null in the database. */
export const columnOf =
  <Item>() =>
  <Type extends keyof Encodings>(
    type: Type,
    read: (item: Item) => ValueOf<Type> | null | undefined,
  ): BatchColumn<Item> => ({ type, encoding: encodings[type] as Encoding<unknown>, read })

/** Columns of other rows, which all the items of a batch make up together. */
export interface Gathered<Item> {
  readonly rowsOf: (items: readonly Item[]) => readonly unknown[]
  readonly columns: readonly BatchColumn<unknown>[]
}

export const gather = <Item, Row>(
  rowsOf: (items: readonly Item[]) => readonly Row[],
  columns: readonly BatchColumn<Row>[],
): Gathered<Item> => ({ rowsOf, columns: columns as readonly BatchColumn<unknown>[] })

/** A row of an answer: its columns as PostgreSQL writes them. */
export type Fields = readonly (string | null)[]

export interface BatchStatement<Item, Row> {
  readonly name: string
  readonly text: string
  /** The parameters, in their order. */
  readonly columns: readonly BatchColumn<Item>[]
  /** More parameters, after those. */
  readonly gathered?: Gathered<Item>
  readonly toRow: (fields: Fields) => Row
}

export interface BatchOutcome {
  readonly resolve: (rows: Fields[]) => void
  readonly reject: (error: Error) => void
}

/** What the driver keeps of prepared statements: those that the server knows, and those on their way there. */
type PreparingConnection = pg.Connection &
  Readonly<Record<'parsedStatements' | 'submittedNamedStatements', Record<string, string>>>

export class BatchQuery<Item> extends pg.Query {
  // The driver looks at both while it waits for the answer.
  readonly name: string
  readonly text: string
  readonly #rows: Fields[] = []

  constructor(
    statement: Omit<BatchStatement<Item, unknown>, 'toRow'>,
    items: readonly Item[],
    { resolve, reject }: BatchOutcome,
  ) {
    super(statement.text, (error) => (error ? reject(error) : resolve(this.#rows)))
    this.name = statement.name
    this.text = statement.text
    const messages = writeMessages(statement, items)
    this.submit = (connection) => this.#send(connection as PreparingConnection, messages)
  }

  /** Called by the driver. */
  handleDataRow({ fields }: { fields: Fields }): void {
    this.#rows.push(fields)
  }

  // Returns null: the driver takes anything else for an error.
  #send(connection: PreparingConnection, messages: Buffer): null {
    const { parsedStatements, submittedNamedStatements, stream } = connection
    if (parsedStatements[this.name] === undefined && submittedNamedStatements[this.name] === undefined) {
      connection.parse({ name: this.name, text: this.text, types: [] }, true)
      submittedNamedStatements[this.name] = this.text
    }
    if (stream.writable) stream.write(messages)
    return null
  }
}

const codes = { bind: 0x42, execute: 0x45, sync: 0x53 } as const
const binary = 1
const asText = 0
const bytesOfInt16 = 2
const bytesOfInt32 = 4
/** Code and length. */
const messageHeadBytes = 1 + bytesOfInt32
/** Length in bytes, dimensions, whether it has nulls, type, length, first index. */
const arrayHeaderBytes = 6 * bytesOfInt32

/** All results as text; then execute the unnamed portal to its end, and sync. */
const afterParameters = Buffer.from([
  ...[0, 1, 0, asText],
  ...[codes.execute, 0, 0, 0, 9, 0, 0, 0, 0, 0],
  ...[codes.sync, 0, 0, 0, 4],
])
const resultFormatsBytes = 2 * bytesOfInt16

const none: Gathered<unknown> = { rowsOf: () => [], columns: [] }

type Written<Item> = Pick<BatchStatement<Item, unknown>, 'name' | 'columns' | 'gathered'>

function writeMessages<Item>({ name, columns, gathered = none }: Written<Item>, items: readonly Item[]): Buffer {
  const portal = ''
  let end = messageHeadBytes + scratch.write(`${portal}\0${name}\0`, messageHeadBytes)
  // One format for all parameters.
  for (const number of [1, binary, columns.length + gathered.columns.length]) end = scratch.writeInt16BE(number, end)
  for (const column of columns) end = writeArray(column, items, end)
  const rows = gathered.rowsOf(items)
  for (const column of gathered.columns) end = writeArray(column, rows, end)
  makeRoom(end, afterParameters.length)
  scratch[0] = codes.bind
  scratch.writeInt32BE(end + resultFormatsBytes - 1, 1)
  end += afterParameters.copy(scratch, end)
  const messages = Buffer.from(scratch.subarray(0, end))
  if (scratch.length > mostScratchBytes) scratch = Buffer.allocUnsafe(scratchBytes)
  return messages
}

/** Null when every value is: `unnest` fills a column that has nothing with nulls. */
function writeArray<Item>({ encoding, read }: BatchColumn<Item>, items: readonly Item[], start: number): number {
  makeRoom(start, arrayHeaderBytes)
  let end = start + arrayHeaderBytes
  let present = 0
  for (const item of items) {
    const value = read(item)
    const isPresent = value !== null && value !== undefined
    makeRoom(end, bytesOfInt32 + (isPresent ? encoding.maxBytes(value) : 0))
    const from = end + bytesOfInt32
    const to = isPresent ? encoding.write(scratch, value, from) : from
    scratch.writeInt32BE(isPresent ? to - from : -1, end)
    if (isPresent) present += 1
    end = to
  }
  if (present === 0) return scratch.writeInt32BE(-1, start)
  const dimensions = 1
  const hasNulls = present < items.length ? 1 : 0
  const firstIndex = 1
  let at = scratch.writeInt32BE(end - start - bytesOfInt32, start)
  for (const field of [dimensions, hasNulls, encoding.oid, items.length, firstIndex])
    at = scratch.writeInt32BE(field, at)
  return end
}

// Sizes are not known before and memory is dear to get: all is written here, and what is sent is cut from it.
const scratchBytes = 64 * 1024
const mostScratchBytes = 1024 * 1024
let scratch = Buffer.allocUnsafe(scratchBytes)

function makeRoom(at: number, bytes: number): void {
  if (at + bytes <= scratch.length) return
  const larger = Buffer.allocUnsafe(Math.max(at + bytes, 2 * scratch.length))
  scratch.copy(larger, 0, 0, at)
  scratch = larger
}
