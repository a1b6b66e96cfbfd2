// `1 run`, `2 runs`, `1,000 runs`.
import { readableNumber } from './readable.ts'

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${readableNumber(count)} ${count === 1 ? one : many}`
