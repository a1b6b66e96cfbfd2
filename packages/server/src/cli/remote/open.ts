// `runwright open [run id]`: the web console in a browser.
import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { consoleUrl } from '../connection/console-url.ts'
import { findUrl } from '../connection/target.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { jsonOption, type RemoteOptions, remoteCommand } from './remote-command.ts'

export function openCommand(io: Io): Command {
  const command = remoteCommand('open', 'Print the address of the console and open it if there is a browser.')
    .argument('[run id]', 'the run to show')
    .option(...jsonOption)
    .action(async (id: string | undefined, { json, url }: RemoteOptions) => {
      const address = consoleUrl(findUrl(io.env, url), id)
      if (json) return printJson(io, { url: address })
      printText(io, address)
      if (io.stdout.isTTY) openBrowser(io.env, address)
    })
  return withExamples(command, [
    ['runwright open', 'the list of runs'],
    ['runwright open run_01m7f8njhrfe3b4wzz6kye37bb', 'one run'],
  ])
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
