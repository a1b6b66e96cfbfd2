/** An assignment to `__proto__` would change the prototype. */
export function setMember(members: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') members[key] = value
  else Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true })
}
