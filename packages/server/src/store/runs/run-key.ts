// Names runs in statements over many of them. The customer comes first, as in every key.

export interface RunKey {
  readonly customerId: string
  readonly id: string
}

/** The values of `$1::text[]` and `$2::uuid[]`. */
export const keyValues = (runs: readonly RunKey[]): [string[], string[]] => [
  runs.map(({ customerId }) => customerId),
  runs.map(({ id }) => id),
]
