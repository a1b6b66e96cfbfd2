// A number that the service counts only up to a limit.
import { maxHealthCount } from '@runwright/contract'
import { readableNumber } from '../parts/values/readable.ts'

export const counted = (value: number): string =>
  value > maxHealthCount ? `more than ${readableNumber(maxHealthCount)}` : readableNumber(value)
