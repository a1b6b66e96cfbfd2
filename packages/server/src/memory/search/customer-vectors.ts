// The vectors of one customer, side by side in one array: a search multiplies its way through all of them.
import type { MemoryKind } from '@runwright/contract'
import type { VectorChange } from '../../store/memory/vectors.ts'

/** What items share; a search looks at a place once instead of at every item. */
export interface VectorPlace {
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly kind: MemoryKind
}

export interface Neighbour {
  readonly id: string
  /** The cosine of the angle, -1 to 1. */
  readonly similarity: number
}

export interface NeighbourQuery {
  readonly vector: Float32Array
  readonly isWanted: (place: VectorPlace) => boolean
  readonly limit: number
  readonly minSimilarity: number
}

interface KnownPlace extends VectorPlace {
  readonly number: number
}

// Id, version and place of an item, as V8 keeps them in maps and arrays: about so much.
const bytesPerItem = 200

export class CustomerVectors {
  #dimensions = 0
  #matrix = new Float32Array()
  readonly #ids: string[] = []
  readonly #versions: number[] = []
  readonly #placeOf: number[] = []
  readonly #rowOf = new Map<string, number>()
  readonly #places = new Map<string, KnownPlace>()

  get size(): number {
    return this.#ids.length
  }

  get bytes(): number {
    return this.#matrix.byteLength + this.size * bytesPerItem
  }

  /** Takes in a change unless a newer one of the same item is known: readers may come in any order. */
  apply(change: VectorChange): void {
    const row = this.#rowOf.get(change.id)
    if (row !== undefined && (this.#versions[row] as number) > change.version) return
    if (change.vector === undefined) this.#remove(row)
    else this.#set(row ?? this.size, change, change.vector)
  }

  nearest({ vector, isWanted, limit, minSimilarity }: NeighbourQuery): Neighbour[] {
    if (vector.length !== this.#dimensions) return []
    const wanted = [...this.#places.values()].map(isWanted)
    const best = new BestNeighbours(limit)
    for (let row = 0; row < this.size; row += 1) {
      if (!wanted[this.#placeOf[row] as number]) continue
      const similarity = this.#product(row, vector)
      if (similarity >= minSimilarity) best.add(this.#ids[row] as string, similarity)
    }
    return best.sorted
  }

  /** Four sums at once: one alone would have to wait for each addition. */
  #product(row: number, vector: Float32Array): number {
    const matrix = this.#matrix
    const dimensions = this.#dimensions
    let at = row * dimensions
    let a = 0
    let b = 0
    let c = 0
    let d = 0
    let index = 0
    for (; index + 3 < dimensions; index += 4, at += 4) {
      a += (matrix[at] as number) * (vector[index] as number)
      b += (matrix[at + 1] as number) * (vector[index + 1] as number)
      c += (matrix[at + 2] as number) * (vector[index + 2] as number)
      d += (matrix[at + 3] as number) * (vector[index + 3] as number)
    }
    for (; index < dimensions; index += 1, at += 1) a += (matrix[at] as number) * (vector[index] as number)
    return a + b + c + d
  }

  #set(row: number, { id, version, ...place }: VectorChange, vector: Float32Array): void {
    if (this.size === 0) this.#dimensions = vector.length
    // Of another length although of the same model: not to be compared.
    if (vector.length !== this.#dimensions) return
    this.#makeRoom(row + 1)
    this.#matrix.set(vector, row * this.#dimensions)
    this.#ids[row] = id
    this.#versions[row] = version
    this.#placeOf[row] = this.#numberOf(place)
    this.#rowOf.set(id, row)
  }

  /** The last row moves into the gap. */
  #remove(row: number | undefined): void {
    if (row === undefined) return
    const last = this.size - 1
    this.#rowOf.delete(this.#ids[row] as string)
    if (row !== last) {
      const start = last * this.#dimensions
      this.#matrix.copyWithin(row * this.#dimensions, start, start + this.#dimensions)
      this.#ids[row] = this.#ids[last] as string
      this.#versions[row] = this.#versions[last] as number
      this.#placeOf[row] = this.#placeOf[last] as number
      this.#rowOf.set(this.#ids[row] as string, row)
    }
    for (const list of [this.#ids, this.#versions, this.#placeOf]) list.pop()
  }

  #makeRoom(rows: number): void {
    const needed = rows * this.#dimensions
    if (needed <= this.#matrix.length) return
    const larger = new Float32Array(Math.max(needed, Math.ceil(this.#matrix.length * 1.5)))
    larger.set(this.#matrix)
    this.#matrix = larger
  }

  #numberOf({ workspaceId, subjectId, kind }: VectorPlace): number {
    const key = JSON.stringify([workspaceId, subjectId, kind])
    const known = this.#places.get(key) ?? { workspaceId, subjectId, kind, number: this.#places.size }
    this.#places.set(key, known)
    return known.number
  }
}

/** The few best of many. Equals stand by id, so that the same memory always gives the same answer. */
export class BestNeighbours {
  readonly #limit: number
  readonly #best: Neighbour[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get sorted(): Neighbour[] {
    return [...this.#best]
  }

  add(id: string, similarity: number): void {
    const best = this.#best
    const isFull = best.length === this.#limit
    if (isFull && !isBefore(id, similarity, best.at(-1))) return
    if (isFull) best.pop()
    const at = best.findIndex((other) => isBefore(id, similarity, other))
    best.splice(at < 0 ? best.length : at, 0, { id, similarity })
  }
}

const isBefore = (id: string, similarity: number, other: Neighbour | undefined): boolean =>
  other !== undefined && (similarity > other.similarity || (similarity === other.similarity && id > other.id))
