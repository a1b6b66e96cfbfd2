// Formats protocol values and numbers for display.

/** `awaiting_input` → `awaiting input`. */
export const readable = (word: string): string => word.replaceAll('_', ' ')

const wholeNumber = new Intl.NumberFormat('en')

export const readableNumber = (value: number): string => wholeNumber.format(value)

const units = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3_600 },
  { unit: 'min', seconds: 60 },
  { unit: 's', seconds: 1 },
] as const

/** The largest units that are not zero, at most two: `1 d 2 h`, `15 min`, `0.4 s`. */
export const readableSeconds = (seconds: number, most = 2): string => {
  if (seconds < 59.95) return `${Math.round(seconds * 10) / 10} s`
  let rest = Math.round(seconds)
  const parts = units.flatMap(({ unit, seconds: size }) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count > 0 ? [`${count} ${unit}`] : []
  })
  return parts.slice(0, most).join(' ')
}

/** As above, from milliseconds, which are shown below one second: `430 ms`. Only nothing is `0 ms`. */
export const readableDuration = (ms: number, most = 2): string =>
  ms < 999.5 && ms >= 0 ? `${Math.max(Math.round(ms), Math.sign(ms))} ms` : readableSeconds(ms / 1_000, most)
