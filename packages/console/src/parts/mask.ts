// How the service shows a tagged value: what was sent cannot be read back.
const mask = '***'

export const hasMask = (value: unknown): boolean => {
  if (typeof value === 'string') return value.includes(mask)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasMask)
}
