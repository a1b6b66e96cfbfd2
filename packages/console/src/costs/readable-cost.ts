// Formats costs. A sum that leaves something out says so.
import type { CostRow } from '@runwright/contract'

const smallest = 0.000001

/** `€2.40`, `€0.0021`, `€0.10 + ?` */
export const readableCost = ({ cost, unpriced }: Pick<CostRow, 'cost' | 'unpriced'>, currency: string): string => {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: cost < 1 ? 6 : 2 }
  const { format } = new Intl.NumberFormat('en', { style: 'currency', currency, ...digits })
  const known = cost > 0 && cost < smallest ? `< ${format(smallest)}` : format(cost)
  return unpriced.length === 0 ? known : `${known} + ?`
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** `1 Nov 2026` */
export const readableDay = (day: string): string => dayFormat.format(new Date(day))
