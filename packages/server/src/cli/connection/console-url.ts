// Addresses of the web console. They never contain a key.
export const consoleUrl = (url: string, runId?: string): string =>
  runId === undefined ? `${url}/console` : `${url}/console/#/runs/${encodeURIComponent(runId)}`
