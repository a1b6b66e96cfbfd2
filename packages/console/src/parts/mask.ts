// How the service shows a tagged value: what was sent cannot be read back.
const mask = '***'

const problem = 'Enter the masked values (***) again: what they stand for is not shown.'

export const hasMask = (value: unknown): boolean => {
  if (typeof value === 'string') return value.includes(mask)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasMask)
}

/** A value with a mask is a problem, if it may come from a request whose values are masked. */
export const unmasked = <Read extends object>(read: Read, isMasked: boolean) =>
  isMasked && 'value' in read && hasMask(read.value) ? { problem } : read
