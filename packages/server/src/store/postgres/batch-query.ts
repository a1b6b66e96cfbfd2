// A statement over many items: each parameter is one column of the batch, sent as an array in PostgreSQL's binary
// format. The driver sends a Buffer as a binary parameter, whatever the type of the parameter is.
import { type Encoding, encodeArray, encodings } from './array-encoding.ts'

type Encodings = typeof encodings
type ValueOf<Type extends keyof Encodings> = Encodings[Type] extends Encoding<infer Value> ? Value : never

export interface BatchColumn<Item> {
  readonly type: keyof Encodings
  readonly read: (item: Item) => unknown
}

/** Declares the columns of a kind of item. Null and undefined are both null in the database. */
export const columnOf =
  <Item>() =>
  <Type extends keyof Encodings>(
    type: Type,
    read: (item: Item) => ValueOf<Type> | null | undefined,
  ): BatchColumn<Item> => ({ type, read })

export interface BatchStatement<Item> {
  readonly name: string
  readonly text: string
  /** The parameters `$1`, `$2` …, in order. */
  readonly columns: readonly BatchColumn<Item>[]
}

export const toStatement = <Item>({ name, text, columns }: BatchStatement<Item>, items: readonly Item[]) => ({
  name,
  text,
  values: columns.map(({ type, read }) => encodeArray(encodings[type] as Encoding<unknown>, items.map(read))),
})
