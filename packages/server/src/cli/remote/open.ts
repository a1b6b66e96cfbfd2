// `runwright open [run id]`: the web console in a browser.
import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { isLoopback } from '../../http/server/admission/loopback.ts'
import { consoleUrl, signInUrl } from '../connection/console-url.ts'
import { findTarget, findUrl } from '../connection/target.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { jsonOption, type RemoteOptions, remoteCommand } from './remote-command.ts'

export function openCommand(io: Io): Command {
  const command = remoteCommand(
    'open',
    'Print the address of the console and open it if there is a browser. On the machine of the service, with its first key, the address signs in, once and within 5 minutes.',
  )
    .argument('[run id]', 'the run to show')
    .option(...jsonOption)
    .action(async (id: string | undefined, { json, url }: RemoteOptions) => {
      const address = (await findSignInLink(io, { url, id })) ?? consoleUrl(findUrl(io.env, url), id)
      if (json) return printJson(io, { url: address })
      printText(io, address)
      if (io.stdout.isTTY) openBrowser(io.env, address)
    })
  return withExamples(command, [
    ['runwright open', 'the list of runs'],
    ['runwright open run_01m7f8njhrfe3b4wzz6kye37bb', 'one run'],
  ])
}

interface Page {
  readonly url: string | undefined
  readonly id: string | undefined
}

const longestMs = 3_000

/** Undefined if the service is elsewhere, is not up, or gives this key no link: then a person signs in with a key. */
async function findSignInLink({ env }: Io, { url, id }: Page): Promise<string | undefined> {
  if (!isLocal(findUrl(env, url))) return undefined
  try {
    const target = findTarget(env, url)
    const response = await fetch(`${target.url}/console/sign-in-codes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.apiKey}` },
      signal: AbortSignal.timeout(longestMs),
      redirect: 'error',
    })
    const { code } = (await response.json()) as { readonly code?: unknown }
    return response.status === 201 && typeof code === 'string' ? signInUrl(target.url, code, id) : undefined
  } catch {
    return undefined
  }
}

function isLocal(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

/** Without a browser, the printed address is enough. */
function openBrowser(env: Io['env'], address: string): void {
  const program = browserProgram(env)
  if (program === undefined) return
  const [name, ...args] = program
  const child = spawn(name, [...args, address], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}

export function browserProgram(
  env: Io['env'],
  platform = process.platform,
): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}
