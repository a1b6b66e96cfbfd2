// A person at the page of the provider, without a browser: follows its redirects, and fills in its form.

/** Returns the query with which the provider leads the person back to the service. */
export async function passSignIn(begin: string, login: string): Promise<string> {
  const cookies = new Map<string, string>()
  const visit = async (url: string, form?: Record<string, string>) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = form && { method: 'POST', body: new URLSearchParams(form) }
    const reply = await fetch(url, { redirect: 'manual', headers: { cookie }, ...body })
    await reply.arrayBuffer()
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return { url, next: reply.headers.get('location') }
  }
  let page = await visit(begin)
  for (let steps = 0; steps < 10; steps += 1) {
    const at = page.next === null ? page.url : new URL(page.next, page.url).href
    if (at.includes('/console/callback?')) return new URL(at).search
    page = page.next === null ? await visit(at, { prompt: 'login', login, password: 'any' }) : await visit(at)
  }
  throw new Error(`the provider does not lead back from ${page.url}`)
}
