// Who sends a request. Replace it by the session of your app: anyone can write this cookie.

export function findUser(request: Request): string | undefined {
  const cookies = (request.headers.get('cookie') ?? '').split('; ')
  return cookies.find((cookie) => cookie.startsWith('user='))?.slice('user='.length)
}
