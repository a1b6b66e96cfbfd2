// The vectors of one customer in one contiguous array, so that a search can scan all of them fast.
import type { MemoryKind } from '@runwright/contract'
import type { VectorChange } from '../../store/memory/vectors.ts'

/** Items with the same labels and kind. A search filters groups rather than items. */
interface VectorGroup {
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
  readonly isWanted: (group: VectorGroup) => boolean
  readonly limit: number
  readonly minSimilarity: number
}

interface NumberedGroup extends VectorGroup {
  readonly number: number
}

// An estimate of what V8 needs for the id, version and group of an item in maps and arrays.
const bytesPerItem = 200

export class CustomerVectors {
  #dimensions = 0
  #matrix = new Float32Array()
  readonly #ids: string[] = []
  readonly #versions: number[] = []
  readonly #groups: number[] = []
  readonly #rowOf = new Map<string, number>()
  readonly #knownGroups = new Map<string, NumberedGroup>()

  get size(): number {
    return this.#ids.length
  }

  get bytes(): number {
    return this.#matrix.byteLength + this.size * bytesPerItem
  }

  /** Ignores a change that is older than the known version of the item: changes may arrive in any order. */
  apply(change: VectorChange): void {
    const row = this.#rowOf.get(change.id)
    if (row !== undefined && (this.#versions[row] as number) > change.version) return
    if (change.vector === undefined) this.#remove(row)
    else this.#set(row ?? this.size, change, change.vector)
  }

  nearest({ vector, isWanted, limit, minSimilarity }: NeighbourQuery): Neighbour[] {
    if (vector.length !== this.#dimensions) return []
    const wanted = [...this.#knownGroups.values()].map(isWanted)
    const best = new BestNeighbours(limit)
    for (let row = 0; row < this.size; row += 1) {
      if (!wanted[this.#groups[row] as number]) continue
      const similarity = this.#dotProduct(row, vector)
      if (similarity >= minSimilarity) best.add(this.#ids[row] as string, similarity)
    }
    return best.sorted
  }

  /** Four independent sums, so that the CPU does not wait for each addition to finish. */
  #dotProduct(row: number, vector: Float32Array): number {
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

  #set(row: number, { id, version, ...group }: VectorChange, vector: Float32Array): void {
    if (this.size === 0) this.#dimensions = vector.length
    // A vector with other dimensions cannot be compared, although it has the same model name.
    if (vector.length !== this.#dimensions) return
    this.#ensureCapacity(row + 1)
    this.#matrix.set(vector, row * this.#dimensions)
    this.#ids[row] = id
    this.#versions[row] = version
    this.#groups[row] = this.#groupNumber(group)
    this.#rowOf.set(id, row)
  }

  /** Moves the last row into the gap. */
  #remove(row: number | undefined): void {
    if (row === undefined) return
    const last = this.size - 1
    this.#rowOf.delete(this.#ids[row] as string)
    if (row !== last) {
      const start = last * this.#dimensions
      this.#matrix.copyWithin(row * this.#dimensions, start, start + this.#dimensions)
      this.#ids[row] = this.#ids[last] as string
      this.#versions[row] = this.#versions[last] as number
      this.#groups[row] = this.#groups[last] as number
      this.#rowOf.set(this.#ids[row] as string, row)
    }
    for (const list of [this.#ids, this.#versions, this.#groups]) list.pop()
  }

  #ensureCapacity(rows: number): void {
    const needed = rows * this.#dimensions
    if (needed <= this.#matrix.length) return
    const larger = new Float32Array(Math.max(needed, Math.ceil(this.#matrix.length * 1.5)))
    larger.set(this.#matrix)
    this.#matrix = larger
  }

  #groupNumber({ workspaceId, subjectId, kind }: VectorGroup): number {
    const key = JSON.stringify([workspaceId, subjectId, kind])
    const known = this.#knownGroups.get(key) ?? { workspaceId, subjectId, kind, number: this.#knownGroups.size }
    this.#knownGroups.set(key, known)
    return known.number
  }
}

/** Keeps the best of many. Ties are ordered by id, so that the same memory always gives the same result. */
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
