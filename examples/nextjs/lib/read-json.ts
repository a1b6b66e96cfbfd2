// The body of a request. Anything but a JSON object is an empty one, so that the checks of its fields refuse it.

export async function readJson(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await request.json().catch(() => undefined)
  return typeof body === 'object' && body !== null ? { ...body } : {}
}
